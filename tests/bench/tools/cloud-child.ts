// The cloud service as it runs ashore, in a process of its own: the benches' own database, the token of a box.
import { Session } from 'node:inspector/promises';
import { pino } from 'pino';
import { buildCloud } from '../../../cloud-sync/api/app';
import { readCloudSettings } from '../../../cloud-sync/api/settings';

/** µs between two samples. */
const SAMPLE_US = 200;

const cloud = await buildCloud(readCloudSettings({ ...process.env, CLOUD_PORT: '0' }), {
  log: pino({ level: 'warn' }, pino.destination(2)),
});
const inspector = new Session();

/** Begins a profile of this process, or ends it and gives it. */
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
