import { randomUUID } from 'node:crypto';
import { ReefError } from '../../src/domain/errors';
import type { EdgeMessage } from '../../src/protocol/edge-socket';
import { isDeviceAnswer } from '../../src/protocol/device-answer';
import { verifySignature } from '../../src/server/ops/receipt-signer';
import type { Connection } from './connection';

/**
 * Device key that `verify` proves, or null for a tablet without one (version 1, or a browser without Ed25519).
 *
 * @param node id of this box: an answer for another box proves nothing here
 * @throws ReefError `unauthorised` {challenge} to answer next, with {field: 'answer'} after a wrong answer
 */
export async function provenKey(
  node: string,
  connection: Connection,
  { key, answer }: Pick<EdgeMessage<'verify'>, 'key' | 'answer'>,
): Promise<string | null> {
  if (key === undefined) return null;
  const { challenge } = connection;
  if (answer === undefined) {
    connection.challenge ??= randomUUID();
    throw new ReefError('unauthorised', {
      challenge: connection.challenge,
      message: 'The box asks this tablet to prove its key.',
    });
  }
  connection.challenge = undefined;
  if (challenge !== undefined && (await isDeviceAnswer({ node, challenge, key }, answer, verifySignature))) return key;
  connection.challenge ??= randomUUID();
  throw new ReefError('unauthorised', {
    field: 'answer',
    challenge: connection.challenge,
    message: 'This answer does not prove the key of this tablet. What is on the tablet stays there.',
  });
}
