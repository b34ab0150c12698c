import { GroupCommit } from '../../base/group-commit';
import { canonicalJson } from '../../domain/canonical';
import { ReefError } from '../../domain/errors';
import type { OpId, Sha256 } from '../../domain/ids';
import { opIdOf } from '../../domain/ids';
import { checkJson } from '../../domain/json';
import type { JsonObject } from '../../domain/json';
import type { OpDraft } from '../../domain/op/draft';
import { greatestLc, nextLc, sealOp } from '../../domain/op/draft';
import type { Op } from '../../domain/op/op';
import { parseOp } from '../../domain/op/op';
import type { DeviceKeyPair } from '../../platform/host';
import { hashedText } from '../../protocol/hash';
import type { BlobRow, JournalRow, OpRow } from './database';
import { opRowOf } from './database';
import { deviceKeyIn, signInTransaction } from './device-key';
import { deleteHolds } from './holds';
import type { OpsStore } from './ops-store';
import { forEachSegmentOp, opsOfDocument } from './segments';

/** Bytes stored in the transaction of an image's first operation; their hash is already computed. */
export interface BlobAttachment {
  readonly blob: Omit<BlobRow, 'bytes'> & { readonly bytes: number };
  readonly preview?: { readonly picture: Blob; readonly thumbnail?: Blob };
}

/** Journal that is deleted in the transaction of the operation that contains its work. */
export interface ClosedJournal {
  readonly prefix: string;
  /** Id of its last row as the caller knows it; null: none. @throws ReefError `forbidden` if another tab added to it */
  readonly lastRowId: string | null;
  /** `<at> <tab>` of that row; undefined: unknown. */
  readonly lastRowTag?: string | undefined;
}

interface OpEntry {
  readonly draft: OpDraft;
  readonly attachment?: BlobAttachment;
  readonly journal?: ClosedJournal;
}

/**
 * Writes an operation of this device. ONE strict transaction holds bytes, preview, operation and counter; then all is
 * read back by primary key, hashed and compared. When this settles, "Saved" is true (protocol, "Append on the tablet").
 * Operations that arrive during a transaction share the next one.
 *
 * @param draft its `lc` is set here: the next after the greatest that this device has for the document
 * @throws ReefError `bad-message` for a draft that no node would accept; `storage-full`; `hash-mismatch` if the storage
 * returned something else. Nothing is ever half-stored.
 */
export async function append(
  store: OpsStore,
  draft: OpDraft,
  attachment?: BlobAttachment,
  journal?: ClosedJournal,
): Promise<Op> {
  const attempt = await prepareAttempt(store, {
    draft,
    ...(attachment === undefined ? {} : { attachment }),
    ...(journal === undefined ? {} : { journal }),
  });
  const op = await groupCommitOf(store).add(attempt);
  if (await readsBackIntact(store, op, attachment)) return op;
  await rollBack(store, [{ op, attachment, journal: attempt.closedRows }]);
  throw unverifiedWriteError();
}

/**
 * Writes several operations like {@link append}, in one transaction: all are saved, or none.
 *
 * @throws ReefError as `append`, for all of them
 */
export async function appendAll(store: OpsStore, entries: readonly OpEntry[]): Promise<readonly Op[]> {
  if (entries.length === 0) return [];
  const attempts = await Promise.all(entries.map((entry) => prepareAttempt(store, entry)));
  const ops = await store.run(() => commit(store, attempts));
  const written = ops.map((op, i) => ({
    op,
    attachment: attempts[i]?.entry.attachment,
    journal: attempts[i]?.closedRows ?? [],
  }));
  const whole = await Promise.all(written.map(({ op, attachment }) => readsBackIntact(store, op, attachment)));
  if (whole.every(Boolean)) return ops;
  await rollBack(store, written);
  throw unverifiedWriteError();
}

/** Operations per transaction: with their photographs, some tens of megabytes in flight to the disk. */
const GROUP_MAX = 8;
const groups = new WeakMap<OpsStore, GroupCommit<Attempt, Op>>();

function groupCommitOf(store: OpsStore): GroupCommit<Attempt, Op> {
  const known = groups.get(store);
  if (known !== undefined) return known;
  const made = new GroupCommit<Attempt, Op>({
    commit: (attempts) => store.run(() => commit(store, attempts)),
    max: GROUP_MAX,
  });
  groups.set(store, made);
  return made;
}

async function prepareAttempt(store: OpsStore, entry: OpEntry): Promise<Attempt> {
  const { draft, attachment } = entry;
  checkJson(draft.body, 'op.body');
  const sha256 = (await store.host.sha256(hashedText(draft.body))) as Sha256;
  parseOp(sealOp(draft, opIdOf('0'.repeat(16), 1), sha256));
  return {
    entry,
    sha256,
    numberedOp: undefined,
    closedRows: [],
    hadIntactBytes: attachment !== undefined && (await hasIntactBytes(store, attachment.blob)),
  };
}

interface Attempt {
  readonly entry: OpEntry;
  readonly sha256: Sha256;
  /** Operation as numbered by the last try: after a lost connection it may be stored, and must not be stored twice. */
  numberedOp: Op | undefined;
  /** Deleted journal rows; they are restored if the operation does not read back. */
  closedRows: readonly JournalRow[];
  /** True if the same bytes were already stored intact, for another record. */
  readonly hadIntactBytes: boolean;
}

async function hasIntactBytes(store: OpsStore, { sha256, bytes }: Pick<BlobRow, 'sha256' | 'bytes'>): Promise<boolean> {
  const held = await store.run(() => store.db.blobs.get(sha256));
  return held !== undefined && held.blob.size === bytes && (await store.host.sha256(held.blob)) === sha256;
}

/**
 * Restores missing or damaged bytes of a known photograph and offers it again, after a person was asked to find the
 * original.
 *
 * @throws ReefError `storage-full`; `hash-mismatch` if the storage still does not return them
 */
export async function restoreBlob(store: OpsStore, { blob, preview }: BlobAttachment): Promise<void> {
  if (await hasIntactBytes(store, blob)) return;
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.blobs, db.previews, db.ops, db.segments, db.holds, db.meta], async () => {
      await db.blobs.put(blob);
      if (preview !== undefined) await db.previews.put({ sha256: blob.sha256, ...preview });
      await deleteHolds(store, new Set(await opsReferencing(store, blob.sha256)));
      await store.allocateArrivals(1);
      await store.bumpGeneration();
    }),
  );
  if (!(await hasIntactBytes(store, blob))) throw unverifiedWriteError();
}

/**
 * Runs the transaction; returns the operations in order. Awaits only the database: anything else would let the
 * transaction commit early.
 */
async function commit(store: OpsStore, attempts: readonly Attempt[]): Promise<Op[]> {
  const { db } = store;
  const journals = attempts.some(({ entry }) => entry.journal !== undefined) ? [db.journals] : [];
  return db.transaction(
    'rw',
    [db.ops, db.segments, db.blobs, db.previews, db.meta, db.dirty, ...journals],
    async () => {
      const [deviceId, counter] = (await db.meta.bulkGet(['deviceId', 'counter'])).map((row) => row?.value);
      if (typeof deviceId !== 'string' || typeof counter !== 'number')
        throw new ReefError('internal', { message: 'This tablet’s storage was cleared. Reload the page.' });
      let n = counter;
      const key = await deviceKeyIn(store);
      const ops: Op[] = [];
      for (const attempt of attempts) {
        const existing = await findWritten(store, attempt);
        ops.push(existing ?? (await writeOp(store, attempt, opIdOf(deviceId, ++n), key)));
      }
      if (n > counter) await db.meta.put({ key: 'counter', value: n });
      return ops;
    },
  );
}

/** Returns the operation if an earlier try stored it but its result was lost. */
async function findWritten(
  { db }: OpsStore,
  { numberedOp, sha256, entry: { draft } }: Attempt,
): Promise<Op | undefined> {
  if (numberedOp === undefined) return undefined;
  const held = await db.ops.get(numberedOp.opId);
  return held?.op.sha256 === sha256 && held.docId === draft.docId ? numberedOp : undefined;
}

async function writeOp(store: OpsStore, attempt: Attempt, opId: OpId, key: DeviceKeyPair | undefined): Promise<Op> {
  const { db } = store;
  const {
    entry: { draft, attachment, journal },
    sha256,
    hadIntactBytes,
  } = attempt;
  if (journal !== undefined) attempt.closedRows = await closeJournal(store, journal);
  const arrival = await store.allocateArrivals(1);
  const siblings = await opsOfDocument(store, draft.kind, draft.docId);
  const lc = nextLc(greatestLc(siblings.map((sibling) => sibling.op)));
  const op = await signInTransaction(store, key, sealOp({ ...draft, lc }, opId, sha256));
  attempt.numberedOp = op;
  if (attachment !== undefined) {
    // Bytes stored intact are never overwritten: the new write is not verified yet.
    const storedCount = await db.blobs.where('sha256').equals(attachment.blob.sha256).count();
    if (storedCount === 0 || !hadIntactBytes) await db.blobs.put(attachment.blob);
    if (attachment.preview !== undefined)
      await db.previews.put({ sha256: attachment.blob.sha256, ...attachment.preview });
  }
  await db.ops.add(opRowOf(op, { arrival, own: true, by: op.by ?? null }));
  await db.dirty.put({ kind: op.kind, docId: op.docId, arrival });
  return op;
}

async function closeJournal(
  { db }: OpsStore,
  { prefix, lastRowId, lastRowTag }: ClosedJournal,
): Promise<readonly JournalRow[]> {
  const rows = await db.journals.where('id').startsWith(prefix).toArray();
  const lastRow = rows.at(-1);
  if (
    (lastRow?.id ?? null) !== lastRowId ||
    (lastRowTag !== undefined && lastRow !== undefined && `${lastRow.at} ${lastRow.tab}` !== lastRowTag)
  )
    throw otherTabError();
  await db.journals.bulkDelete(rows.map(({ id }) => id));
  return rows;
}

/** Error for a tab whose edits do not follow the stored ones. */
export function otherTabError(): ReefError {
  return new ReefError('forbidden', {
    field: 'journal',
    message:
      'Work on this photograph continued in another tab and is saved there. Reload this page to continue from it.',
  });
}

/** True if the operation and its bytes read back as written. */
async function readsBackIntact(store: OpsStore, op: Op, attachment: BlobAttachment | undefined): Promise<boolean> {
  const { db, host } = store;
  const row = await store.run(() => db.ops.get(op.opId));
  if (
    row === undefined ||
    canonicalJson(row.op as unknown as JsonObject) !== canonicalJson(op as unknown as JsonObject)
  )
    return false;
  if ((await host.sha256(hashedText(row.op.body))) !== op.sha256) return false;
  return attachment === undefined || hasIntactBytes(store, attachment.blob);
}

function unverifiedWriteError(): ReefError {
  return new ReefError('hash-mismatch', {
    field: 'storage',
    message:
      'This tablet’s storage did not return what was written, so it was not saved. Keep the original and try again.',
  });
}

/**
 * Removes operations whose storage could not be verified, with bytes that nothing else references. Their numbers stay
 * used.
 */
async function rollBack(
  store: OpsStore,
  written: readonly {
    readonly op: Op;
    readonly attachment: BlobAttachment | undefined;
    readonly journal: readonly JournalRow[];
  }[],
): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.ops, db.segments, db.blobs, db.previews, db.meta, db.dirty, db.journals], async () => {
      await db.journals.bulkPut(written.flatMap(({ journal }) => [...journal]));
      await db.ops.bulkDelete(written.map(({ op }) => op.opId));
      for (const { op, attachment } of written) {
        await db.dirty.put({ kind: op.kind, docId: op.docId, arrival: await store.allocateArrivals(1) });
        if (attachment === undefined || (await isReferenced(store, attachment.blob.sha256))) continue;
        await db.blobs.delete(attachment.blob.sha256);
        await db.previews.delete(attachment.blob.sha256);
      }
      await store.bumpGeneration();
    }),
  );
}

async function isReferenced(store: OpsStore, sha256: Sha256): Promise<boolean> {
  return (await opsReferencing(store, sha256)).length > 0;
}

/** Image operations that reference these bytes. Scans every operation: only used when the storage misbehaves. */
async function opsReferencing(store: OpsStore, sha256: Sha256): Promise<readonly OpId[]> {
  const names = ({ kind, op }: OpRow): boolean => kind === 'image' && op.body['sha256'] === sha256;
  const naming: OpId[] = await store.db.ops.filter(names).primaryKeys();
  await forEachSegmentOp(store, (row) => {
    if (names(row)) naming.push(row.opId);
  });
  return naming;
}
