import type { FleetReport } from '../../src/protocol/cloud-http';
import { newId } from './servers/edge-client';

/** Report of a box that owes nothing. */
export function fleetReport(node: string, more: Partial<FleetReport> = {}): FleetReport {
  return {
    node,
    name: 'Reef Box',
    storeEpoch: newId(),
    version: '0.0.0',
    owed: { ops: 0, images: 0, bytes: 0 },
    oldestUnsentAt: null,
    disk: { free: 50, size: 100 },
    clockDriftMs: 0,
    paused: null,
    ...more,
  };
}
