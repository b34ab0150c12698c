import type { OpKind } from '../../src/domain/op/op';
import type { SocketHandler } from './connection';
import { submitterOf } from './connection';

/** Handler for operations of one kind; replies with the receipt. */
export function opHandler<Event extends 'profile' | 'survey' | 'image:record' | 'analysis'>(
  kind: OpKind,
): SocketHandler<Event> {
  return async (context, connection, message) => {
    const receipt = await context.intake.acceptOp((message as { op?: unknown }).op, {
      ...submitterOf(connection),
      kind,
    });
    context.time.commit(context.clock());
    return { receipt };
  };
}
