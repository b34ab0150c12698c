import type { OpKind } from '../../src/domain/op/op';
import type { Verb } from './connection';
import { bringerOn } from './connection';

/** The verb that takes operations of one kind and answers with the receipt. */
export function takeOp<Event extends 'profile' | 'survey' | 'image:record' | 'analysis'>(kind: OpKind): Verb<Event> {
  return async (context, connection, message) => {
    const receipt = await context.intake.acceptOp((message as { op?: unknown }).op, { ...bringerOn(connection), kind });
    context.time.commit(context.clock());
    return { receipt };
  };
}
