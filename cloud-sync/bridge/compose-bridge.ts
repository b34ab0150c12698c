import { createHash } from 'node:crypto';
import path from 'node:path';
import { realDisk } from '../../src/server/files/disk';
import { Bridge } from './bridge';
import { edgeToken } from './link/edge-trust';
import { HttpCloud } from './link/http-cloud';
import { HttpEdge } from './link/http-edge';
import { HttpLink } from './link/http-link';
import { HttpPreviews } from './link/http-previews';
import type { BridgeLimits } from './limits';
import { BRIDGE_LIMITS } from './limits';
import type { BridgeLog } from './bridge-context';
import { systemClock, systemTimers } from './runtime';
import type { BridgeSettings } from './settings';
import { BridgeStateFile } from './state/bridge-state-file';
import type { BridgeStatus } from './status/status';

/** What whoever runs the bridge adds. */
export interface BridgeHooks {
  readonly log: BridgeLog;
  readonly onStatus?: (status: BridgeStatus) => void;
  /** Tests have no time for the usual waits. */
  readonly limits?: Partial<BridgeLimits>;
}

/**
 * The bridge as it runs in production: over HTTP, its state in a file.
 *
 * @param ca PEM of the authority that vouches for the box; undefined: those of the system
 */
export function composeBridge(
  settings: BridgeSettings,
  ca: string | undefined,
  { log, onStatus, limits }: BridgeHooks,
): { readonly bridge: Bridge; close(): void } {
  const edge = new HttpLink({
    url: settings.edge,
    token: () => edgeToken(settings),
    ca: () => ca,
    silenceMs: BRIDGE_LIMITS.responseTimeoutMs,
  });
  const cloud = new HttpLink({
    url: settings.cloud,
    token: () => settings.token,
    silenceMs: 2 * BRIDGE_LIMITS.responseTimeoutMs,
  });
  const bridge = new Bridge({
    edge: new HttpEdge(edge),
    cloud: new HttpCloud(cloud),
    previews: new HttpPreviews(edge, cloud),
    state: new BridgeStateFile(realDisk, path.join(settings.home, stateFolderName(settings)), (message) =>
      log('error', message),
    ),
    clock: systemClock,
    timers: systemTimers,
    random: Math.random,
    limits: { bytesPerSecond: settings.bytesPerSecond, dailyBytes: settings.dailyBytes, ...limits },
    log,
    ...(onStatus === undefined ? {} : { onStatus }),
  });
  return {
    bridge,
    close() {
      edge.close();
      cloud.close();
    },
  };
}

/** A laptop serves several boxes: each pair of box and cloud has its own state. */
function stateFolderName({ edge, cloud }: BridgeSettings): string {
  return createHash('sha256').update(`${edge.origin} ${cloud.origin}`).digest('hex').slice(0, 12);
}
