import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { ReefError } from '../../src/domain/errors';
import { isObject } from '../../src/domain/json';
import type { ImportDone, ImportLine } from '../../src/protocol/bundle';
import { BUNDLE, importLineSchema } from '../../src/protocol/bundle';
import { realDisk } from '../../src/server/disk';
import { lockFolder } from '../../src/server/folder-lock';
import { buildCloud } from './app';
import type { CloudSettings } from './settings';

/** What came of `npm run cloud -- import`. */
export interface ImportedFile {
  /** What is carried back to the box: `<bundle>.receipts.json`. */
  readonly receipts: string;
  readonly done: ImportDone;
}

/**
 * Imports a sealed bundle from a file and writes the receipts beside it: into the database itself where no service works on the
 * home, through the service, with `BRIDGE_TOKEN`, where one does.
 *
 * @param confirm the name of a box's key, where the import asked for that
 * @throws ReefError as {@link BundleImport.begin}; Error where a service runs and there is no token for it
 */
export async function importFile(settings: CloudSettings, log: Logger, version: string, file: string, confirm: string | null): Promise<ImportedFile> {
  const receipts = `${file}.receipts.json`;
  const source = createReadStream(file, { highWaterMark: 1024 * 1024 });
  if (isWorkedOn(settings.home)) return { receipts, done: await keep(receipts, throughService(settings, source, confirm)) };
  const cloud = await buildCloud(settings, { log, version });
  try {
    const begun = await cloud.context.bundles.imports.begin(source, async () => ({ by: 'staff', person: null, confirmed: confirm }));
    return { receipts, done: await keep(receipts, begun.lines()) };
  } finally {
    await cloud.close();
  }
}

async function keep(file: string, lines: AsyncIterable<ImportLine>): Promise<ImportDone> {
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
  if (done === undefined) throw new ReefError('disconnected', { message: 'The import was cut off. What it did stays; import the same file again for the rest.' });
  await realDisk.rename(draft, file);
  await realDisk.fsyncDir(path.dirname(file));
  return done;
}

async function* throughService(settings: CloudSettings, source: Readable, confirm: string | null): AsyncGenerator<ImportLine> {
  const { bridgeToken, host, port } = settings;
  if (bridgeToken === null) throw new Error('The cloud service is running. Import the file on its console, or set BRIDGE_TOKEN as the service has it, or stop the service first.');
  const at = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const address = new URL(`http://${at.includes(':') ? `[${at}]` : at}:${port}/api/import`);
  if (confirm !== null) address.searchParams.set('confirm', confirm);
  yield* importLines(await fetch(address, { method: 'POST', headers: { authorization: `Bearer ${bridgeToken}`, 'content-type': BUNDLE.media }, body: Readable.toWeb(source) as ReadableStream<Uint8Array>, duplex: 'half' } as RequestInit));
}

/**
 * The lines of an import's answer.
 *
 * @throws ReefError as the cloud answers
 */
export async function* importLines(answer: Response): AsyncGenerator<ImportLine> {
  if (!answer.ok || answer.body === null) {
    const body: unknown = await answer.json().catch(() => undefined);
    throw ReefError.fromWire(isObject(body) && isObject(body['error']) ? body['error'] : { code: 'internal', message: `The cloud answered ${answer.status}.` });
  }
  let rest = '';
  const decoder = new TextDecoder();
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield importLineSchema.parse(JSON.parse(line));
  }
}

function isWorkedOn(home: string): boolean {
  try {
    lockFolder(home).release();
    return false;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Another process')) return true;
    throw error;
  }
}
