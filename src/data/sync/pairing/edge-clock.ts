import type { EdgeRow } from '../../ops/database';
import type { TabletHost } from '../../../platform/host';
import { EdgeHttp } from '../../transport/edge/edge-http';
import { fetchVerifiedTrace } from '../../transport/verify-node-trace';

export interface EdgeClock {
  /** ms to add to this tablet's clock to get the box's. */
  readonly offsetMs: number;
  /** Half of the measured round trip, ms: the error of the offset. */
  readonly uncertaintyMs: number;
}

/** Number of round trips; the fastest one is used, as its delay is the smallest. */
const ROUND_TRIPS = 5;
const TIMEOUT_MS = 4000;

/**
 * Measures the box's clock over signed node traces: the box's time, half a round trip before the answer arrived. The
 * monotonic clock measures the trip, so a clock change in between has no effect.
 *
 * @returns null if the box does not answer, or the answer is not signed by it
 */
export async function measureEdgeClock(
  host: Pick<TabletHost, 'fetch' | 'timers' | 'randomBytes' | 'clock' | 'verifySignature'>,
  edge: Pick<EdgeRow, 'origin' | 'traceKeys' | 'nodeId'>,
): Promise<EdgeClock | null> {
  const http = new EdgeHttp(host, edge.origin);
  let best: { readonly boxTime: number; readonly at: number; readonly trip: number } | undefined;
  for (let i = 0; i < ROUND_TRIPS; i++) {
    let [before, at] = [0, 0];
    const trace = await fetchVerifiedTrace(host, edge.traceKeys, async (nonce) => {
      before = host.clock.elapsed();
      const text = await http.trace(nonce, '/edge/trace', TIMEOUT_MS).catch(() => '');
      at = host.clock.elapsed();
      return text;
    });
    const edgeTime = trace?.node === edge.nodeId ? Date.parse(trace.time) : Number.NaN;
    if (Number.isNaN(edgeTime)) break;
    if (best === undefined || at - before < best.trip) best = { boxTime: edgeTime, at, trip: at - before };
  }
  if (best === undefined) return null;
  const edgeNow = best.boxTime + best.trip / 2 + (host.clock.elapsed() - best.at);
  return { offsetMs: Math.round(edgeNow - host.clock.now()), uncertaintyMs: Math.ceil(best.trip / 2) };
}
