import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { PMTiles } from 'pmtiles';
import { buildTiles } from '../../scripts/tiles.mjs';
import { startEdge } from '../support/servers/edge';
import { BytesSource } from '../support/servers/pmtiles-file';
import { benchFolder, removeFolder, startChild } from './tools/child';
import type { Bench } from './tools/harness';
import { interleave, ratioByRound } from './tools/harness';
import type { MeasuredServer } from './tools/http-contestant';
import { httpContestant, rateText } from './tools/http-contestant';
import { LeanHttp } from './tools/lean-http';

const ROUNDS = 5;
const CLIENTS = 4;
const REQUESTS = 4_000;
const GZIP = { 'Accept-Encoding': 'gzip' };
const RIVAL = 'pmtiles behind Fastify';

/** Tile server under `/tiles/land/<z>/<x>/<y>` in its own process. */
interface TileServer extends MeasuredServer {
  stop(): Promise<void>;
}

/**
 * Compares whole routes: on the box policy, strict headers, CORS and metrics precede each tile; the rival is a bare
 * server with one route. Both serve the chart that every box carries, to clients that accept gzip, as every browser
 * does. That chart fits into the box's memory cache; without the cache, with a file read for each tile, the box needed
 * 0.32 of the rival's processor time on the machine where it needs 0.19.
 */
export const bench: Bench = {
  about: `${REQUESTS} tiles of the land to ${CLIENTS} clients, beside ${RIVAL}`,
  async run(say) {
    const folder = await benchFolder('tiles');
    const archive = path.join(folder, 'edge', 'tiles', 'land.pmtiles');
    mkdirSync(path.dirname(archive), { recursive: true });
    copyFileSync(buildTiles(), archive);
    const servers: TileServer[] = [];
    try {
      servers.push(await startBox(folder), await startRival(archive));
      const places = await placesIn(archive);
      await checkAlike(servers, places);
      const turns = await interleave(
        servers.map((server) =>
          httpContestant(server, { requests: REQUESTS, places, headers: GZIP, clients: CLIENTS }),
        ),
        ROUNDS,
      );
      const [box = [], rival = []] = servers.map(({ name }) => turns.get(name) ?? []);
      for (const [name, list] of turns) say(rateText(name, list, REQUESTS, 'tile'));
      return [
        {
          figure: 'server CPU a tile',
          value: ratioByRound(box, rival, ({ cpuSeconds }) => cpuSeconds),
          unit: '×',
          rule: '<=',
          goal: 0.25,
          rival: RIVAL,
        },
        {
          figure: 'tiles a second',
          value: ratioByRound(rival, box, ({ seconds }) => seconds),
          unit: '×',
          rule: '>=',
          goal: 1,
          rival: RIVAL,
        },
      ];
    } finally {
      for (const server of servers) await server.stop();
      await removeFolder(folder);
    }
  },
};

async function startBox(home: string): Promise<TileServer> {
  const edge = await startEdge({ home });
  return { name: 'box', url: edge.url, pid: edge.pid, stop: async () => void (await edge.stop()) };
}

async function startRival(archive: string): Promise<TileServer> {
  const child = await startChild<string>('tests/bench/rivals/pmtiles-fastify.ts', { BENCH_ARCHIVE: archive });
  return { name: RIVAL, url: child.ready, pid: child.pid, stop: () => child.stop() };
}

/** Every tile of the chart in a scattered order, so that no contestant gains from earlier reads. */
async function placesIn(archive: string): Promise<string[]> {
  const reader = new PMTiles(new BytesSource(readFileSync(archive)));
  const places: string[] = [];
  for (let z = 0; z <= 6; z++) {
    for (let x = 0; x < 2 ** z; x++)
      for (let y = 0; y < 2 ** z; y++)
        if ((await reader.getZxy(z, x, y)) !== undefined) places.push(`/tiles/land/${z}/${x}/${y}`);
  }
  return places.map((_, n) => places[(n * 7919) % places.length] ?? '');
}

/** Checks that both return the same tiles. */
async function checkAlike(servers: readonly TileServer[], places: readonly string[]): Promise<void> {
  for (const place of places.slice(0, 50)) {
    const answers = await Promise.all(
      servers.map(async ({ url }) => {
        const http = await LeanHttp.open(url);
        const { status, headers, body } = await http.request('GET', place, GZIP);
        http.close();
        if (status !== 200) throw new Error(`${place}: ${status}`);
        return headers.get('content-encoding') === 'gzip' ? gunzipSync(body) : body;
      }),
    );
    if (answers[0]?.equals(answers[1] ?? Buffer.alloc(0)) !== true) throw new Error(`${place} differs`);
  }
}
