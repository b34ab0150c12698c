import { ReefError } from '../../src/domain/errors';
import { decideEdge } from '../../src/domain/policy/edge-policy';
import type { Ack, EdgeEvent, EdgeMessage, EdgeReplies } from '../../src/protocol/edge-socket';
import { EDGE_MESSAGES } from '../../src/protocol/edge-socket';
import type { EdgeContext } from '../context';
import { toReefError } from '../../src/server/http/errors';
import { parseInput } from '../../src/server/http/parse';
import { analysis } from './analysis';
import type { Connection, SocketHandler } from './connection';
import { presentSession, refusalOf, rolesOf } from './connection';
import { imageBinary } from './image-binary';
import { imagePath } from './image-path';
import { imageRecord } from './image-record';
import { owing } from './owing';
import { profile } from './profile';
import { query } from './query';
import { survey } from './survey';
import { unsubscribe } from './unsubscribe';
import { verify } from './verify';

export const HANDLERS: { readonly [Event in EdgeEvent]: SocketHandler<Event> } = {
  verify,
  profile,
  survey,
  'image:path': imagePath,
  'image:binary': imageBinary,
  'image:record': imageRecord,
  analysis,
  query,
  unsubscribe,
  owing,
};

/**
 * Answers one event: checks message and policy, runs the handler, maps failures to the error catalogue. Never throws.
 *
 * @param args without the acknowledgement
 */
export async function answerEvent(
  context: EdgeContext,
  connection: Connection,
  event: string,
  args: readonly unknown[],
): Promise<Ack<EdgeReplies[EdgeEvent]>> {
  const isKnown = isEvent(event);
  const before = connection.session;
  let notice: string | undefined;
  try {
    if (!isKnown)
      throw new ReefError('bad-message', { field: 'event', message: `Unknown event "${event.slice(0, 40)}".` });
    // The person may have signed in or out elsewhere, or been revoked from shore: the reply reports it once.
    connection.session = presentSession(context.sessions, connection);
    notice = before !== null && before.revokedReason === undefined ? connection.session?.revokedReason : undefined;
    const reply = await runHandler(context, connection, event, args);
    context.metrics.messages.inc({ event, outcome: 'ok' });
    return { ok: true, ...(notice === undefined ? {} : { notice }), ...reply };
  } catch (thrown) {
    const error = toReefError(thrown);
    // The next answer that is not an error carries it.
    if (notice !== undefined) connection.session = before;
    if (error.code === 'internal') context.log.error({ err: thrown, event }, 'a message failed');
    // A challenge is a step of a sign-in, and a wrong answer to it a refusal.
    if (error.details['challenge'] === undefined || error.details['field'] !== undefined)
      context.refusals.note({ route: isKnown ? event : 'unknown', error, by: connection.session?.person?.uid });
    context.metrics.messages.inc({ event: isKnown ? event : 'unknown', outcome: error.code });
    return { ok: false, error: error.toWire() };
  }
}

async function runHandler<Event extends EdgeEvent>(
  context: EdgeContext,
  connection: Connection,
  event: Event,
  args: readonly unknown[],
): Promise<EdgeReplies[Event]> {
  const decision = decideEdge('socket', event, rolesOf(connection.session));
  if (decision === 'unauthorised') throw new ReefError('unauthorised');
  if (decision !== 'allowed') throw refusalOf(connection.session);
  const [message, attachment] = args;
  const handler: SocketHandler<Event> = HANDLERS[event];
  return handler(
    context,
    connection,
    parseInput(EDGE_MESSAGES[event], message, 'message') as EdgeMessage<Event>,
    attachment,
  );
}

function isEvent(event: string): event is EdgeEvent {
  return Object.hasOwn(HANDLERS, event);
}
