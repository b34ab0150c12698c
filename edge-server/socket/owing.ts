import type { SocketHandler } from './connection';

/** `owing`: what this tablet still has for the box; a hint for the crew. */
export const owing: SocketHandler<'owing'> = async (context, connection, message) => {
  if (connection.session !== null) context.senders.setOwed(connection.session, message);
  return {};
};
