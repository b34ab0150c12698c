// Rival: the npm reader of PMTiles behind Fastify, over a local file, set up as in its own examples. It caches
// directories and returns tiles decompressed.
import { open } from 'node:fs/promises';
import fastify from 'fastify';
import type { RangeResponse, Source } from 'pmtiles';
import { PMTiles } from 'pmtiles';
import { announce } from './ready';

const file = await open(process.env['BENCH_ARCHIVE'] ?? '');

const source: Source = {
  getKey: () => 'land',
  async getBytes(offset, length): Promise<RangeResponse> {
    const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
    return { data: buffer.buffer.slice(0, bytesRead) };
  },
};
const archive = new PMTiles(source);

const app = fastify();
app.get<{ Params: { z: string; x: string; y: string } }>(
  '/tiles/land/:z/:x/:y',
  async ({ params: { z, x, y } }, reply) => {
    const tile = await archive.getZxy(Number(z), Number(x), Number(y));
    if (tile === undefined) return reply.code(204).send();
    return reply.type('application/vnd.mapbox-vector-tile').send(Buffer.from(tile.data));
  },
);
await app.ready();
announce(app.server);
