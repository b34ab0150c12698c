import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { ReefError } from '../../domain/errors';
import { isObject } from '../../domain/json';
import type { ImportDone, ImportLine } from '../../protocol/bundle';
import { BUNDLE, importLineSchema } from '../../protocol/bundle';
import { realDisk } from '../files/disk';

/** Path of an import's receipts: next to the bundle, so that one drive carries both. */
export function receiptsFileOf(bundle: string): string {
  return `${bundle}.receipts.json`;
}

/** Target cloud of a bundle. */
interface BundleTarget {
  readonly cloud: URL;
  /** The box's own credential at the cloud. */
  readonly token: string;
  /** Key id of a box, if an import asked to confirm it; else null. */
  readonly confirm: string | null;
}

/**
 * Sends a sealed bundle to a cloud (`POST /api/import`) and yields its answer, line by line.
 *
 * @param file the bundle
 * @throws ReefError as the cloud answers; `disconnected` if it is unreachable or the connection breaks
 */
export async function* sendBundle(file: string, { cloud, token, confirm }: BundleTarget): AsyncGenerator<ImportLine> {
  const address = new URL('/api/import', cloud);
  if (confirm !== null) address.searchParams.set('confirm', confirm);
  const source = createReadStream(file, { highWaterMark: 1024 * 1024 });
  try {
    // A missing file must not look like an unreachable cloud.
    await new Promise<void>((resolve, reject) => source.once('open', () => resolve()).once('error', reject));
    const answer = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': BUNDLE.media },
      body: Readable.toWeb(source) as ReadableStream<Uint8Array>,
      duplex: 'half',
    } as RequestInit);
    yield* importLines(answer);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ReefError('disconnected', {
      message: `The cloud at ${cloud.origin} could not be reached to the end. What it did stays; import the same file again for the rest.`,
      cause: error,
    });
  } finally {
    source.destroy();
  }
}

/** Lines of an import's answer. @throws ReefError as the cloud answers */
async function* importLines(answer: Response): AsyncGenerator<ImportLine> {
  if (!answer.ok || answer.body === null) {
    const body: unknown = await answer.json().catch(() => undefined);
    throw ReefError.fromWire(
      isObject(body) && isObject(body['error'])
        ? body['error']
        : { code: 'internal', message: `The cloud answered ${answer.status}.` },
    );
  }
  let rest = '';
  const decoder = new TextDecoder();
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield importLineSchema.parse(JSON.parse(line));
  }
}

/**
 * Writes an import's answer to a file, durably and only when complete; the box reads it with `import-receipts`.
 *
 * @throws ReefError `disconnected` if the answer has no last line
 */
export async function saveReceipts(file: string, lines: AsyncIterable<ImportLine>): Promise<ImportDone> {
  const draft = `${file}.part`;
  const fd = await realDisk.open(draft, 'w', 0o600);
  let done: ImportDone | undefined;
  try {
    let at = 0;
    for await (const line of lines) {
      const text = Buffer.from(`${JSON.stringify(line)}\n`, 'utf8');
      await realDisk.write(fd, [text], at);
      at += text.length;
      if ('done' in line) done = line.done;
    }
    await realDisk.fsync(fd);
  } finally {
    await realDisk.close(fd);
  }
  if (done === undefined)
    throw new ReefError('disconnected', {
      message: 'The import was cut off. What it did stays; import the same file again for the rest.',
    });
  await realDisk.rename(draft, file);
  await realDisk.fsyncDir(path.dirname(file));
  return done;
}
