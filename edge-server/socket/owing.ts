import type { Verb } from './connection';

/** `owing`: what this tablet still has for the box; a hint for the crew. */
export const owing: Verb<'owing'> = async (context, connection, message) => {
  if (connection.session !== null) context.senders.setOwed(connection.session, message);
  return {};
};
