import type { Verb } from './connection';

/** `unsubscribe`: no more updates of that query. */
export const unsubscribe: Verb<'unsubscribe'> = async (context, connection, message) => {
  context.subscriptions.unsubscribe(connection, message.name);
  return {};
};
