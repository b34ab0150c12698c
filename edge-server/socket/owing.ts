import type { SocketHandler } from './connection';

/** `owing`: a hint for the crew. */
export const owing: SocketHandler<'owing'> = async (context, connection, message) => {
  if (connection.session !== null) context.senders.setOwed(connection.session, message);
  return {};
};
