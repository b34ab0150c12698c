import { ReefError } from '../../src/domain/errors';
import { LIMITS } from '../../src/domain/limits';
import { isoNow } from '../context';
import { admit } from '../sign-in/admission';
import type { SocketHandler } from './connection';
import { provenKey } from './prove-key';

/** `verify`: negotiates the version and opens the session that every other event requires. */
export const verify: SocketHandler<'verify'> = async (context, connection, message) => {
  const protocol = negotiateVersion(message.protocol);
  const { nodeId, storeEpoch } = context.store.identity;
  const key = await provenKey(nodeId, connection, message);
  const { token, session, notice } = await admit(context, { ...message, key }, connection.address);
  connection.key = key;
  connection.session = session;
  context.senders.connect(connection, session);
  const cloudKeys = context.reference.cloudKeys();
  return {
    protocol,
    edge: { id: nodeId, name: context.settings.name, storeEpoch },
    session: token,
    serverTime: isoNow(context),
    user: session.person,
    ...(notice === undefined ? {} : { notice }),
    ...(session.ended !== undefined ? { ended: session.ended } : session.key === undefined ? { ended: 'no-key' } : {}),
    publicKey: context.receiptKey.publicKey,
    ...(cloudKeys === undefined ? {} : { cloudKeys }),
    ...(context.settings.cloudUrl === null ? {} : { cloudUrl: context.settings.cloudUrl.origin }),
    limits: {
      chunkBytes: LIMITS.chunkBytesMax,
      imageBytes: LIMITS.imageBytesMax,
      imagePixels: LIMITS.imagePixelsMax,
      freeBytes: Math.max(0, (await context.blobs.disk()).free - context.settings.minFreeBytes),
    },
    binary: ['socket', 'http'],
  };
};

function negotiateVersion(asked: { min: number; max: number }): number {
  if (asked.min > asked.max)
    throw new ReefError('bad-message', { field: 'protocol', message: 'protocol.min is greater than protocol.max.' });
  const version = Math.min(asked.max, LIMITS.protocolMax);
  if (version >= Math.max(asked.min, LIMITS.protocolMin)) return version;
  const text =
    asked.max < LIMITS.protocolMin
      ? 'This app is too old for the box. Update it at the box.'
      : 'This app is newer than the box. Update the box.';
  throw new ReefError('unsupported-version', {
    supported: { min: LIMITS.protocolMin, max: LIMITS.protocolMax },
    message: text,
  });
}
