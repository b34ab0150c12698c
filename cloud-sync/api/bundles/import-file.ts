import { createReadStream } from 'node:fs';
import type { Logger } from 'pino';
import type { ImportDone, ImportLine } from '../../../src/protocol/bundle';
import { saveReceipts, receiptsFileOf, sendBundle } from '../../../src/server/bundles/bundle-sender';
import { isFolderLocked } from '../../../src/server/files/folder-lock';
import { buildCloud } from '../app';
import type { CloudSettings } from '../settings';

interface ImportedFile {
  /** File to carry back to the box: `<bundle>.receipts.json`. */
  readonly receipts: string;
  readonly done: ImportDone;
}

/**
 * Imports a sealed bundle and writes the receipts next to it: directly if no service uses the data folder, else through
 * the service with `BRIDGE_TOKEN`.
 *
 * @param confirm id of a box's key, if the import asked for it
 * @throws ReefError as {@link BundleImport.start}; Error if a service runs and no token is set
 */
export async function importFile(
  settings: CloudSettings,
  log: Logger,
  version: string,
  file: string,
  confirm: string | null,
): Promise<ImportedFile> {
  const receipts = receiptsFileOf(file);
  if (isFolderLocked(settings.home))
    return { receipts, done: await saveReceipts(receipts, importThroughService(settings, file, confirm)) };
  const cloud = await buildCloud(settings, { log, version });
  try {
    const begun = await cloud.context.bundles.imports.start(
      createReadStream(file, { highWaterMark: 1024 * 1024 }),
      async () => ({ by: 'staff', person: null, confirmed: confirm }),
    );
    return { receipts, done: await saveReceipts(receipts, begun.lines()) };
  } finally {
    await cloud.close();
  }
}

function importThroughService(
  settings: CloudSettings,
  file: string,
  confirm: string | null,
): AsyncIterable<ImportLine> {
  const { bridgeToken, host, port } = settings;
  if (bridgeToken === null)
    throw new Error(
      'The cloud service is running. Import the file on its console, or set BRIDGE_TOKEN as the service has it, or stop the service first.',
    );
  const at = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return sendBundle(file, {
    cloud: new URL(`http://${at.includes(':') ? `[${at}]` : at}:${port}`),
    token: bridgeToken,
    confirm,
  });
}
