import type { SocketHandler } from './connection';

/** `unsubscribe`: no more updates of that query. */
export const unsubscribe: SocketHandler<'unsubscribe'> = async (context, connection, message) => {
  context.subscriptions.unsubscribe(connection, message.name);
  return {};
};
