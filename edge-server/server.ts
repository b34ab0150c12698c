import path from 'node:path';
import type { Logger } from 'pino';
import { pino } from 'pino';
import { buildEdge } from './app';
import { driveCommand } from './commands/drive-command';
import { importRescue } from './commands/import-rescue';
import { startNewEpoch, recount } from './commands/recount';
import type { EdgeSettings } from './settings';
import { EXIT_SETTINGS } from '../src/server/process/environment';
import { LogTail } from '../src/server/process/log-tail';
import type { ProcessLifecycle } from '../src/server/process/process-lifecycle';
import { runProcess } from '../src/server/process/process-lifecycle';
import { projectOf } from '../src/server/process/project';
import { readSettings } from './settings';

/** Imports a rescue copy and exits; a bad file is one line, without a restart. */
async function runRescueImport(
  life: ProcessLifecycle,
  settings: EdgeSettings,
  log: Logger,
  file: string | undefined,
): Promise<void> {
  if (file === undefined) {
    log.error('Say which file: npm run edge -- import-rescue <file>');
    return life.stop('no file was named', EXIT_SETTINGS);
  }
  try {
    const { refused, ...taken } = await importRescue(settings, log, path.resolve(file));
    for (const one of refused) log.error(one, 'a record of the rescue copy was not imported');
    log.info({ ...taken, refused: refused.length }, 'the rescue copy was imported');
    life.stop('the rescue copy was imported', 0);
  } catch (error) {
    log.error({ reason: error instanceof Error ? error.message : String(error) }, 'the rescue copy was not imported');
    life.stop('the rescue copy was not imported', EXIT_SETTINGS);
  }
}

async function main(life: ProcessLifecycle): Promise<void> {
  const logTail = new LogTail();
  const log = pino({ name: 'edge', hooks: { streamWrite: logTail.record } }, pino.destination({ dest: 1, sync: true }));
  const settings = readSettings(process.env);
  if (process.argv[2] === 'recount') {
    log.info({ documents: await recount(settings, log) }, 'recounted');
    return life.stop('recounted', 0);
  }
  if (process.argv[2] === 'restored') {
    log.info({ storeEpoch: await startNewEpoch(settings, log) }, 'the record that was put back begins a new epoch');
    return life.stop('a new epoch begins', 0);
  }
  if (process.argv[2] === 'import-rescue') return runRescueImport(life, settings, log, process.argv[3]);
  const { root, version } = projectOf(import.meta.url);
  const drive = driveCommand(process.argv[2], process.argv.slice(3), { settings, log, version });
  if (drive !== undefined) return life.stop('the work with the drive ended', (await drive) ? 0 : EXIT_SETTINGS);
  const edge = await buildEdge(settings, {
    log,
    logTail,
    version,
    appFolder: path.join(root, 'dist', 'app'),
    tilesFolder: path.join(root, 'dist', 'tiles'),
  });

  life.markRunning(log, () => edge.close());
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

runProcess('The edge server', main);
