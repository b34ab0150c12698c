// Cloud service in its own process, as in production, with the benches' database and a box token.
import { Session } from 'node:inspector/promises';
import { pino } from 'pino';
import { buildCloud } from '../../../cloud-sync/api/app';
import { readCloudSettings } from '../../../cloud-sync/api/settings';

/** µs between two samples. */
const SAMPLE_US = 200;

const cloud = await buildCloud(readCloudSettings({ ...process.env, CLOUD_PORT: '0' }), {
  log: pino({ level: 'warn' }, pino.destination(2)),
  appFolder: process.env['BENCH_APP_FOLDER'] ?? null,
});
const inspector = new Session();

/** Starts a profile of this process, or ends and returns it. */
async function profile(what: 'start' | 'stop'): Promise<unknown> {
  if (what === 'stop') {
    const { profile } = await inspector.post('Profiler.stop');
    inspector.disconnect();
    return profile;
  }
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await inspector.post('Profiler.start');
  return 'started';
}

process.on('message', (message: { profile: 'start' | 'stop' }) => {
  void profile(message.profile).then((answer) => process.send?.(answer as object));
});
process.send?.({ ready: await cloud.listen() });
const end = (): void => void cloud.close().then(() => process.exit(0));
process.once('SIGTERM', end);
process.once('disconnect', end);
