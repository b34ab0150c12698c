import { ReefError } from '../../src/domain/errors';
import { LIMITS } from '../../src/domain/limits';
import type { SocketHandler } from './connection';

/** `image:binary`: replies once the chunk is on disk. */
export const imageBinary: SocketHandler<'image:binary'> = async (context, connection, message, attachment) => {
  if (!(attachment instanceof Uint8Array))
    throw new ReefError('bad-message', {
      field: 'bytes',
      message: 'The bytes of the chunk must come with the message.',
    });
  if (attachment.byteLength > LIMITS.chunkBytesMax)
    throw new ReefError('too-large', { field: 'bytes', limit: LIMITS.chunkBytesMax });
  if (attachment.byteLength === 0)
    throw new ReefError('bad-message', { field: 'bytes', message: 'The chunk is empty.' });
  const { offset } = await context.blobs.write(message.uploadId, message.offset, attachment);
  context.metrics.uploadedBytes.inc({ way: 'socket' }, attachment.byteLength);
  context.diskUse.addReceived(attachment.byteLength);
  if (connection.session !== null) context.senders.addReceived(connection.session, attachment.byteLength);
  return { offset };
};
