import { createHash } from 'node:crypto';
import path from 'node:path';
import { realDisk } from '../../src/server/files/disk';
import { Bridge } from './bridge';
import { edgeToken } from './link/edge-trust';
import { HttpCloud } from './link/http-cloud';
import { HttpEdge } from './link/http-edge';
import { HttpErrorReports } from './link/http-error-reports';
import { HttpLink } from './link/http-link';
import { HttpMaps } from './link/http-maps';
import { HttpOutlines } from './link/http-outlines';
import { HttpPreviews } from './link/http-previews';
import { HttpUsage } from './link/http-usage';
import type { BridgeLimits } from './limits';
import { BRIDGE_LIMITS } from './limits';
import type { BridgeLog } from './bridge-context';
import { systemClock, systemTimers } from './runtime';
import type { BridgeSettings } from './settings';
import { BridgeStateFile } from './state/bridge-state-file';
import type { BridgeStatus } from './status/status';

export interface BridgeHooks {
  readonly log: BridgeLog;
  readonly onStatus?: (status: BridgeStatus) => void;
  readonly limits?: Partial<BridgeLimits>;
}

/**
 * Builds the production bridge.
 *
 * @param ca PEM of the box's authority; undefined: the system's
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
    errorReports: new HttpErrorReports(edge, cloud),
    usage: new HttpUsage(edge, cloud),
    outlines: new HttpOutlines(edge, cloud),
    maps: new HttpMaps(edge, cloud),
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

/** Names the state folder, one per pair of box and cloud: a laptop serves several boxes. */
function stateFolderName({ edge, cloud }: BridgeSettings): string {
  return createHash('sha256').update(`${edge.origin} ${cloud.origin}`).digest('hex').slice(0, 12);
}
