import { describe, expect, it } from 'vitest';
import { ReefError } from '../../../src/domain/errors';
import { BridgeWorld } from '../../../tests/support/doubles/bridge-world';
import { BRIDGE_LIMITS, BUDGET_DAY_MS } from '../limits';

const said = (world: BridgeWorld) => world.cloud.reports.map(({ paused }) => paused);

describe('protocol, the bridge: the fleet learns why nothing moves', () => {
  it('a pause is reported at once, rarely repeated, and cleared when it ends', async () => {
    const world = new BridgeWorld();
    world.survey();
    await world.step();
    expect(said(world)).toEqual([null]);
    world.edge.paused = true;
    world.photograph(5000);
    await world.step();
    await world.step();
    expect(said(world), 'once').toEqual([null, expect.stringMatching(/paused at the box/)]);
    expect(world.cloud.uploaded, 'and nothing else moves').toBe(0);
    await world.run(1.2 * BRIDGE_LIMITS.fleetMs);
    expect(said(world).length).toBe(3);
    world.edge.paused = false;
    await world.step();
    expect(said(world).at(-1)).toBeNull();
    expect(world.cloud.uploaded).toBe(5000);
  });

  it('a bridge that starts paused reports its identity and the reason', async () => {
    const world = new BridgeWorld();
    world.edge.paused = true;
    await world.step();
    expect(world.cloud.reports).toMatchObject([
      {
        node: world.edge.node,
        storeEpoch: world.edge.storeEpoch,
        name: 'Test box',
        paused: expect.stringMatching(/paused at the box/),
      },
    ]);
  });

  it('a pause without a reachable cloud stays a pause and is reported once it is reachable', async () => {
    const world = new BridgeWorld();
    world.survey();
    await world.step();
    world.edge.paused = true;
    world.cloud.down = new ReefError('disconnected');
    const before = world.cloud.calls.length;
    for (let n = 0; n < 10; n++) await world.run(1);
    expect(await world.bridge.status()).toMatchObject({ state: 'paused' });
    expect(world.cloud.calls.length - before, 'a missing link is not tried at every poll').toBe(1);
    world.cloud.down = null;
    await world.run(BRIDGE_LIMITS.cloudPollMs);
    expect(said(world).at(-1)).toMatch(/paused at the box/);
  });

  it('an exhausted daily budget is reported once, beyond the budget, and counted', async () => {
    const world = new BridgeWorld();
    world.newBridge({ dailyBytes: 3_000_000 });
    world.survey();
    world.photograph(4_000_000);
    await world.step();
    await world.run(2 * BRIDGE_LIMITS.fleetMs);
    const why = said(world).filter((paused) => paused !== null);
    expect(why).toEqual([expect.stringMatching(/data budget is used up/)]);
    const { sentToday } = await world.bridge.status();
    expect(sentToday).toBeGreaterThan(3_000_000);
    await world.run(BUDGET_DAY_MS);
    expect(
      said(world).some((paused, i) => paused === null && i > said(world).findIndex((one) => one !== null)),
      'and cleared the next day',
    ).toBe(true);
  });

  it('unreachable boxes and a full cloud are reported; a missing link is not', async () => {
    const world = new BridgeWorld();
    world.survey();
    await world.step();
    world.edge.away = true;
    await world.step();
    expect(said(world).at(-1)).toMatch(/box does not answer/);
    world.edge.away = false;
    world.photograph(5000);
    world.cloud.failNext.set('announce', new ReefError('storage-full'));
    await world.step();
    expect(said(world).at(-1)).toMatch(/cloud has no room/);
    world.cloud.down = new ReefError('disconnected');
    const reports = () => world.cloud.calls.filter((call) => call === 'report').length;
    const before = reports();
    world.photograph(5000);
    await world.step();
    expect(reports()).toBe(before);
  });
});
