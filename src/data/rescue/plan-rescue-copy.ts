import { fold } from '../../domain/fold/fold';
import { ReefError } from '../../domain/errors';
import type { Sha256 } from '../../domain/ids';
import { isObject } from '../../domain/json';
import type { OpKind } from '../../domain/op/op';
import { docKeyOf, OP_KINDS } from '../../domain/op/op';
import type { RescueManifest } from '../../protocol/rescue';
import { RESCUE, rescueBlobName } from '../../protocol/rescue';
import { TAR_BLOCK, tarBytes, tarHeader, tarPadding } from '../../protocol/tar';
import { blobOf } from '../../protocol/receipt';
import type { OpRow } from '../ops/database';
import type { OpIndex, OpIndexEntry } from '../ops/op-index';
import type { OpsStore } from '../ops/ops-store';
import { effectiveOps } from '../ops/effective-ops';
import { proofsOf, validReceipts } from '../sync/custody/custody';

const READ_BATCH = 400;

/** Rescue copy ready to be written: everything but the photographs' bytes is known. */
interface RescueCopyPlan {
  readonly manifest: RescueManifest;
  readonly ops: Uint8Array<ArrayBuffer>;
  readonly journals: Uint8Array<ArrayBuffer>;
  readonly bytes: number;
  readonly photographs: number;
}

/** Everything that no box or cloud has receipted, held operations and bytes that the box lost included. */
export function unsentOps(opIndex: OpIndex): readonly OpIndexEntry[] {
  return [...opIndex.entries.values()].filter(({ opId, blob }) =>
    blob !== undefined && opIndex.hasBytes(blob.sha256)
      ? proofsOf(opIndex, opId).length === 0
      : !validReceipts(opIndex, opId).some(({ accepted }) => accepted),
  );
}

/**
 * Collects a rescue copy: operations without an accepted receipt, each with all operations of its document (an edit
 * needs those that it replaces), their surveys and people, photographs whose bytes have no receipt, and unsaved
 * work on photographs.
 *
 * @throws ReefError `not-found` if nothing is unsent
 */
export async function planRescueCopy(
  store: OpsStore,
  opIndex: OpIndex,
  device: { readonly id: string; readonly name: string },
): Promise<RescueCopyPlan> {
  const owed = unsentOps(opIndex);
  const journals = await unsavedWork(store);
  if (owed.length === 0 && journals.count === 0)
    throw new ReefError('not-found', {
      message: 'Everything on this tablet has been sent. There is nothing to rescue.',
    });
  const documents = new Map<string, readonly [OpKind, string]>();
  const include = (kind: OpKind, docId: string): void => void documents.set(docKeyOf(kind, docId), [kind, docId]);
  const blobs = new Map<string, { sha256: string; bytes: number }>();
  for (const { kind, docId, surveyId, blob } of owed) {
    include(kind, docId);
    if (surveyId !== undefined) include('survey', surveyId);
    if (
      blob !== undefined &&
      opIndex.hasBytes(blob.sha256) &&
      !opIndex
        .entriesOf('image', docId)
        .some((entry) => entry.blob?.sha256 === blob.sha256 && proofsOf(opIndex, entry.opId).length > 0)
    )
      blobs.set(blob.sha256, blob);
  }
  const rows = await rowsOf(store, [...documents.values()]);
  const people = new Set(
    rows.flatMap(({ by, op }) =>
      [by, isObject(op.body['user']) ? op.body['user']['uid'] : null].filter(
        (uid): uid is string => typeof uid === 'string',
      ),
    ),
  );
  rows.push(
    ...(await rowsOf(
      store,
      [...people].filter((uid) => !documents.has(`profile/${uid}`)).map((uid) => ['profile', uid] as const),
    )),
  );
  rows.sort((a, b) => OP_KINDS.indexOf(a.kind) - OP_KINDS.indexOf(b.kind) || a.arrival - b.arrival);

  const lines = rows.map(({ op, by }) => JSON.stringify(op.by === undefined && by !== null ? { op, by } : { op }));
  const ops = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
  const types = new Map<string, string>(
    rows.flatMap(({ op }) =>
      typeof op.body['type'] === 'string' ? [[blobOf(op)?.sha256 ?? '', op.body['type']] as const] : [],
    ),
  );
  const manifest: RescueManifest = {
    format: RESCUE.format,
    version: RESCUE.version,
    madeAt: store.isoNow(),
    device,
    ops: { count: rows.length, bytes: ops.byteLength, sha256: await store.host.sha256(ops) },
    blobs: [...blobs.values()].map(({ sha256, bytes }) => ({
      sha256,
      bytes,
      type: types.get(sha256) ?? 'application/octet-stream',
    })),
    ...(journals.count === 0
      ? {}
      : {
          journals: {
            count: journals.count,
            bytes: journals.text.byteLength,
            sha256: await store.host.sha256(journals.text),
          },
        }),
    surveys: surveysOf(rows, blobs),
  };
  return { manifest, ops, journals: journals.text, bytes: tarBytes(membersOf(manifest)), photographs: blobs.size };
}

async function unsavedWork(
  store: OpsStore,
): Promise<{ readonly count: number; readonly text: Uint8Array<ArrayBuffer> }> {
  const rows = await store.run(() => store.db.journals.toArray());
  const plain = (_name: string, value: unknown): unknown => (value instanceof Int32Array ? Array.from(value) : value);
  return {
    count: rows.length,
    text: new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row, plain)}\n`).join('')),
  };
}

/** Streams the archive part by part, in order. Photographs are the stored blobs: no byte is copied here. */
export async function* rescueCopyParts(
  store: OpsStore,
  { manifest, ops, journals }: RescueCopyPlan,
): AsyncGenerator<Uint8Array<ArrayBuffer> | Blob> {
  const mtime = Date.parse(manifest.madeAt) / 1000;
  const contents = manifestBytes(manifest);
  yield* member(RESCUE.manifest, contents, contents.byteLength, mtime);
  yield* member(RESCUE.ops, ops, ops.byteLength, mtime);
  for (const { sha256, bytes } of manifest.blobs) {
    const row = await store.run(() => store.db.blobs.get(sha256 as Sha256));
    if (row === undefined || row.blob.size !== bytes)
      throw new ReefError('hash-mismatch', {
        field: 'storage',
        sha256,
        message:
          'A photograph is damaged on this tablet. Find the original on its card and add it again, then make the copy.',
      });
    yield* member(rescueBlobName(sha256), row.blob, bytes, mtime);
  }
  if (manifest.journals !== undefined) yield* member(RESCUE.journals, journals, journals.byteLength, mtime);
  yield new Uint8Array(2 * TAR_BLOCK);
}

function* member(
  name: string,
  content: Uint8Array<ArrayBuffer> | Blob,
  size: number,
  mtime: number,
): Generator<Uint8Array<ArrayBuffer> | Blob> {
  yield tarHeader({ name, size }, mtime);
  yield content;
  if (tarPadding(size) > 0) yield new Uint8Array(tarPadding(size));
}

function manifestBytes(manifest: RescueManifest): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(manifest, null, 1));
}

function membersOf(manifest: RescueManifest): { name: string; size: number }[] {
  return [
    { name: RESCUE.manifest, size: manifestBytes(manifest).byteLength },
    { name: RESCUE.ops, size: manifest.ops.bytes },
    ...manifest.blobs.map(({ sha256, bytes }) => ({ name: rescueBlobName(sha256), size: bytes })),
    ...(manifest.journals === undefined ? [] : [{ name: RESCUE.journals, size: manifest.journals.bytes }]),
  ];
}

async function rowsOf(store: OpsStore, documents: readonly (readonly [OpKind, string])[]): Promise<OpRow[]> {
  const rows: OpRow[] = [];
  for (let i = 0; i < documents.length; i += READ_BATCH)
    rows.push(...(await effectiveOps(store, documents.slice(i, i + READ_BATCH))));
  return rows;
}

function surveysOf(rows: readonly OpRow[], blobs: ReadonlyMap<string, unknown>): RescueManifest['surveys'] {
  const photographs = new Map<string, Set<string>>();
  for (const { kind, docId, op } of rows) {
    const survey = op.body['survey'];
    if (
      kind !== 'image' ||
      !isObject(survey) ||
      typeof survey['id'] !== 'string' ||
      !blobs.has(blobOf(op)?.sha256 ?? '')
    )
      continue;
    photographs.set(survey['id'], (photographs.get(survey['id']) ?? new Set()).add(docId));
  }
  const surveys = new Map<string, OpRow[]>();
  for (const row of rows) if (row.kind === 'survey') surveys.set(row.docId, [...(surveys.get(row.docId) ?? []), row]);
  return [...surveys].map(([id, some]) => {
    const { doc } = fold(some.map(({ op }) => op));
    const loc = isObject(doc['loc']) ? doc['loc'] : {};
    const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 400) : '');
    return {
      id,
      name: text(doc['name']) || text(loc['name']),
      date: text(doc['date']),
      photographs: photographs.get(id)?.size ?? 0,
    };
  });
}
