import { ReefError } from '../../domain/errors';
import type { OpId, Sha256 } from '../../domain/ids';
import { splitOpId } from '../../domain/ids';
import { isObject } from '../../domain/json';
import type { Op } from '../../domain/op/op';
import { blobOf } from '../../protocol/receipt';
import type { PhotographReader } from '../../workers/photograph/photograph.api';
import type { BlobRow, JournalRow } from '../ops/database';
import type { OpIndex } from '../ops/op-index';
import type { OpsStore } from '../ops/ops-store';
import { reissueUnsent } from '../ops/reissue-unsent';
import { journalPrefix, parseBegin, parseRowId } from '../ops/journals/journal-rows';
import type { OpRef } from '../ops/segments';
import { findOp, findOps } from '../ops/segments';
import { opRowOf } from '../ops/database';
import { deleteHolds } from '../ops/holds';
import { isSameOp } from '../ops/ingest';
import type { OpenedRescueCopy } from './open-rescue-copy';

export interface ImportedRescue {
  /** Number of new photographs, and of other new records. */
  readonly photographs: number;
  readonly records: number;
  readonly known: number;
  /** Photographs with damaged or truncated bytes: not imported. */
  readonly damaged: number;
  /** Records stored here with different content: not imported. */
  readonly clashing: number;
}

interface RescueContext {
  readonly store: OpsStore;
  readonly opIndex: OpIndex;
  readonly photographs: PhotographReader;
}

interface ImportOptions {
  /** True for an operation that a box has receipted: its bytes are not needed here. */
  readonly isReceipted: (opId: OpId) => boolean;
  /** True for an operation that was offered: a store may have it, or get it yet, under its id. */
  readonly isOffered: (opId: OpId) => boolean;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/**
 * Imports the operations of a rescue copy unchanged, each photograph's bytes in the transaction of its record, hashed
 * before and read back after. Known operations stay as they are; a second import changes nothing. This tablet's sender
 * sends all of it from then on.
 *
 * @throws ReefError `storage-full`; earlier imports remain. The signal's reason, likewise.
 */
export async function importRescueCopy(
  { store, opIndex, photographs }: RescueContext,
  opened: OpenedRescueCopy,
  { signal, onBytes, isReceipted, isOffered }: ImportOptions,
): Promise<ImportedRescue> {
  await avoidOwnIdClashes(
    store,
    opened.ops.map(({ op }) => op),
    isOffered,
  );
  await opIndex.follow();
  const result = { photographs: 0, records: 0, known: 0, damaged: 0, clashing: 0 };
  const damaged = new Set<string>(opened.truncated);
  let bytes = 0;
  for (const { op, by } of opened.ops) {
    signal.throwIfAborted();
    const ref = (): OpRef => opRefOf(opIndex, op);
    const known = await store.run(() => findOp(store, ref()));
    const blob = blobOf(op);
    const place = blob === undefined ? undefined : opened.blobs.get(blob.sha256);
    if (known !== undefined && !isSameOp(known.op, op)) {
      result.clashing += 1;
      continue;
    }
    if (known !== undefined && isReceipted(op.opId)) {
      result.known += 1;
      continue;
    }
    const isLocal = blob !== undefined && (await hasIntactBytes(store, blob));
    let attachment: BlobAttachment | undefined;
    if (blob !== undefined && place !== undefined && !isLocal && !damaged.has(blob.sha256)) {
      attachment = await readAttachment(store, photographs, opened, op, place);
      if (attachment === undefined) damaged.add(blob.sha256);
      onBytes((bytes += place.bytes));
    }
    if (blob !== undefined && !isLocal && damaged.has(blob.sha256)) {
      result.damaged += 1;
      continue;
    }
    if (known !== undefined && attachment === undefined) {
      result.known += 1;
      continue;
    }
    await storeOp(store, { op, by, ref }, attachment, known !== undefined);
    if (attachment !== undefined && !(await hasIntactBytes(store, attachment.blob)))
      throw new ReefError('hash-mismatch', {
        field: 'storage',
        message: 'This tablet’s storage did not return what was written. Keep the rescue copy and use another tablet.',
      });
    if (known !== undefined) result.known += 1;
    else if (op.kind === 'image' && op.over === undefined) result.photographs += 1;
    else result.records += 1;
  }
  await importJournals(store, opIndex, opened);
  return result;
}

/**
 * Imports unsaved work of all kinds, each journal as a whole, and only if it does not exist here: two orders are never
 * mixed.
 */
async function importJournals(store: OpsStore, opIndex: OpIndex, { journals }: OpenedRescueCopy): Promise<void> {
  if (journals === null)
    store.host.log.note('warn', 'The unsaved work in a rescue copy is damaged or incomplete; skipping it.');
  const taken = new Map<string, JournalRow[]>();
  for (const value of journals ?? []) {
    const row = parseJournalRow(value);
    const name = row === undefined ? undefined : parseRowId(row.id);
    if (row === undefined || name === undefined) continue;
    const prefix = journalPrefix(name);
    taken.set(prefix, [...(taken.get(prefix) ?? []), row]);
  }
  const { db } = store;
  await opIndex.follow();
  for (const [prefix, rows] of taken) {
    // Imported before, and saved since.
    const [begin] = rows.flatMap(({ entries }) =>
      entries.flatMap((entry) => (isObject(entry) ? (parseBegin(entry) ?? []) : [])),
    );
    if (begin !== undefined && begin.base === null && opIndex.entriesOf('analysis', begin.analysisId).length > 0)
      continue;
    await store.run(() =>
      db.transaction('rw', db.journals, async () => {
        if ((await db.journals.where('id').startsWith(prefix).count()) === 0) await db.journals.bulkPut(rows);
      }),
    );
  }
}

function parseJournalRow(value: unknown): JournalRow | undefined {
  if (!isObject(value)) return undefined;
  const { id, at, entries, tab } = value;
  return typeof id === 'string' && typeof at === 'string' && Array.isArray(entries) && typeof tab === 'string'
    ? { id, at, entries, tab }
    : undefined;
}

/** Counts what this tablet already has of a rescue copy: records by id, photographs by bytes. */
export async function countKnown(
  { store, opIndex }: Pick<RescueContext, 'store' | 'opIndex'>,
  { ops, blobs }: OpenedRescueCopy,
): Promise<{ readonly records: number; readonly photographs: number }> {
  await opIndex.follow();
  const known = await store.run(() =>
    findOps(
      store,
      ops.map(({ op }) => opRefOf(opIndex, op)),
    ),
  );
  const here = await store.run(() =>
    store.db.blobs
      .where('sha256')
      .anyOf([...blobs.keys()])
      .count(),
  );
  return { records: known.size, photographs: here };
}

/**
 * Reference to the stored operation with this id: it may be a different one, even of another document, if a tablet was
 * restored or cloned.
 */
function opRefOf(opIndex: OpIndex, op: Op): OpRef {
  return opIndex.entries.get(op.opId) ?? op;
}

interface BlobAttachment {
  readonly blob: BlobRow;
  readonly preview: Blob | undefined;
}

/**
 * Takes a new device id if the file has unknown operations under this tablet's id: they were written before its storage
 * was restored, and no number may be used twice.
 */
async function avoidOwnIdClashes(
  store: OpsStore,
  ops: readonly Op[],
  isOffered: (opId: OpId) => boolean,
): Promise<void> {
  const deviceId = await store.getMeta('deviceId');
  if (deviceId === undefined) return;
  const own = ops.filter(({ opId }) => splitOpId(opId).deviceId === deviceId);
  const rows = await store.run(() => findOps(store, own));
  const shared = own.filter((op) => {
    const row = rows.get(op.opId);
    return row !== undefined && isSameOp(row.op, op);
  });
  if (shared.length === own.length) return;
  const sharedIds = new Set(shared.map(({ opId }) => opId));
  const idsInFile = new Set(own.map(({ opId }) => opId));
  // Shared operations are submitted by the copy under their ids: reissued, they would be written twice and contradict
  // later ones.
  const isKept = ({ opId }: Op): boolean => (idsInFile.has(opId) ? sharedIds.has(opId) : isOffered(opId));
  const count = await reissueUnsent(store, deviceId, isKept);
  store.host.log.note(
    'warn',
    'A rescue copy holds unknown work under this tablet’s id; taking a new id and reissuing unsent work.',
    { count },
  );
}

async function readAttachment(
  store: OpsStore,
  photographs: PhotographReader,
  { file }: OpenedRescueCopy,
  op: Op,
  { at, bytes }: { readonly at: number; readonly bytes: number },
): Promise<BlobAttachment | undefined> {
  const blob = blobOf(op);
  if (blob === undefined || blob.bytes !== bytes) return undefined;
  const type = typeof op.body['type'] === 'string' ? op.body['type'] : 'application/octet-stream';
  // Copied into memory: the file may be on a stick that is removed right after.
  const content = await file.slice(at, at + bytes).arrayBuffer();
  const copy = new Blob([content], { type });
  if ((await store.host.sha256(copy)) !== blob.sha256) return undefined;
  const preview = await previewOf(store, photographs, copy, op);
  return { blob: { sha256: blob.sha256, bytes, type, blob: copy }, preview };
}

/** A photograph without a preview is as valid as one with it. */
async function previewOf(
  store: OpsStore,
  photographs: PhotographReader,
  copy: Blob,
  op: Op,
): Promise<Blob | undefined> {
  try {
    const facts = await photographs.read(new File([copy], op.docId, { type: copy.type }));
    return facts.preview.state === 'made' ? facts.preview.picture : undefined;
  } catch (error) {
    store.host.log.note('info', 'A preview could not be made for a photograph in a rescue copy.', {
      error: String(error),
    });
    return undefined;
  }
}

async function hasIntactBytes(
  store: OpsStore,
  { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
): Promise<boolean> {
  const row = await store.run(() => store.db.blobs.get(sha256 as Sha256));
  return row !== undefined && row.blob.size === bytes && (await store.host.sha256(row.blob)) === sha256;
}

async function storeOp(
  store: OpsStore,
  { op, by, ref }: { readonly op: Op; readonly by: string | null; readonly ref: () => OpRef },
  attachment: BlobAttachment | undefined,
  isKnown: boolean,
): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.ops, db.segments, db.blobs, db.previews, db.holds, db.meta, db.dirty], async () => {
      if (attachment !== undefined) {
        await db.blobs.put(attachment.blob);
        if (attachment.preview !== undefined)
          await db.previews.put({ sha256: attachment.blob.sha256, picture: attachment.preview });
      }
      const arrival = await store.allocateArrivals(1);
      if (isKnown) {
        // Its bytes are back: holds for missing bytes may be released.
        await deleteHolds(store, new Set([op.opId]));
        await store.bumpGeneration();
        return;
      }
      // Another tab may have imported the same file.
      if ((await findOp(store, ref())) !== undefined) return;
      await db.ops.add(opRowOf(op, { arrival, own: false, by }));
      await db.dirty.put({ kind: op.kind, docId: op.docId, arrival });
    }),
  );
}
