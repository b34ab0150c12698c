import path from 'node:path';
import type { Logger } from 'pino';
import { importReceipts } from '../drive/import-receipts';
import { exportToDrive, parseExportArguments } from '../drive/export-to-drive';
import type { EdgeSettings } from '../settings';

interface DriveCommandContext {
  readonly settings: EdgeSettings;
  readonly log: Logger;
  readonly version: string;
}

/**
 * Runs `export <file or folder>` and `import-receipts <file>`. A failure is one plain line, without a retry.
 *
 * @returns true on success; undefined for another command
 */
export function driveCommand(
  command: string | undefined,
  args: readonly string[],
  { settings, log, version }: DriveCommandContext,
): Promise<boolean> | undefined {
  switch (command) {
    case 'export':
      return runLogged(log, 'the export was not made', async () => {
        await exportToDrive(
          settings,
          version,
          parseExportArguments(args),
          ({ file, bytes, manifest: { ops, blobs, withoutBytes, fromSeq, toSeq } }) => {
            log.info(
              { file, bytes, records: ops.count, photographs: blobs.count, withoutBytes, fromSeq, toSeq },
              'a bundle is on the drive, whole',
            );
          },
        );
      });
    case 'import-receipts':
      return runLogged(log, 'the receipts were not imported', async () => {
        const [file] = args.filter((arg) => !arg.startsWith('--'));
        if (file === undefined)
          throw new Error('Say which file: npm run edge -- import-receipts <file> [--trust-cloud]');
        const { refused, ...carried } = await importReceipts(
          settings,
          log,
          path.resolve(file),
          args.includes('--trust-cloud'),
        );
        for (const one of refused) log.error(one, 'a receipt was not imported');
        log.info(
          { ...carried, refused: refused.length },
          carried.complete
            ? 'the receipts were imported'
            : 'the receipts were imported; the cloud’s answer was cut off, so import the bundle ashore again for the rest',
        );
        if (refused.length > 0)
          throw new Error(
            `${refused.length} receipts were not imported: the first because ${refused[0]?.why ?? 'of an unknown error'}`,
          );
      });
    default:
      return undefined;
  }
}

async function runLogged(log: Logger, what: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, what);
    return false;
  }
}
