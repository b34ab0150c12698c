import { canonicalJson } from '../../domain/canonical';
import { ReefError } from '../../domain/errors';
import type { OpId, Sha256 } from '../../domain/ids';
import { opIdOf } from '../../domain/ids';
import { checkJson } from '../../domain/json';
import type { JsonObject } from '../../domain/json';
import type { OpDraft } from '../../domain/op/draft';
import { greatestLc, sealOp } from '../../domain/op/draft';
import type { Op } from '../../domain/op/op';
import { parseOp } from '../../domain/op/op';
import { hashedText } from '../../protocol/hash';
import type { BlobRow } from './database';
import type { OpsStore } from './ops-store';

/** The bytes that go into the transaction of an image's first operation; the hash was computed before. */
export interface Enclosure {
  readonly blob: Omit<BlobRow, 'bytes'> & { readonly bytes: number };
  readonly preview?: { readonly picture: Blob; readonly thumbnail?: Blob };
}

/**
 * Writes an operation of this device: ONE strict transaction holds bytes, preview, operation and counter; then all of it
 * is read back by primary key, hashed again and compared. When this settles, "Saved" is true (protocol, "Append on the tablet").
 *
 * Nothing but the database is awaited inside the transaction: it would commit behind our back.
 *
 * @param draft its `lc` is set here: 1 + the greatest that this device has for the document
 * @throws ReefError `bad-message` for a draft that no node would take; `storage-full`; `hash-mismatch` where the storage
 *   gave back something else. Nothing is half-stored in any case.
 */
export async function append(store: OpsStore, draft: OpDraft, enclosure?: Enclosure): Promise<Op> {
  checkJson(draft.body, 'op.body');
  const sha256 = (await store.host.sha256(hashedText(draft.body))) as Sha256;
  const probe: Op = sealOp(draft, opIdOf('0'.repeat(16), 1), sha256);
  parseOp(probe);
  const attempt: Attempt = { numbered: undefined, wholeBefore: enclosure !== undefined && (await hasWholeBytes(store, enclosure.blob)) };
  const op = await store.run(() => commit(store, draft, sha256, enclosure, attempt));
  await readBack(store, op, enclosure);
  return op;
}

/** The operation as the last try numbered it: after a lost connection it may be in, and must not go in twice. */
interface Attempt {
  numbered: Op | undefined;
  /** The same bytes lay here whole already, for another record. */
  readonly wholeBefore: boolean;
}

/** Whether these bytes lie here and hash to their name. */
async function hasWholeBytes(store: OpsStore, { sha256, bytes }: Pick<BlobRow, 'sha256' | 'bytes'>): Promise<boolean> {
  const held = await store.run(() => store.db.blobs.get(sha256));
  return held !== undefined && held.blob.size === bytes && (await store.host.sha256(held.blob)) === sha256;
}

/**
 * Puts the bytes of a photograph that is known here back where they are gone or damaged, and lets it be offered again:
 * what a person does when they were told to look for the original.
 *
 * @throws ReefError `storage-full`; `hash-mismatch` where the storage still does not give them back
 */
export async function restoreBytes(store: OpsStore, { blob, preview }: Enclosure): Promise<void> {
  if (await hasWholeBytes(store, blob)) return;
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.blobs, db.previews, db.ops, db.holds, db.meta], async () => {
      await db.blobs.put(blob);
      if (preview !== undefined) await db.previews.put({ sha256: blob.sha256, ...preview });
      const naming = new Set(await db.ops.filter(({ kind, op }) => kind === 'image' && op.body['sha256'] === blob.sha256).primaryKeys());
      const held = (await db.holds.toArray()).filter(({ opId }) => naming.has(opId));
      await db.holds.bulkDelete(held.map(({ opId, nodeId }): [string, string] => [opId, nodeId]));
      await store.takeArrivals(1);
      await store.bumpGeneration();
    }),
  );
  if (!(await hasWholeBytes(store, blob))) throw unproven();
}

async function commit(store: OpsStore, draft: OpDraft, sha256: Sha256, enclosure: Enclosure | undefined, attempt: Attempt): Promise<Op> {
  const { db } = store;
  const { numbered: earlier, wholeBefore } = attempt;
  return db.transaction('rw', [db.ops, db.blobs, db.previews, db.meta, db.dirty], async () => {
    if (earlier !== undefined) {
      const held = await db.ops.get(earlier.opId);
      if (held?.op.sha256 === sha256 && held.docId === draft.docId) return earlier;
    }
    const [deviceId, counter] = (await db.meta.bulkGet(['deviceId', 'counter'])).map((row) => row?.value);
    if (typeof deviceId !== 'string' || typeof counter !== 'number') throw new ReefError('internal', { message: 'The storage of this tablet was emptied. Load the page again.' });
    const n = counter + 1;
    const arrival = await store.takeArrivals(1);
    const siblings = await db.ops.where({ kind: draft.kind, docId: draft.docId }).toArray();
    const lc = 1 + greatestLc(siblings.map(({ op }) => op));
    const op = sealOp({ ...draft, lc }, opIdOf(deviceId, n), sha256);
    attempt.numbered = op;
    if (enclosure !== undefined) {
      // Bytes that lie here whole are never written over: what is written now is not proven yet.
      const there = await db.blobs.where('sha256').equals(enclosure.blob.sha256).count();
      if (there === 0 || !wholeBefore) await db.blobs.put(enclosure.blob);
      if (enclosure.preview !== undefined) await db.previews.put({ sha256: enclosure.blob.sha256, ...enclosure.preview });
    }
    await db.ops.add({ opId: op.opId, kind: op.kind, docId: op.docId, n, arrival, own: true, by: op.by ?? null, op });
    await db.meta.put({ key: 'counter', value: n });
    await db.dirty.put({ kind: op.kind, docId: op.docId, arrival });
    return op;
  });
}

async function readBack(store: OpsStore, op: Op, enclosure: Enclosure | undefined): Promise<void> {
  const { db, host } = store;
  const row = await store.run(() => db.ops.get(op.opId));
  let whole = row !== undefined && canonicalJson(row.op as unknown as JsonObject) === canonicalJson(op as unknown as JsonObject);
  if (whole) whole = (await host.sha256(hashedText((row as { op: Op }).op.body))) === op.sha256;
  if (whole && enclosure !== undefined) {
    whole = await hasWholeBytes(store, enclosure.blob);
  }
  if (whole) return;
  await takeBack(store, op, enclosure);
  throw unproven();
}

function unproven(): ReefError {
  return new ReefError('hash-mismatch', {
    field: 'storage',
    message: 'The storage of this tablet did not give back what was written. It was not saved: keep the original, and try again.',
  });
}

/** Removes an operation that could not be proven to be stored, with bytes that nothing else needs. Its number stays used. */
async function takeBack(store: OpsStore, op: Op, enclosure: Enclosure | undefined): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', [db.ops, db.blobs, db.previews, db.meta, db.dirty], async () => {
      await db.ops.delete(op.opId);
      await db.dirty.put({ kind: op.kind, docId: op.docId, arrival: await store.takeArrivals(1) });
      if (enclosure !== undefined && !(await namesHash(store, enclosure.blob.sha256, op.opId))) {
        await db.blobs.delete(enclosure.blob.sha256);
        await db.previews.delete(enclosure.blob.sha256);
      }
      await store.bumpGeneration();
    }),
  );
}

async function namesHash(store: OpsStore, sha256: Sha256, except: OpId): Promise<boolean> {
  const naming = await store.db.ops.filter(({ opId, kind, op }) => kind === 'image' && opId !== except && op.body['sha256'] === sha256).count();
  return naming > 0;
}
