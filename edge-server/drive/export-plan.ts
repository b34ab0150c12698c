import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { StoreIdentity } from '../../src/server/ops/append-store';
import type { BlobRef } from '../../src/protocol/receipt';
import type { BundleManifest } from '../../src/protocol/bundle';
import { BUNDLE, tarMemberBytes } from '../../src/protocol/bundle';
import type { BoxPeople } from '../../src/protocol/person-statement';
import { lastSeq } from '../store/identity';

/** Operations per read; in between, the box does other work. */
const PAGE_OPS = 200;

export interface ExportSource {
  readonly database: Database;
  readonly identity: StoreIdentity;
  readonly name: string;
  readonly version: string;
  /** Statements about the box's people. */
  readonly people: BoxPeople;
  /** Length of a photograph's bytes on the box; undefined if they are missing. */
  readonly blobBytes: (sha256: string) => Promise<number | undefined>;
}

interface ExportOptions {
  /** Only feed entries after this one. */
  readonly since: number;
  /** Includes what the cloud has receipted. */
  readonly all: boolean;
  /** Maximum size of a bundle, though at least one operation; bytes. */
  readonly maxBytes: number;
  readonly now: number;
}

/** Contents of a bundle in order: chosen once, so that receipts arriving during the export change nothing. */
export interface ExportPlan {
  readonly manifest: BundleManifest;
  readonly seqs: readonly number[];
  readonly blobs: readonly BlobRef[];
  /** False if the bundle ends early: another one follows, since `toSeq`. */
  readonly complete: boolean;
}

interface Row {
  readonly seq: number;
  readonly op: string;
  readonly by_person: string | null;
  readonly sha256: BlobRef['sha256'] | null;
  readonly here: number | null;
}

/** Author of an operation that names none. */
const WRITER = "CASE WHEN json_extract(ops.op, '$.by') IS NULL THEN ops.by_person END AS by_person";

/**
 * Owed operations: no receipt, not even a refusal, of the current cloud epoch. Bytes are included unless a cloud
 * receipt proves them ashore.
 */
const CHOSEN = `
  SELECT ops.seq, ops.op, ${WRITER}, CASE WHEN @all OR blob.ashore = 0 THEN blob.sha256 END AS sha256, blob.here
  FROM ops LEFT JOIN image_blobs AS blob ON ops.kind = 'image' AND blob.image_id = ops.doc_id AND blob.sha256 = json_extract(ops.op, '$.body.sha256')
  WHERE ops.seq > @since AND ops.seq <= @last AND (@all OR NOT EXISTS (
    SELECT 1 FROM feed WHERE feed.op_id = ops.op_id AND feed.stage = 'cloud' AND feed.store_epoch = (SELECT value FROM meta WHERE key = 'cloudEpoch')))
  ORDER BY ops.seq LIMIT ${PAGE_OPS}`;

/** Chooses the contents of a bundle. Reads each operation once for length and hash, and no photograph. */
export async function planExport(
  source: ExportSource,
  { since, all, maxBytes, now }: ExportOptions,
): Promise<ExportPlan> {
  const { database, identity } = source;
  const last = Math.max(since, lastSeq(database));
  const page = database.prepare<[{ since: number; last: number; all: number }], Row>(CHOSEN);
  const hash = createHash('sha256');
  const seqs: number[] = [];
  const blobs = new Map<string, BlobRef>();
  const size = { ops: 0, blobs: 0 };
  let withoutBytes = 0;
  let full = false;
  for (
    let rows = page.all({ since, last, all: Number(all) });
    rows.length > 0 && !full;
    rows = page.all({ since: seqs.at(-1) ?? last, last, all: Number(all) })
  ) {
    for (const row of rows) {
      const line = lineOf(row);
      const blob =
        row.sha256 === null || row.here !== 1 || blobs.has(row.sha256)
          ? undefined
          : await localBlob(source, row.sha256);
      const grown = size.ops + line.length + size.blobs + (blob === undefined ? 0 : tarMemberBytes(blob.bytes));
      if (seqs.length > 0 && grown > maxBytes) {
        full = true;
        break;
      }
      seqs.push(row.seq);
      hash.update(line);
      size.ops += line.length;
      if (blob !== undefined) {
        blobs.set(blob.sha256, blob);
        size.blobs += tarMemberBytes(blob.bytes);
      } else if (row.sha256 !== null && !blobs.has(row.sha256)) withoutBytes += 1;
    }
    await turn();
  }
  const list = [...blobs.values()];
  return {
    seqs,
    blobs: list,
    complete: !full,
    manifest: {
      format: BUNDLE.format,
      version: BUNDLE.version,
      node: identity.nodeId,
      name: source.name,
      storeEpoch: identity.storeEpoch,
      fromSeq: since,
      toSeq: full ? (seqs.at(-1) ?? since) : last,
      all,
      createdAt: new Date(now).toISOString(),
      software: source.version,
      ops: { count: seqs.length, bytes: size.ops, sha256: hash.digest('hex') as BlobRef['sha256'] },
      blobs: { count: list.length, bytes: list.reduce((sum, { bytes }) => sum + bytes, 0) },
      withoutBytes,
      ...(source.people.statements.length === 0 ? {} : { people: source.people }),
    },
  };
}

/** Lines of the chosen operations, read again one by one: a stored operation never changes. */
export async function* exportLines(database: Database, seqs: readonly number[]): AsyncGenerator<Buffer> {
  const one = database.prepare<[number], Pick<Row, 'op' | 'by_person'>>(`SELECT op, ${WRITER} FROM ops WHERE seq = ?`);
  for (let at = 0; at < seqs.length; at += PAGE_OPS) {
    yield Buffer.concat(
      seqs.slice(at, at + PAGE_OPS).map((seq) => {
        const row = one.get(seq);
        if (row === undefined) throw new Error('an operation of the record is gone');
        return lineOf(row);
      }),
    );
  }
}

/** Line as in the feed: the operation as sent, with the person it counts for, if known. */
function lineOf({ op, by_person: by }: Pick<Row, 'op' | 'by_person'>): Buffer {
  return Buffer.from(`{"op":${op}${by === null ? '' : `,"by":${JSON.stringify(by)}`}}\n`, 'utf8');
}

async function localBlob(source: ExportSource, sha256: BlobRef['sha256']): Promise<BlobRef | undefined> {
  const bytes = await source.blobBytes(sha256);
  return bytes === undefined ? undefined : { sha256, bytes };
}
