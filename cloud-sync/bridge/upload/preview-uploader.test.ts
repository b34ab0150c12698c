import { describe, expect, it } from 'vitest';
import { ReefError } from '../../../src/domain/errors';
import type { Preview } from '../../../src/protocol/cloud-http';
import { BridgeWorld } from '../../../tests/support/doubles/bridge-world';
import type { PreviewApi } from '../link/node-apis';

/** A link of 8 kB a second: a photograph of 300 kB takes half a minute. */
const SLOW = { bytesPerSecond: 8000, photographsAtATime: 1 };

/** Previews of 9 kB, except for `none`; records arrivals in the cloud's `calls`. */
class Pictures implements PreviewApi {
  readonly came: Preview[] = [];
  readonly none = new Set<string>();
  made = 0;
  refusal: ReefError | null = null;

  readonly #calls: string[];

  constructor(calls: string[]) {
    this.#calls = calls;
  }

  async picture(sha256: string): Promise<Uint8Array> {
    if (this.none.has(sha256)) throw new ReefError('unsupported-media');
    this.made++;
    return new Uint8Array(9000).fill(7);
  }

  async missing(hashes: readonly string[]): Promise<readonly string[]> {
    return hashes.filter((hash) => !this.came.some(({ sha256 }) => sha256 === hash));
  }

  async send({ previews }: { previews: readonly Preview[] }): Promise<void> {
    if (this.refusal !== null) throw this.refusal;
    this.#calls.push(`previews ${previews.length}`);
    this.came.push(...previews);
  }
}

function worldWith(limits: object): { world: BridgeWorld; pictures: Pictures } {
  const world = new BridgeWorld();
  const pictures = new Pictures(world.cloud.calls);
  world.newBridge(limits, { previews: pictures });
  return { world, pictures };
}

describe('protocol, the bridge: documents, then previews, then full images', () => {
  it('on a slow link all previews arrive before the first photograph, in sending order', async () => {
    const { world, pictures } = worldWith(SLOW);
    const survey = world.survey();
    const late = world.photograph(300_000, { survey: { id: survey.docId, priority: 5 } });
    const first = world.photograph(300_000, { survey: { id: survey.docId, priority: 1 } });
    const many = Array.from({ length: 8 }, () => world.photograph(300_000));
    await world.step();
    const { calls } = world.cloud;
    const document = calls.findIndex((call) => call.startsWith('ops'));
    const last = calls.findLastIndex((call) => call.startsWith('previews'));
    const photograph = calls.findIndex((call) => call.startsWith('announce'));
    expect([document, last, photograph].every((place) => place >= 0)).toBe(true);
    expect(document).toBeLessThan(calls.findIndex((call) => call.startsWith('previews')));
    expect(last).toBeLessThan(photograph);
    expect(pictures.came.map(({ sha256 }) => sha256)).toEqual([first, ...many, late].map(({ blob }) => blob.sha256));
    expect(pictures.came[0]).toMatchObject({
      surveyId: survey.docId,
      madeAt: '2026-11-20T00:00:01.000Z',
      picture: Buffer.alloc(9000, 7).toString('base64'),
    });
    expect(world.cloud.uploaded).toBe(10 * 300_000);
  });

  it('a fast link carries only the first few previews, which measure it', async () => {
    const { world, pictures } = worldWith({ bytesPerSecond: 4_000_000 });
    world.survey();
    for (let n = 0; n < 20; n++) world.photograph(300_000);
    await world.step();
    expect(pictures.came).toHaveLength(4);
    expect(world.edge.ashore.size).toBe(21);
  });

  it('photographs do not wait when previews cannot be made', async () => {
    const { world, pictures } = worldWith({ bytesPerSecond: 4_000_000 });
    world.survey();
    for (let n = 0; n < 20; n++) pictures.none.add(world.photograph(300_000).blob.sha256);
    const tried: string[] = [];
    const picture = pictures.picture.bind(pictures);
    pictures.picture = async (sha256) => {
      tried.push(sha256);
      return picture(sha256);
    };
    await world.step();
    expect(tried).toHaveLength(4);
    expect(world.edge.ashore.size).toBe(21);
  });

  it('a restarted bridge asks which previews exist and sends none twice', async () => {
    const { world, pictures } = worldWith(SLOW);
    world.survey();
    for (let n = 0; n < 6; n++) world.photograph(300_000);
    world.cloud.failNext.set('announce', new ReefError('disconnected'));
    await world.step();
    expect(pictures.came).toHaveLength(6);
    world.newBridge(SLOW, { previews: pictures });
    await world.run(600_000);
    expect(pictures.came).toHaveLength(6);
    expect(pictures.made).toBe(6);
    expect(world.edge.ashore.size).toBe(7);
  });

  it.each([
    ['a photograph of which no picture can be made', (pictures: Pictures, sha256: string) => pictures.none.add(sha256)],
    ['a cloud that stores no previews', (pictures: Pictures) => (pictures.refusal = new ReefError('not-found'))],
    ['a cloud that refuses one', (pictures: Pictures) => (pictures.refusal = new ReefError('unsupported-media'))],
  ])('%s stops no photograph', async (_what, spoil) => {
    const { world, pictures } = worldWith(SLOW);
    world.survey();
    const { blob } = world.photograph(300_000);
    world.photograph(300_000);
    spoil(pictures, blob.sha256);
    await world.step();
    expect(pictures.came.map(({ sha256 }) => sha256)).not.toContain(blob.sha256);
    expect(world.edge.ashore.size).toBe(3);
  });

  it('previews count towards the daily budget', async () => {
    const { world, pictures } = worldWith({ ...SLOW, dailyBytes: 60_000 });
    world.survey();
    for (let n = 0; n < 12; n++) world.photograph(300_000);
    await world.step();
    expect(pictures.came.length).toBeGreaterThan(0);
    expect(pictures.came.length).toBeLessThan(12);
    expect(world.saved().day.usedBytes).toBeGreaterThan(40_000);
  });
});
