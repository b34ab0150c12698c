import path from 'node:path';
import type { Logger } from 'pino';
import { pino } from 'pino';
import { EXIT_SETTINGS } from '../../src/server/process/environment';
import type { ProcessLifecycle } from '../../src/server/process/process-lifecycle';
import { runProcess } from '../../src/server/process/process-lifecycle';
import { projectOf } from '../../src/server/process/project';
import { buildCloud } from './app';
import { importFile } from './bundles/import-file';
import { DatabaseUnavailableError, toDatabaseError } from './postgres/database-error';
import { recount } from './recount';
import type { CloudSettings } from './settings';
import { readCloudSettings } from './settings';
import { confirmClaimCommand, resetFactorCommand, staffCommand } from './accounts/people/staff-command';

/** Runs a command of the operator. An error is one line and does not restart the process. */
async function runOperatorCommand(
  command: typeof staffCommand,
  life: ProcessLifecycle,
  settings: CloudSettings,
  log: Logger,
  args: readonly string[],
): Promise<void> {
  try {
    process.stdout.write(`${await command(settings, log, args)}\n`);
    life.stop('done', 0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    life.stop('not done', EXIT_SETTINGS);
  }
}

/** Runs `npm run cloud -- import <file> [--confirm <key>]`; an error is one line. */
async function runImportCommand(
  life: ProcessLifecycle,
  settings: CloudSettings,
  log: Logger,
  version: string,
  args: readonly string[],
): Promise<void> {
  const at = args.indexOf('--confirm');
  const [file] = args.filter((_arg, i) => at < 0 || (i !== at && i !== at + 1));
  if (file === undefined) {
    log.error('Say which file: npm run cloud -- import <file> [--confirm <the box’s key>]');
    return life.stop('no file was named', EXIT_SETTINGS);
  }
  try {
    const { receipts, done } = await importFile(
      settings,
      log,
      version,
      path.resolve(file),
      at < 0 ? null : (args[at + 1] ?? null),
    );
    log.info({ ...done, receipts }, 'the bundle was imported; carry the file of receipts back to the box');
    life.stop('the bundle was imported', 0);
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'the bundle was not imported');
    life.stop('the bundle was not imported', EXIT_SETTINGS);
  }
}

async function main(life: ProcessLifecycle): Promise<void> {
  const log = pino({ name: 'cloud' }, pino.destination({ dest: 1, sync: true }));
  const settings = readCloudSettings(process.env);
  if (process.argv[2] === 'recount') {
    log.info({ documents: await recount(settings, log) }, 'recounted');
    return life.stop('recounted', 0);
  }
  if (process.argv[2] === 'staff') return runOperatorCommand(staffCommand, life, settings, log, process.argv.slice(3));
  if (process.argv[2] === 'reset-second-factor')
    return runOperatorCommand(resetFactorCommand, life, settings, log, process.argv.slice(3));
  if (process.argv[2] === 'confirm-claim')
    return runOperatorCommand(confirmClaimCommand, life, settings, log, process.argv.slice(3));
  const { root, version } = projectOf(import.meta.url);
  if (process.argv[2] === 'import') return runImportCommand(life, settings, log, version, process.argv.slice(3));
  const cloud = await buildCloud(settings, {
    log,
    version,
    appFolder: path.join(root, 'dist', 'app'),
    tilesFolder: path.join(root, 'dist', 'tiles'),
  });

  life.markRunning(log, () => cloud.close());
  const url = await cloud.listen();
  const { nodeId, storeEpoch } = cloud.context.store.identity;
  log.info(
    {
      url,
      node: nodeId,
      storeEpoch,
      database: settings.databaseUrl === null ? 'embedded' : 'server',
      bytes: settings.s3 === null ? 'files' : 'bucket',
    },
    'listening',
  );
}

/**
 * True for an unhandled rejection of the jobs library when the database goes away while a job is marked done. The job
 * runs again.
 */
function isLateJobError(error: unknown): boolean {
  if (!(toDatabaseError(error) instanceof DatabaseUnavailableError)) return false;
  process.stderr.write(
    `The database went away while a job was noted as done; it is done again (${error instanceof Error ? error.message : String(error)}).\n`,
  );
  return true;
}

runProcess('The cloud service', main, isLateJobError);
