import { mkdirSync } from 'node:fs';
import { pino } from 'pino';
import { formatCount } from '../../src/base/plural';
import { ReefError } from '../../src/domain/errors';
import { EXIT_SETTINGS, SettingsError } from '../../src/server/process/environment';
import { saveReceipts, receiptsFileOf, sendBundle } from '../../src/server/bundles/bundle-sender';
import { onProcessEnd } from '../../src/server/process/process-lifecycle';
import { lockFolder } from '../../src/server/files/folder-lock';
import { composeBridge } from './compose-bridge';
import { edgeAuthority } from './link/edge-trust';
import type { BridgeLog } from './bridge-context';
import { createProgress } from './status/progress';
import { systemTimers } from './runtime';
import type { BridgeSettings } from './settings';
import { HELP, readBridgeSettings, readImportSettings } from './settings';

/** Longest wait for running work; then the process exits as if killed, which loses nothing. */
const CLOSE_MS = 5000;
/** Retry interval while the box's authority cannot be fetched, ms. */
const TRUST_RETRY_MS = 5000;

const shutdown = new AbortController();

function shutDown(): void {
  // Ctrl-C reaches this process from the terminal and from its supervisor.
  if (shutdown.signal.aborted) return;
  setTimeout(() => process.exit(0), CLOSE_MS).unref();
  shutdown.abort();
}

onProcessEnd(shutDown);

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  if (args[0] === 'import') {
    await importBundle(args.slice(1));
    process.exit(0);
  }
  const settings = readBridgeSettings(args, process.env);
  const shown = createProgress(process.stdout);
  const log: BridgeLog = shown.log ?? plainLog();
  mkdirSync(settings.home, { recursive: true, mode: 0o700 });
  const lock = lockFolder(settings.home);
  const { bridge, close } = composeBridge(settings, await waitForAuthority(settings, log), {
    log,
    onStatus: shown.show,
  });
  log('info', 'the bridge runs', { edge: settings.edge.origin, cloud: settings.cloud.origin });
  await bridge.run(shutdown.signal);
  close();
  shown.end();
  lock.release();
  log('info', 'the bridge has ended', {});
  // The channel to a supervisor would keep this process alive.
  process.exit(0);
}

async function importBundle(args: readonly string[]): Promise<void> {
  const settings = readImportSettings(args, process.env);
  const receipts = receiptsFileOf(settings.file);
  const done = await saveReceipts(receipts, sendBundle(settings.file, settings));
  const waiting =
    done.refused + done.waiting + done.failed === 0
      ? ''
      : ` ${done.refused} held for staff to look at, ${done.waiting} waiting for photographs, ${done.failed} not imported.`;
  process.stdout.write(
    `The cloud has receipted ${formatCount(done.receipted, 'record')}; ${formatCount(done.newBlobs, 'photograph was', 'photographs were')} new to it.${waiting}\nCarry this back to the box (npm run edge -- import-receipts <file>): ${receipts}\n`,
  );
}

async function waitForAuthority(settings: BridgeSettings, log: BridgeLog): Promise<string | undefined> {
  for (;;) {
    try {
      return await edgeAuthority(settings);
    } catch (error) {
      if (!(error instanceof ReefError) || error.code !== 'disconnected' || shutdown.signal.aborted) throw error;
      log('warn', 'the box does not answer; retrying', { edge: settings.edge.origin });
      await systemTimers.sleep(TRUST_RETRY_MS, shutdown.signal);
    }
  }
}

function plainLog(): BridgeLog {
  const log = pino({ name: 'bridge' }, pino.destination({ dest: 1, sync: true }));
  return (level, message, fields = {}) => log[level](fields, message);
}

main().catch((error: unknown) => {
  if (shutdown.signal.aborted) process.exit(0);
  const once = process.argv[2] === 'import';
  const settled = once || error instanceof SettingsError || (error instanceof ReefError && error.code === 'forbidden');
  process.stderr.write(
    `${settled ? '' : 'The bridge stopped: '}${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(settled ? EXIT_SETTINGS : 1);
});
