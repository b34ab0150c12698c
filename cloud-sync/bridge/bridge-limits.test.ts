import { describe, expect, it } from 'vitest';
import { ReefError } from '../../src/domain/errors';
import { surveyOp } from '../../tests/conformance/ops';
import { BridgeWorld } from '../../tests/support/doubles/bridge-world';
import { BUDGET_DAY_MS } from './limits';

const MB = 1_000_000;

describe('protocol, the bridge: downloads to the box', () => {
  it("others' operations are downloaded with their receipts and are not sent back", async () => {
    const world = new BridgeWorld();
    const op = surveyOp(77, { docId: 'Survey0000000077' });
    world.cloud.addOther(op, 'Person0000000008');
    await world.run(5000);
    expect(world.edge.brought).toEqual([{ op, receipt: world.cloud.receiptFor(op), by: 'Person0000000008' }]);
    expect(world.cloud.calls.filter((call) => call.startsWith('ops'))).toEqual([]);
  });

  it('an operation that the box refused is stored and sent again', async () => {
    const world = new BridgeWorld();
    const op = surveyOp(77);
    world.edge.refused.add(op.opId);
    world.cloud.addOther(op);
    await world.step();
    expect(world.saved().cloud.cursor).toBe(1);
    expect(world.saved().strayed.map(({ opId, code }) => [opId, code])).toEqual([[op.opId, 'unknown-survey']]);
    world.edge.refused.clear();
    await world.run(120_000);
    expect(world.edge.brought).toHaveLength(1);
    expect(world.saved().strayed).toEqual([]);
  });
});

describe('protocol, the bridge: pauses and limits', () => {
  it('a bridge paused at the console sends nothing to the cloud and reports why', async () => {
    const world = new BridgeWorld();
    world.survey();
    world.edge.paused = true;
    await world.run(60_000);
    expect(world.cloud.calls, 'but that it is paused').toEqual(['report']);
    expect(world.edge.reports.at(-1)).toMatchObject({ state: 'paused' });
    world.edge.paused = false;
    await world.step();
    expect(world.cloud.ops.size).toBe(1);
  });

  it('a pause in the middle of a photograph stops there and resumes there', async () => {
    const world = new BridgeWorld();
    world.newBridge({ bytesPerSecond: 10_000 });
    world.survey();
    world.photograph(MB);
    world.edge.commands = async () => ({ paused: world.time.ms > 20_000, verifyRequestedAt: null });
    await world.step();
    expect((await world.bridge.status()).state).toBe('paused');
    const before = world.cloud.uploaded;
    expect(before).toBeGreaterThan(100_000);
    expect(before).toBeLessThan(MB);
    world.edge.commands = async () => ({ paused: false, verifyRequestedAt: null });
    await world.step();
    expect(world.edge.ashore.size).toBe(2);
    expect(world.cloud.uploaded - MB).toBeLessThanOrEqual(1250);
  });

  it('each error has its text, and a refused token is not retried every second', async () => {
    const world = new BridgeWorld();
    const said = async (): Promise<string> => (await world.bridge.status()).state;
    world.cloud.down = new ReefError('disconnected');
    expect(await world.step()).toBeLessThan(10_000);
    expect(await said()).toBe('no-link');
    world.cloud.down = new ReefError('unauthorised');
    expect(await world.step()).toBeGreaterThanOrEqual(60_000);
    expect(await said()).toBe('refused');
    world.cloud.down = new ReefError('forbidden');
    expect(await world.step()).toBeGreaterThanOrEqual(60_000);
    expect(await world.bridge.status()).toMatchObject({
      state: 'refused',
      text: expect.stringMatching(/revoked. Nothing is lost/),
    });
    world.cloud.down = new ReefError('rate-limited', { retryAfterMs: 7000 });
    expect(await world.step()).toBe(7000);
    expect(await said()).toBe('paused');
    world.cloud.down = null;
    world.edge.away = true;
    await world.step();
    expect((await world.bridge.status()).text).toMatch(/box does not answer/);
  });

  it('a cloud without space delays photographs and accepts documents', async () => {
    const world = new BridgeWorld();
    world.survey();
    world.photograph(1000);
    world.cloud.failNext.set('announce', new ReefError('storage-full'));
    await world.step();
    expect(world.cloud.ops.size).toBe(1);
    expect((await world.bridge.status()).state).toBe('paused');
    await world.step();
    expect(world.edge.ashore.size).toBe(2);
  });

  it('the speed cap bounds the bytes of any ten seconds, plus one bucket', async () => {
    const world = new BridgeWorld();
    world.newBridge({ bytesPerSecond: 8000 });
    world.survey();
    world.photograph(200_000);
    world.photograph(200_000);
    await world.step();
    const { arrivals } = world.cloud;
    for (const { at } of arrivals) {
      const within = arrivals
        .filter((other) => other.at >= at && other.at < at + 10_000)
        .reduce((sum, { bytes }) => sum + bytes, 0);
      expect(within).toBeLessThanOrEqual(82_000 + 2000);
    }
    // The cap is fully used: 400 kB at 8 kB a second.
    expect(world.time.ms).toBeGreaterThan(48_000);
    expect(world.time.ms).toBeLessThan(56_000);
  });

  it('the daily budget holds across restarts and clock changes, and renews the next day', async () => {
    const world = new BridgeWorld();
    const limits = { dailyBytes: MB };
    world.newBridge(limits);
    world.survey();
    for (let n = 0; n < 3; n++) world.photograph(700_000);
    await world.step();
    expect(world.cloud.uploaded).toBeLessThanOrEqual(MB);
    expect(world.cloud.uploaded).toBeGreaterThan(950_000);
    expect((await world.bridge.status()).text).toMatch(/used up/);
    const firstDay = world.cloud.uploaded;
    // Ten years ahead, ten years back, a restart: still the same day.
    world.cloud.timeMs = world.time.now();
    for (const years of [10, -10]) {
      world.time.wall += years * 365 * 86_400_000;
      world.newBridge(limits);
      await world.run(3_600_000);
    }
    expect(world.cloud.uploaded).toBe(firstDay);
    await world.run(BUDGET_DAY_MS - 2 * 3_600_000 + 600_000);
    expect(world.cloud.uploaded).toBeGreaterThan(firstDay + 900_000);
    expect(world.cloud.uploaded).toBeLessThanOrEqual(2 * MB);
  });

  it('a day without the bridge counts by cloud time', async () => {
    const world = new BridgeWorld();
    const limits = { dailyBytes: MB };
    world.newBridge(limits);
    world.survey();
    for (let n = 0; n < 2; n++) world.photograph(900_000);
    await world.step();
    const before = world.cloud.uploaded;
    world.cloud.timeMs = world.time.now() + BUDGET_DAY_MS;
    world.newBridge(limits);
    await world.step();
    expect(world.cloud.uploaded).toBeGreaterThan(before + 700_000);
  });

  it('verify finds, reports and resends what the cloud lost', async () => {
    const world = new BridgeWorld();
    world.survey();
    const { blob } = world.photograph(5000);
    world.photograph(5000);
    await world.step();
    world.cloud.blobs.delete(blob.sha256);
    world.edge.verifyRequestedAt = '2026-11-20T05:00:00.000Z';
    await world.run(20_000);
    expect(world.edge.reports.at(-1)?.verified).toMatchObject({ asked: 2, missing: 1 });
    expect(world.cloud.blobs.has(blob.sha256)).toBe(true);
    expect(world.cloud.uploaded).toBe(15_000);
    expect(world.saved().open).toEqual([]);
  });

  it('a photograph without bytes on the box waits, and the others are sent', async () => {
    const world = new BridgeWorld();
    world.survey();
    const { blob } = world.photograph(5000);
    world.photograph(6000);
    world.edge.blobs.delete(blob.sha256);
    await world.step();
    expect(world.edge.ashore.size).toBe(2);
    const status = await world.bridge.status();
    expect(status.held).toMatchObject([{ code: 'not-found' }]);
    expect(status.text).toMatch(/1 record waits/);
  });
});
