import { ReefError } from '../../../domain/errors';
import { PACK_LIMITS } from '../../../domain/limits/packs';
import type { TabletHost } from '../../../platform/host';
import type { PackRow, PackStore, PartialPack } from '../../cache/pack-store';

/** File to download. */
interface PackRequest {
  /** Name in the store and below `/tiles/`. */
  readonly name: string;
  readonly origin: string;
  /** Hash of the whole file; null if unknown: then the server's ETag tells versions apart. */
  readonly sha256: string | null;
}

type PackHost = Pick<TabletHost, 'fetch' | 'timers' | 'clock' | 'sha256'>;
type OnProgress = (received: number, total: number | null) => void;

const MAGIC = 'PMTiles';
const ARCHIVE_TYPE = 'application/vnd.pmtiles';
/** Bytes after which a part is stored: a cut costs at most this much. */
const PART_BYTES = 1024 * 1024;

/**
 * Downloads an archive, or continues where an earlier download ended (`Range` with `If-Range`).
 *
 * @param signal pauses: what arrived stays for the next attempt
 * @returns the stored pack if it is current; undefined if the server has none by that name
 * @throws ReefError `disconnected`, `timeout`, `too-large`, `bad-message` (not an archive, or another hash); the signal's
 * reason; QuotaExceededError
 */
export async function downloadPack(
  host: PackHost,
  store: PackStore,
  request: PackRequest,
  signal: AbortSignal,
  onProgress: OnProgress,
): Promise<PackRow | undefined> {
  const { name, origin, sha256 } = request;
  const before = await store.get(name);
  if (before !== undefined && sha256 !== null && before.sha256 === sha256) return before;
  const partial = await store.getPartial(name);
  if (partial === undefined) await store.deleteParts(name);
  const abort = new AbortController();
  const onPause = (): void => abort.abort(signal.reason);
  signal.throwIfAborted();
  // All bytes had arrived when the tablet was switched off.
  if (partial !== undefined && partial.bytes === partial.total) {
    const row = joined(partial, request, host);
    await check(host, store, row);
    await store.store(row);
    return row;
  }
  signal.addEventListener('abort', onPause);
  try {
    const response = await host.fetch(`${origin}/tiles/${name}.pmtiles`, {
      cache: 'no-store',
      credentials: 'omit',
      signal: abort.signal,
      headers: requestHeaders(before, partial, request),
    });
    // The server has no such file: one from another server stays.
    if (response.status === 304 || response.status === 404) return before;
    const from = continuesAt(response, partial);
    if (from === 0 && partial !== undefined) await store.deleteParts(name);
    if (partial !== undefined && from === null) {
      await store.deleteParts(name);
      throw new ReefError('disconnected', { message: 'The server cannot continue this download. Try again.' });
    }
    if (!response.ok || response.body === null)
      throw new ReefError('disconnected', { message: `The server returned status ${response.status} for this map.` });
    const begun = from === null || from === 0 || partial === undefined ? NOTHING : partial;
    const etag = response.headers.get('etag');
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const total = Number.isFinite(length) ? begun.bytes + length : null;
    const received = await receive(host, store, { name, etag, total, begun, body: response.body, onProgress });
    if (total !== null && received.bytes !== total)
      throw new ReefError('bad-message', { message: 'Only part of the map was downloaded.' });
    const row = { ...received, name, etag, at: host.clock.now(), origin, sha256: hashOf(etag, sha256) };
    await check(host, store, row);
    await store.store(row);
    return row;
  } catch (error) {
    abort.abort();
    if (signal.aborted) throw signal.reason;
    throw error instanceof ReefError || isQuota(error) ? error : new ReefError('disconnected', { cause: error });
  } finally {
    signal.removeEventListener('abort', onPause);
  }
}

function joined(
  { name, etag, bytes, blobs }: PartialPack,
  { origin, sha256 }: PackRequest,
  { clock }: PackHost,
): PackRow {
  const blob = new Blob([...blobs], { type: ARCHIVE_TYPE });
  return { name, blob, bytes, etag, at: clock.now(), origin, sha256: hashOf(etag, sha256) };
}

const NOTHING = { bytes: 0, next: 0, blobs: [] } as const satisfies Pick<PartialPack, 'bytes' | 'next' | 'blobs'>;

function requestHeaders(
  before: PackRow | undefined,
  partial: PartialPack | undefined,
  { origin, sha256 }: PackRequest,
): Record<string, string> {
  if (partial !== undefined) return { range: `bytes=${partial.bytes}-`, 'if-range': partial.etag };
  // With a hash, the stored version is known to be another one.
  if (before?.origin === origin && before.etag !== null && sha256 === null) return { 'if-none-match': before.etag };
  return {};
}

/** Byte at which the answer begins; null if it cannot be joined to what is stored. */
function continuesAt(response: Response, partial: PartialPack | undefined): number | null {
  if (response.status === 200) return 0;
  if (response.status !== 206) return partial === undefined ? 0 : response.status === 416 ? null : partial.bytes;
  const [, start] = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '') ?? [];
  const isSame = partial !== undefined && response.headers.get('etag') === partial.etag;
  return isSame && Number(start) === partial.bytes ? partial.bytes : null;
}

/** Reads a body; stores parts as they fill, and the last one also if the connection breaks. */
async function receive(
  host: PackHost,
  store: PackStore,
  {
    name,
    etag,
    total,
    begun,
    body,
    onProgress,
  }: {
    readonly name: string;
    readonly etag: string | null;
    readonly total: number | null;
    readonly begun: Pick<PartialPack, 'bytes' | 'next' | 'blobs'>;
    readonly body: ReadableStream<Uint8Array>;
    readonly onProgress: OnProgress;
  },
): Promise<{ readonly blob: Blob; readonly bytes: number }> {
  const blobs: Blob[] = [...begun.blobs];
  let { bytes } = begun;
  let index: number = begun.next;
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let buffered = 0;
  const flush = async (): Promise<void> => {
    if (buffered === 0) return;
    const blob = new Blob(chunks);
    [chunks, buffered] = [[], 0];
    blobs.push(blob);
    // Without a version nothing can be continued.
    if (etag !== null) await store.storePart({ name, index: index++, blob, etag, total });
  };
  onProgress(bytes, total);
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await readChunk(host, reader);
      if (done) break;
      chunks.push(new Uint8Array(value));
      buffered += value.byteLength;
      bytes += value.byteLength;
      if (bytes > PACK_LIMITS.bytesMax)
        throw new ReefError('too-large', { message: 'This map is too large for this tablet.' });
      if (buffered >= PART_BYTES) await flush();
      onProgress(bytes, total);
    }
  } catch (error) {
    if (!isQuota(error)) await flush();
    throw error;
  }
  if (chunks.length > 0) blobs.push(new Blob(chunks));
  return { blob: new Blob(blobs, { type: ARCHIVE_TYPE }), bytes };
}

/** Deletes what does not pass. @throws ReefError `bad-message` */
async function check(host: PackHost, store: PackStore, { name, blob, sha256 }: PackRow): Promise<void> {
  const isArchive = (await blob.slice(0, MAGIC.length).text()) === MAGIC;
  if (isArchive && (sha256 === null || sha256 === undefined || (await host.sha256(blob)) === sha256)) return;
  await store.deleteParts(name);
  throw new ReefError('bad-message', {
    message: isArchive
      ? 'The map was damaged on its way. Download it again.'
      : 'The map from the server is damaged. Try again later.',
  });
}

/** Hash to check: the known one, or an ETag that is one. */
function hashOf(etag: string | null, sha256: string | null): string | null {
  return sha256 ?? /^"([0-9a-f]{64})"$/.exec(etag ?? '')?.[1] ?? null;
}

/** @throws ReefError `timeout` after a silence longer than a receipt may take */
function readChunk(
  { timers }: PackHost,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  return new Promise((resolve, reject) => {
    const cancel = timers.after(PACK_LIMITS.stallTimeoutMs, () => reject(new ReefError('timeout')));
    reader.read().then(resolve, reject).finally(cancel);
  });
}

/** True if the browser has no space left. */
export function isQuota(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'QuotaExceededError' ||
      (error as { inner?: { name?: string } }).inner?.name === 'QuotaExceededError')
  );
}
