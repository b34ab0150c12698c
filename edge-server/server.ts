import path from 'node:path';
import type { Logger } from 'pino';
import { pino } from 'pino';
import { buildEdge } from './app';
import { driveCommand } from './drive-command';
import { importRescue } from './import-rescue';
import { beginNewEpoch, recount } from './recount';
import type { EdgeSettings } from './settings';
import { EXIT_SETTINGS, SettingsError } from '../src/server/environment';
import { LogTail } from '../src/server/log-tail';
import { projectOf } from '../src/server/project';
import { readSettings } from './settings';

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

/** Takes a rescue copy in and ends; what is wrong with the file or the home is one line, and no reason to start again. */
async function takeRescueCopy(settings: EdgeSettings, log: Logger, file: string | undefined): Promise<void> {
  if (file === undefined) {
    log.error('Say which file: npm run edge -- import-rescue <file>');
    return stop('no file was named', EXIT_SETTINGS);
  }
  try {
    const { refused, ...taken } = await importRescue(settings, log, path.resolve(file));
    for (const one of refused) log.error(one, 'a record of the rescue copy was not taken');
    log.info({ ...taken, refused: refused.length }, 'the rescue copy was taken in');
    stop('the rescue copy was taken in', 0);
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'the rescue copy was not taken in');
    stop('the rescue copy was not taken in', EXIT_SETTINGS);
  }
}

async function main(): Promise<void> {
  const logTail = new LogTail();
  const log = pino({ name: 'edge', hooks: { streamWrite: logTail.note } }, pino.destination({ dest: 1, sync: true }));
  const settings = readSettings(process.env);
  if (process.argv[2] === 'recount') {
    log.info({ documents: await recount(settings, log) }, 'counted anew');
    // Beside a supervisor the channel to it would keep this process.
    return stop('counted anew', 0);
  }
  if (process.argv[2] === 'restored') {
    log.info({ storeEpoch: await beginNewEpoch(settings, log) }, 'the record that was put back begins a new epoch');
    return stop('a new epoch begins', 0);
  }
  if (process.argv[2] === 'import-rescue') return takeRescueCopy(settings, log, process.argv[3]);
  const { top, version } = projectOf(import.meta.url);
  const drive = driveCommand(process.argv[2], process.argv.slice(3), { settings, log, version });
  if (drive !== undefined) return stop('the work with the drive ended', (await drive) ? 0 : EXIT_SETTINGS);
  const edge = await buildEdge(settings, { log, logTail, version, appFolder: path.join(top, 'dist', 'app'), tilesFolder: path.join(top, 'dist', 'tiles') });

  stop = (why, code) => {
    log.info({ why }, 'ending');
    setTimeout(() => {
      log.warn('something did not end in time; the process ends as if it were killed');
      process.exit(code);
    }, CLOSE_MS).unref();
    edge.close().then(
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

  const url = await edge.listen();
  const ca = edge.context.localCa();
  log.info(
    {
      url,
      node: edge.context.store.identity.nodeId,
      storeEpoch: edge.context.store.identity.storeEpoch,
      pairing: settings.pairing,
      ...(settings.pairing === 'required' ? { pairingCode: edge.context.pairing.code() } : {}),
      ...(ca === null ? {} : { caFingerprint: ca.fingerprint }),
      ...(settings.adminToken === null ? { adminTokenFile: path.join(settings.home, 'admin-token') } : {}),
    },
    'listening',
  );
}

// A promise that nobody waited for is a slip in the code; the state on disk is whole at any moment, so the process ends.
process.on('unhandledRejection', (error) => {
  throw error;
});

main().catch((error: unknown) => {
  if (error instanceof SettingsError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_SETTINGS);
  }
  process.stderr.write(`The edge server could not start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
