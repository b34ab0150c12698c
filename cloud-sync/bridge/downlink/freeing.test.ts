import { describe, expect, it } from 'vitest';
import { BridgeWorld } from '../../../tests/support/doubles/bridge-world';

describe('protocol, Freeing: the bridge asks the cloud for the box', () => {
  async function ashore(): Promise<{ world: BridgeWorld; hashes: string[] }> {
    const world = new BridgeWorld();
    world.survey();
    const hashes = [world.photograph(4000), world.photograph(5000)].map(({ blob }) => blob.sha256);
    await world.step();
    return { world, hashes };
  }

  it('the cloud’s answer reaches the box with epoch and time, requested after the answer', async () => {
    const { world, hashes } = await ashore();
    world.edge.freeable.push(...hashes);
    const from = world.cloud.calls.length;
    await world.step();
    const calls = world.cloud.calls.slice(from);
    expect(calls.indexOf('identity')).toBeGreaterThan(calls.indexOf('have 2'));
    expect(world.edge.freeingAnswers).toEqual([
      {
        id: 'Question00000001',
        storeEpoch: world.cloud.storeEpoch,
        time: new Date(world.time.now()).toISOString(),
        missing: [],
      },
    ]);
  });

  it('what the cloud lacks is reported and sent again', async () => {
    const { world, hashes } = await ashore();
    const [lost = ''] = hashes;
    world.cloud.blobs.delete(lost);
    world.edge.freeable.push(...hashes);
    await world.step();
    expect(world.edge.freeingAnswers).toMatchObject([{ missing: [lost] }]);
    await world.step();
    expect(world.cloud.blobs.has(lost)).toBe(true);
  });

  it('nothing is reported if another store answers', async () => {
    const { world, hashes } = await ashore();
    world.edge.freeable.push(...hashes);
    world.cloud.storeEpoch = 'CloudEpoch000002';
    await world.step();
    expect(world.edge.freeingAnswers).toEqual([]);
  });

  it('a paused bridge asks nothing', async () => {
    const { world, hashes } = await ashore();
    world.edge.freeable.push(...hashes);
    world.edge.paused = true;
    await world.step();
    expect(world.edge.freeingAnswers).toEqual([]);
  });
});
