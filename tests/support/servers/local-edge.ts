/** Box in this process, over a new home: with hooks, and without the start of a process. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { Edge, EdgeHooks } from '../../../edge-server/app';
import { buildEdge } from '../../../edge-server/app';
import { readSettings } from '../../../edge-server/settings';

export interface LocalEdge {
  readonly edge: Edge;
  readonly url: string;
  readonly code: string;
  readonly adminToken: string;
  close(): Promise<void>;
}

export async function startLocalEdge(
  hooks: EdgeHooks = {},
  env: Readonly<Record<string, string>> = {},
): Promise<LocalEdge> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-edge-'));
  const edge = await buildEdge(readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0', ...env }), {
    log: pino({ level: 'silent' }),
    ...hooks,
  });
  const url = await edge.listen();
  return {
    edge,
    url,
    code: edge.context.pairing.code(),
    adminToken: edge.context.adminToken,
    async close() {
      await edge.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
