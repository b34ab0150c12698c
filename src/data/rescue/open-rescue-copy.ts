import { ReefError } from '../../domain/errors';
import { isObject } from '../../domain/json';
import type { Op } from '../../domain/op/op';
import { parseOp } from '../../domain/op/op';
import { checkOpHash } from '../../protocol/hash';
import type { RescueManifest } from '../../protocol/rescue';
import { parseRescueManifest, RESCUE, RESCUE_MANIFEST_MAX, rescueBlobName } from '../../protocol/rescue';
import { parseTarHeader, TAR_BLOCK, tarPadding } from '../../protocol/tar';
import type { TabletHost } from '../../platform/host';
import { parseJson } from '../transport/http';

/** Opened rescue copy: records are read and verified, photographs located, their bytes not read yet. */
export interface OpenedRescueCopy {
  readonly file: Blob;
  readonly manifest: RescueManifest;
  readonly ops: readonly { readonly op: Op; readonly by: string | null }[];
  readonly blobs: ReadonlyMap<string, { readonly at: number; readonly bytes: number }>;
  /** Listed photographs that the file does not contain completely: it was cut off. */
  readonly truncated: readonly string[];
  /** Journal rows, not validated; null if the file should contain some and they are incomplete. */
  readonly journals: readonly unknown[] | null;
}

/**
 * Opens a rescue copy: reads its manifest, records, and the headers between photographs; for 1 GB a few hundred KB. A
 * truncated file is opened up to where it ends.
 *
 * @throws ReefError `bad-message` if it is not a rescue copy or its records are damaged; `unsupported-version` from a
 * newer app
 */
export async function openRescueCopy(host: Pick<TabletHost, 'sha256'>, file: Blob): Promise<OpenedRescueCopy> {
  const first = await memberAt(file, 0).catch((error: unknown) => {
    // Without a header the file is something else, not a damaged copy.
    if (error instanceof ReefError) return null;
    throw error;
  });
  if (first === null || first === 'cut' || first.name !== RESCUE.manifest || first.size > RESCUE_MANIFEST_MAX)
    throw new ReefError('bad-message', {
      message:
        'This file is not a rescue copy. Nothing was imported or changed. A rescue copy ends in .tar and is made on this page of a tablet.',
    });
  const manifest = parseRescueManifest(await file.slice(first.at, first.at + first.size).text());
  const second = await memberAt(file, first.next);
  if (
    second === null ||
    second === 'cut' ||
    second.name !== RESCUE.ops ||
    second.size !== manifest.ops.bytes ||
    second.at + second.size > file.size
  ) {
    throw new ReefError('bad-message', {
      message:
        'This rescue copy ends in the middle of its records. Nothing was imported. Copy the file again from its source.',
    });
  }
  const text = file.slice(second.at, second.at + second.size);
  if ((await host.sha256(text)) !== manifest.ops.sha256)
    throw new ReefError('hash-mismatch', {
      field: 'ops',
      message:
        'The records in this rescue copy are damaged. Nothing was imported. Copy the file again from its source.',
    });
  const ops = await parseOps(host, await text.text(), manifest);

  const blobs = new Map<string, { at: number; bytes: number }>();
  const listed = new Map(manifest.blobs.map(({ sha256, bytes }) => [rescueBlobName(sha256), { sha256, bytes }]));
  let work: Blob | undefined;
  for (let at = second.next; at < file.size;) {
    const member = await memberAt(file, at).catch((error: unknown) => {
      // Garbage between two photographs: earlier ones are good, the rest counts as truncated.
      if (error instanceof ReefError) return 'cut' as const;
      throw error;
    });
    if (member === null || member === 'cut') break;
    if (member.name === RESCUE.journals) work = file.slice(member.at, member.at + member.size);
    const named = listed.get(member.name);
    if (named !== undefined && named.bytes === member.size && member.at + member.size <= file.size)
      blobs.set(named.sha256, { at: member.at, bytes: member.size });
    at = member.next;
  }
  return {
    file,
    manifest,
    ops,
    blobs,
    truncated: manifest.blobs.flatMap(({ sha256 }) => (blobs.has(sha256) ? [] : [sha256])),
    journals: await parseJournals(host, work, manifest),
  };
}

/**
 * Reads a copy back and hashes each photograph in it.
 *
 * @returns hashes of damaged or missing photographs, and the name of the journals if damaged; empty: the copy is intact
 */
export async function verifyRescueCopy(
  host: Pick<TabletHost, 'sha256'>,
  file: Blob,
  { signal, onBytes }: { readonly signal?: AbortSignal; readonly onBytes?: (bytes: number) => void } = {},
): Promise<readonly string[]> {
  const { blobs, truncated, journals } = await openRescueCopy(host, file);
  const damaged: string[] = [...truncated, ...(journals === null ? [RESCUE.journals] : [])];
  let done = 0;
  for (const [sha256, { at, bytes }] of blobs) {
    signal?.throwIfAborted();
    if ((await host.sha256(file.slice(at, at + bytes))) !== sha256) damaged.push(sha256);
    onBytes?.((done += bytes));
  }
  return damaged;
}

async function parseJournals(
  host: Pick<TabletHost, 'sha256'>,
  work: Blob | undefined,
  { journals }: RescueManifest,
): Promise<OpenedRescueCopy['journals']> {
  if (journals === undefined) return [];
  if (work === undefined || work.size !== journals.bytes || (await host.sha256(work)) !== journals.sha256) return null;
  return (await work.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => parseJson(line));
}

async function parseOps(
  host: Pick<TabletHost, 'sha256'>,
  text: string,
  manifest: RescueManifest,
): Promise<OpenedRescueCopy['ops']> {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length !== manifest.ops.count)
    throw new ReefError('bad-message', {
      message: 'The number of records in this rescue copy does not match its list.',
    });
  return Promise.all(
    lines.map(async (line, i) => {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch (error) {
        throw new ReefError('bad-message', {
          field: `ops.${i}`,
          message: 'A record in this rescue copy cannot be read.',
          cause: error,
        });
      }
      if (!isObject(value))
        throw new ReefError('bad-message', {
          field: `ops.${i}`,
          message: 'A record in this rescue copy cannot be read.',
        });
      const op = parseOp(value['op'], `ops.${i}`);
      await checkOpHash(op, host.sha256);
      return { op, by: op.by ?? (typeof value['by'] === 'string' ? value['by'] : null) };
    }),
  );
}

/** @throws ReefError `bad-message` if there is no header at this position */
async function memberAt(
  file: Blob,
  at: number,
): Promise<
  { readonly name: string; readonly size: number; readonly at: number; readonly next: number } | null | 'cut'
> {
  if (at + TAR_BLOCK > file.size) return 'cut';
  const header = parseTarHeader(new Uint8Array(await file.slice(at, at + TAR_BLOCK).arrayBuffer()));
  if (header === null) return null;
  const start = at + TAR_BLOCK;
  return { ...header, at: start, next: start + header.size + tarPadding(header.size) };
}
