import type { SocketHandler } from './connection';

export const unsubscribe: SocketHandler<'unsubscribe'> = async (context, connection, message) => {
  context.subscriptions.unsubscribe(connection, message.name);
  return {};
};
