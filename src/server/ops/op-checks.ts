import { createHash } from 'node:crypto';
import { ReefError } from '../../domain/errors';
import type { Sha256 } from '../../domain/ids';
import { sha256Schema } from '../../domain/ids';
import { isObject } from '../../domain/json';
import { LIMITS } from '../../domain/limits';
import type { Op } from '../../domain/op/op';
import { hashedText } from '../../protocol/hash';
import type { BlobRef } from '../../protocol/receipt';

/**
 * Checks the size of the whole operation, unknown members included: it is stored and forwarded whole.
 *
 * @throws ReefError `too-large`
 */
export function checkSize(op: Op): void {
  if (Buffer.byteLength(JSON.stringify(op)) > LIMITS.messageBytesMax)
    throw new ReefError('too-large', { field: 'op', limit: LIMITS.messageBytesMax });
}

/** @throws ReefError `hash-mismatch` {field} unless `op.sha256` is the hash of the body */
export function checkHash(op: Op): void {
  if (createHash('sha256').update(hashedText(op.body), 'utf8').digest('hex') !== op.sha256) {
    throw new ReefError('hash-mismatch', { field: 'op.sha256', message: 'op.sha256 is not the hash of its body.' });
  }
}

/**
 * 1§5: a survey must be linked to a user; the node need not know that user.
 *
 * @throws ReefError `unlinked-survey`
 */
export function checkLinkedToUser(op: Op): void {
  const { user } = op.body;
  const uid = isObject(user) ? user['uid'] : undefined;
  if (typeof uid !== 'string' || uid === '') throw new ReefError('unlinked-survey', { field: 'op.body.user.uid' });
}

/** Bytes of an image's record. @throws ReefError `bad-message` unless it names the photograph's hash and length */
export function blobOfImage(op: Op): BlobRef {
  const { sha256, bytes } = op.body;
  if (!sha256Schema.safeParse(sha256).success)
    throw new ReefError('bad-message', {
      field: 'op.body.sha256',
      message: 'op.body.sha256 is not the hash of the photograph.',
    });
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 1) {
    throw new ReefError('bad-message', {
      field: 'op.body.bytes',
      message: 'op.body.bytes is not the length of the photograph.',
    });
  }
  return { sha256: sha256 as Sha256, bytes };
}

/**
 * Checks a display path, which is never used as a path here. Refused is what no camera or folder produces: control
 * characters, lone surrogates, `..`, more than {@link LIMITS.pathBytesMax} bytes.
 *
 * @throws ReefError `bad-message`
 */
export function checkDisplayPath(path: string): void {
  const refuse = (why: string) => new ReefError('bad-message', { field: 'path', message: `path ${why}.` });
  if (Buffer.byteLength(path) > LIMITS.pathBytesMax) throw refuse(`is longer than ${LIMITS.pathBytesMax} bytes`);
  if (!path.isWellFormed()) throw refuse('holds half a character');
  if ([...path].some((character) => character < ' ' || character === '\u007f'))
    throw refuse('holds a control character');
  if (path.split(/[/\\]/).includes('..')) throw refuse('steps upwards with ".."');
}
