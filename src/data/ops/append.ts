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
  readonly preview?: Blob;
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
  const attempt: Attempt = { numbered: undefined };
  const op = await store.run(() => commit(store, draft, sha256, enclosure, attempt));
  await readBack(store, op, enclosure);
  return op;
}

/** The operation as the last try numbered it: after a lost connection it may be in, and must not go in twice. */
interface Attempt {
  numbered: Op | undefined;
}

async function commit(store: OpsStore, draft: OpDraft, sha256: Sha256, enclosure: Enclosure | undefined, attempt: Attempt): Promise<Op> {
  const { db } = store;
  const earlier = attempt.numbered;
  return db.transaction('rw', [db.ops, db.blobs, db.previews, db.meta, db.dirty], async () => {
    if (earlier !== undefined) {
      const held = await db.ops.get(earlier.opId);
      if (held?.op.sha256 === sha256 && held.docId === draft.docId) return earlier;
    }
    const deviceId = (await db.meta.get('deviceId'))?.value as string;
    const n = ((await db.meta.get('counter'))?.value as number) + 1;
    const arrival = await store.takeArrivals(1);
    const siblings = await db.ops.where({ kind: draft.kind, docId: draft.docId }).toArray();
    const lc = 1 + greatestLc(siblings.map(({ op }) => op));
    const op = sealOp({ ...draft, lc }, opIdOf(deviceId, n), sha256);
    attempt.numbered = op;
    if (enclosure !== undefined) {
      await db.blobs.put(enclosure.blob);
      if (enclosure.preview !== undefined) await db.previews.put({ sha256: enclosure.blob.sha256, picture: enclosure.preview });
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
    const held = await store.run(() => db.blobs.get(enclosure.blob.sha256));
    whole = held !== undefined && held.blob.size === enclosure.blob.bytes && (await host.sha256(held.blob)) === enclosure.blob.sha256;
  }
  if (whole) return;
  await takeBack(store, op, enclosure);
  throw new ReefError('hash-mismatch', {
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
