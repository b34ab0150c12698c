/** Production bridge, composed by its own `composeBridge`, with short waits for tests that cut it often. */
import { composeBridge } from '../../cloud-sync/bridge/compose-bridge';
import { readBridgeSettings } from '../../cloud-sync/bridge/settings';

const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());
const say = (fields: Readonly<Record<string, unknown>>): void =>
  void process.stdout.write(`${JSON.stringify(fields)}\n`);
const { bridge, close } = composeBridge(readBridgeSettings(process.argv.slice(2), process.env), undefined, {
  log: (level, msg, fields = {}) => say({ level, msg, ...fields }),
  limits: { edgePollMs: 100, tickMs: 300, retryMs: 100, retryMaxMs: 400, itemRetryMs: 300, cloudPollMs: 5000 },
});
say({ msg: 'the bridge runs' });
await bridge.run(ending.signal);
close();
process.exit(0);
