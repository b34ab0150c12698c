// The cloud service as it runs ashore, in a process of its own: the benches' own database, the token of a box.
import { pino } from 'pino';
import { buildCloud } from '../../cloud-sync/api/app';
import { readCloudSettings } from '../../cloud-sync/api/settings';

const cloud = await buildCloud(readCloudSettings({ ...process.env, CLOUD_PORT: '0' }), { log: pino({ level: 'warn' }, pino.destination(2)) });
process.send?.({ ready: await cloud.listen() });
const end = (): void => void cloud.close().then(() => process.exit(0));
process.once('SIGTERM', end);
process.once('disconnect', end);
