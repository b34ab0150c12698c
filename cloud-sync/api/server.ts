import path from 'node:path';
import type { Logger } from 'pino';
import { pino } from 'pino';
import { EXIT_SETTINGS, SettingsError } from '../../src/server/environment';
import { projectOf } from '../../src/server/project';
import { buildCloud } from './app';
import { importFile } from './import-file';
import { DatabaseAwayError, toDatabaseError } from './postgres/database-error';
import { recount } from './recount';
import type { CloudSettings } from './settings';
import { readCloudSettings } from './settings';
import { staffCommand } from './staff';

/** Longest wait for what is under way at the end; then the process ends as if it were killed, which loses nothing. */
const CLOSE_MS = 10_000;

/** How it ends: at once while it starts (the state on disk is whole at any moment), in order once it runs. */
let stop = (_why: string, code: number): void => process.exit(code);
let ending = false;

function end(why: string): void {
  // Ctrl-C reaches this process from the terminal and from its supervisor.
  if (ending) return;
  ending = true;
  stop(why, 0);
}

process.on('SIGTERM', () => end('SIGTERM'));
process.on('SIGINT', () => end('SIGINT'));
// The supervisor was killed: without it nobody would start this process again, nor stop it.
if (process.send !== undefined) process.on('disconnect', () => end('the supervisor is gone'));

/** Makes a person staff and ends; what is wrong is one line, and no reason to start again. */
async function makeStaff(settings: CloudSettings, log: Logger, args: readonly string[]): Promise<void> {
  try {
    process.stdout.write(`${await staffCommand(settings, log, args)}\n`);
    stop('done', 0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    stop('not done', EXIT_SETTINGS);
  }
}

/** `npm run cloud -- import <file> [--confirm <key>]`; what is wrong with the file is one line. */
async function importBundle(settings: CloudSettings, log: Logger, version: string, args: readonly string[]): Promise<void> {
  const at = args.indexOf('--confirm');
  const [file] = args.filter((_arg, i) => at < 0 || (i !== at && i !== at + 1));
  if (file === undefined) {
    log.error('Say which file: npm run cloud -- import <file> [--confirm <the box’s key>]');
    return stop('no file was named', EXIT_SETTINGS);
  }
  try {
    const { receipts, done } = await importFile(settings, log, version, path.resolve(file), at < 0 ? null : (args[at + 1] ?? null));
    log.info({ ...done, receipts }, 'the bundle was imported; carry the file of receipts back to the box');
    stop('the bundle was imported', 0);
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'the bundle was not imported');
    stop('the bundle was not imported', EXIT_SETTINGS);
  }
}

async function main(): Promise<void> {
  const log = pino({ name: 'cloud' }, pino.destination({ dest: 1, sync: true }));
  const settings = readCloudSettings(process.env);
  if (process.argv[2] === 'recount') {
    log.info({ documents: await recount(settings, log) }, 'counted anew');
    // Beside a supervisor the channel to it would keep this process.
    return stop('counted anew', 0);
  }
  if (process.argv[2] === 'staff') return makeStaff(settings, log, process.argv.slice(3));
  const { top, version } = projectOf(import.meta.url);
  if (process.argv[2] === 'import') return importBundle(settings, log, version, process.argv.slice(3));
  const cloud = await buildCloud(settings, { log, version, appFolder: path.join(top, 'dist', 'app') });

  stop = (why, code) => {
    log.info({ why }, 'ending');
    setTimeout(() => {
      log.warn('something did not end in time; the process ends as if it were killed');
      process.exit(code);
    }, CLOSE_MS).unref();
    cloud.close().then(
      () => {
        log.info('ended');
        process.exit(code);
      },
      (error: unknown) => {
        log.error({ err: error }, 'the end was not clean');
        process.exit(1);
      },
    );
  };

  const url = await cloud.listen();
  const { nodeId, storeEpoch } = cloud.context.store.identity;
  log.info({ url, node: nodeId, storeEpoch, database: settings.databaseUrl === null ? 'embedded' : 'server', bytes: settings.s3 === null ? 'files' : 'bucket' }, 'listening');
}

// A promise that nobody waited for is a slip in the code; the state on disk is whole at any moment, so the process ends.
process.on('unhandledRejection', (error) => {
  // The library of jobs leaves a promise to itself where the database goes away while it notes a finished job. That job is done again.
  if (!(toDatabaseError(error) instanceof DatabaseAwayError)) throw error;
  process.stderr.write(`The database went away while a job was noted as done; it is done again (${error instanceof Error ? error.message : String(error)}).\n`);
});

main().catch((error: unknown) => {
  if (error instanceof SettingsError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_SETTINGS);
  }
  process.stderr.write(`The cloud service could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
