import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ReefError } from '../../../src/domain/errors';
import type { MapFile, WantedMapFile } from '../../../src/protocol/map-files';
import { BridgeWorld } from '../../../tests/support/doubles/bridge-world';
import type { BridgeLimits } from '../limits';
import { BUDGET_DAY_MS } from '../limits';
import type { MapApi, MapPiece } from '../link/node-apis';

const MB = 1024 * 1024;

/** Map files ashore, and what a box has of them; each request is noted in the cloud's `calls`. */
class MapServers implements MapApi {
  readonly aboard = new Map<string, number>();
  /** Bytes that crossed the link. */
  received = 0;
  /** Largest piece that was asked for, bytes. */
  largest = 0;
  readonly #calls: string[];
  readonly #files: readonly MapFile[];

  constructor(calls: string[], sizes: readonly number[]) {
    this.#calls = calls;
    this.#files = sizes.map((bytes, n) => ({
      address: `/tiles/map-${n}.pmtiles`,
      sha256: createHash('sha256').update(`map ${n}`).digest('hex') as MapFile['sha256'],
      bytes,
      type: 'application/vnd.pmtiles',
      set: 'gbr',
      encoding: 'identity',
    }));
  }

  get isWhole(): boolean {
    return this.#files.every(({ sha256, bytes }) => this.aboard.get(sha256) === bytes);
  }

  async list(): Promise<{ readonly files: readonly MapFile[]; readonly etag: string }> {
    this.#calls.push('map list');
    return { files: this.#files, etag: '"1"' };
  }

  async wanted(files: readonly MapFile[]): Promise<readonly WantedMapFile[]> {
    return files
      .map(({ sha256, bytes }) => ({ sha256, bytes, offset: this.aboard.get(sha256) ?? 0 }))
      .filter(({ offset, bytes }) => offset < bytes);
  }

  async piece(file: MapFile, { offset, bytes }: { offset: number; bytes: number }): Promise<MapPiece> {
    this.#calls.push('map piece');
    this.largest = Math.max(this.largest, bytes);
    const came = Math.min(bytes, file.bytes - offset);
    this.received += came;
    return { bytes: new Uint8Array(came), length: file.bytes };
  }

  async append(
    sha256: string,
    { offset, length, bytes }: { offset: number; length: number; bytes: Uint8Array },
  ): Promise<{ readonly offset: number; readonly complete: boolean }> {
    const has = this.aboard.get(sha256) ?? 0;
    if (offset !== has) throw new ReefError('internal', { field: 'offset', offset: has });
    this.aboard.set(sha256, has + bytes.length);
    return { offset: has + bytes.length, complete: has + bytes.length === length };
  }
}

function worldWith(sizes: readonly number[], limits: Partial<BridgeLimits>) {
  const world = new BridgeWorld();
  const maps = new MapServers(world.cloud.calls, sizes);
  world.newBridge(limits, { maps });
  return { world, maps };
}

describe('3§7 the bridge brings the map last, and inside the budget', () => {
  it('the map comes after records and photographs', async () => {
    const { world, maps } = worldWith([300_000, 100_000], {});
    world.survey();
    world.photograph(MB);
    await world.step();
    const { calls } = world.cloud;
    expect(world.edge.ashore.size).toBe(2);
    expect(maps.isWhole).toBe(true);
    const isMap = (call: string): boolean => call.startsWith('map');
    expect(calls.findIndex(isMap)).toBeGreaterThan(calls.findLastIndex((call) => !isMap(call)));
  });

  it('a map that takes hours lets a new record go ahead after half a minute', async () => {
    const { world, maps } = worldWith([20 * MB], { bytesPerSecond: 8000, cloudPollMs: 0 });
    const from = world.time.ms;
    await world.step();
    expect(world.time.ms - from, 'one turn').toBeLessThan(60_000);
    expect(maps.received).toBeGreaterThan(0);
    world.survey();
    const before = world.cloud.calls.length;
    await world.step();
    const later = world.cloud.calls.slice(before);
    expect(world.edge.ashore.size).toBe(1);
    expect(later.findIndex((call) => call.startsWith('ops'))).toBeLessThan(later.indexOf('map piece'));
  });

  it('half of a day’s budget stays for the crew, and the next day continues where the map ended', async () => {
    const daily = 4 * MB;
    const { world, maps } = worldWith([3 * MB, 2 * MB], { dailyBytes: daily, cloudPollMs: 0 });
    await world.step();
    expect(maps.received).toBeGreaterThan(MB);
    expect(maps.received).toBeLessThanOrEqual(daily / 2);
    await world.step();
    expect(maps.received).toBeLessThanOrEqual(daily / 2);
    world.survey();
    world.photograph(MB);
    await world.step();
    expect(world.edge.ashore.size, 'the crew has the rest').toBe(2);
    for (let days = 0; days < 4 && !maps.isWhole; days++) {
      world.time.ms += BUDGET_DAY_MS;
      await world.step();
    }
    expect(maps.isWhole).toBe(true);
    expect(maps.received, 'no byte came twice').toBe(5 * MB);
  });

  it('a piece of a fast but capped link is no larger than a turn can take', async () => {
    const { world, maps } = worldWith([40 * MB], { bytesPerSecond: 100_000, cloudPollMs: 0 });
    await world.run(10 * 60_000);
    expect(maps.largest).toBeLessThan(30 * 100_000);
    expect(maps.received).toBeGreaterThan(40 * MB * 0.5);
  });
});
