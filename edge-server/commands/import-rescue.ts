import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { Logger } from 'pino';
import { ReefError } from '../../src/domain/errors';
import type { PersonId, Sha256 } from '../../src/domain/ids';
import { isObject } from '../../src/domain/json';
import type { EdgeRole } from '../../src/domain/policy/edge-policy';
import {
  parseRescueManifest,
  RESCUE,
  RESCUE_MANIFEST_MAX,
  rescueBlobName,
  type RescueManifest,
} from '../../src/protocol/rescue';
import { parseTarHeader, TAR_BLOCK, tarPadding } from '../../src/protocol/tar';
import { toReefError } from '../../src/server/http/errors';
import { withStores } from '../../src/server/process/with-stores';
import { openStores, type EdgeStores } from '../open-stores';
import { Intake } from '../intake/intake';
import type { EdgeSettings } from '../settings';

/** Bytes of a photograph per read and write. */
const PIECE_BYTES = 4 * 1024 * 1024;

interface RescueImport {
  /** Records with a receipt now, new or known. */
  readonly receipted: number;
  readonly photographs: number;
  readonly refused: readonly { readonly opId: string; readonly why: string }[];
}

interface TarMember {
  readonly at: number;
  readonly size: number;
}

/**
 * Imports a tablet's rescue copy while no server runs: `npm run edge -- import-rescue <file>`. As when a tablet sends:
 * bytes first, then the record, each with a receipt. Repeatable.
 *
 * @throws ReefError `bad-message`, `unsupported-version`, `hash-mismatch` for an incomplete list of records; Error
 * while a server uses the home folder
 */
export async function importRescue(settings: EdgeSettings, log: Logger, path: string): Promise<RescueImport> {
  const file = await open(path, 'r');
  try {
    const { manifest, members } = await readIndex(file);
    const lines = await readLines(file, manifest, members);
    return await withStores(
      (onFatal) => openStores(settings, { clock: Date.now, log, onFatal }),
      (stores) => ingestAll(file, manifest, members, lines, stores),
    );
  } finally {
    await file.close();
  }
}

async function ingestAll(
  file: FileHandle,
  manifest: RescueManifest,
  members: ReadonlyMap<string, TarMember>,
  lines: readonly unknown[],
  { store, blobs }: EdgeStores,
): Promise<RescueImport> {
  const intake = new Intake(store, blobs);
  const listed = new Map(manifest.blobs.map((blob) => [blob.sha256 as string, blob]));
  const refused: { opId: string; why: string }[] = [];
  let receipted = 0;
  let photographs = 0;
  for (const line of lines) {
    const op = isObject(line) ? line['op'] : undefined;
    const body = isObject(op) && isObject(op['body']) ? op['body'] : {};
    const opId = isObject(op) && typeof op['opId'] === 'string' ? op['opId'] : '?';
    const person = (isObject(line) && typeof line['by'] === 'string' ? line['by'] : null) as PersonId | null;
    try {
      const blob = typeof body['sha256'] === 'string' ? listed.get(body['sha256']) : undefined;
      const member = blob === undefined ? undefined : members.get(rescueBlobName(blob.sha256));
      if (blob !== undefined && member !== undefined && (await blobs.size(blob.sha256)) === undefined) {
        const survey = isObject(body['survey']) ? body['survey'] : {};
        const { uploadId, offset } = await intake.announce({
          surveyId: String(survey['id'] ?? ''),
          imageId: String(body['id'] ?? ''),
          path: typeof body['path'] === 'string' && body['path'] !== '' ? body['path'] : 'photograph',
          bytes: blob.bytes,
          sha256: blob.sha256 as Sha256,
          type: blob.type,
        });
        for (let at = offset; at < blob.bytes; at += PIECE_BYTES)
          await blobs.write(
            uploadId,
            at,
            await readExactly(file, member.at + at, Math.min(PIECE_BYTES, blob.bytes - at)),
          );
        photographs += 1;
      }
      await intake.acceptOp(op, { person, roles: new Set<EdgeRole>(['anyone', 'device']) });
      receipted += 1;
    } catch (error) {
      const { code, message } = toReefError(error);
      refused.push({ opId, why: `${code}: ${message}` });
    }
  }
  return { receipted, photographs, refused };
}

/** Reads the index of the archive, up to where it was cut off. */
async function readIndex(
  file: FileHandle,
): Promise<{ manifest: RescueManifest; members: ReadonlyMap<string, TarMember> }> {
  const { size } = await file.stat();
  const members = new Map<string, TarMember>();
  for (let at = 0; at + TAR_BLOCK <= size;) {
    const header = parseTarHeader(await readExactly(file, at, TAR_BLOCK));
    if (header === null) break;
    // A truncated photograph is skipped; its record is then refused.
    if (at + TAR_BLOCK + header.size <= size) members.set(header.name, { at: at + TAR_BLOCK, size: header.size });
    at += TAR_BLOCK + header.size + tarPadding(header.size);
  }
  const list = members.get(RESCUE.manifest);
  if (list === undefined || list.size > RESCUE_MANIFEST_MAX)
    throw new ReefError('bad-message', { message: 'This file is not a rescue copy.' });
  return { manifest: parseRescueManifest((await readExactly(file, list.at, list.size)).toString('utf8')), members };
}

async function readLines(
  file: FileHandle,
  manifest: RescueManifest,
  members: ReadonlyMap<string, TarMember>,
): Promise<readonly unknown[]> {
  const records = members.get(RESCUE.ops);
  if (records === undefined || records.size !== manifest.ops.bytes)
    throw new ReefError('bad-message', { message: 'This rescue copy was cut off before its records end.' });
  const text = await readExactly(file, records.at, records.size);
  if (createHash('sha256').update(text).digest('hex') !== manifest.ops.sha256)
    throw new ReefError('hash-mismatch', { field: 'ops', message: 'The records of this rescue copy are damaged.' });
  return text
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}

async function readExactly(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  if (bytesRead !== length) throw new ReefError('bad-message', { message: 'The file ended before it should.' });
  return buffer;
}
