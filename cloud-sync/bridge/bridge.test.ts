import { describe, expect, it } from 'vitest';
import { ReefError } from '../../src/domain/errors';
import { analysisOp, surveyOp } from '../../tests/conformance/ops';
import { BridgeWorld } from '../../tests/support/doubles/bridge-world';

const MB = 1_000_000;

describe('protocol, the bridge: uploads to the cloud', () => {
  it('documents go first, then photographs, and each receipt is stored aboard', async () => {
    const world = new BridgeWorld();
    world.survey();
    world.photograph(300_000);
    world.photograph(200_000);
    world.edge.add(analysisOp(9, 'Analysis00000001', 'Image00000000002'));
    await world.step();
    const firstUpload = world.cloud.calls.findIndex((call) => call.startsWith('upload'));
    const firstAnalysis = world.cloud.calls.findIndex((call) => /^ops .*\b9\b/.test(call));
    expect(firstAnalysis).toBeGreaterThan(-1);
    expect(firstUpload).toBeGreaterThan(firstAnalysis);
    expect([...world.edge.ashore.keys()].sort()).toEqual([...world.cloud.ops.keys()].sort());
    expect(world.edge.ashore.size).toBe(4);
    expect(world.cloud.uploaded).toBe(500_000);
    expect(world.saved().open).toEqual([]);
    // The box's own receipts came into the feed since; the cursor passes them too.
    await world.step();
    expect(world.saved().edge.cursor).toBe(world.edge.feed.length);
    expect(world.edge.references.get('cloud-keys')).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x', kid: 'k1' }],
    });
    expect(world.edge.references.get('regions')).toEqual([{ id: 'gbr' }]);
  });

  it('the box’s bundle key reaches the cloud once; a refusal stops nothing', async () => {
    const world = new BridgeWorld();
    world.survey();
    await world.step();
    await world.step();
    expect(world.cloud.boxKeysTold).toEqual([['b1']]);
    world.newBridge();
    world.cloud.failNext.set(
      'boxKeys',
      new ReefError('forbidden', { message: 'The box signed with another key before.' }),
    );
    world.photograph(5000);
    await world.step();
    expect(world.cloud.boxKeysTold).toEqual([['b1']]);
    expect(world.edge.ashore.size).toBe(2);
    expect(world.cloud.reports.length).toBeGreaterThan(0);
    expect((await world.bridge.status()).state).toBe('idle');
  });

  it('the fleet sees what is owed while photographs are being sent', async () => {
    const world = new BridgeWorld();
    world.newBridge({ bytesPerSecond: 10_000 });
    world.survey();
    world.photograph(MB);
    await world.step();
    expect(world.cloud.reports.map(({ owed }) => owed.images)).toEqual([1, 0]);
    expect(world.cloud.reports[0]?.owed.bytes).toBeGreaterThan(900_000);
  });

  it('photographs are sent by survey priority, then by age', async () => {
    const world = new BridgeWorld();
    world.newBridge({ concurrentPhotographs: 1 });
    world.survey();
    const late = world.photograph(
      1000,
      { survey: { id: 'Survey0000000001', priority: 2 } },
      '2026-11-20T00:00:09.000Z',
    );
    const plain = world.photograph(1000);
    const early = world.photograph(
      1000,
      { survey: { id: 'Survey0000000001', priority: 2 } },
      '2026-11-20T00:00:02.000Z',
    );
    const first = world.photograph(
      1000,
      { survey: { id: 'Survey0000000001', priority: 1 } },
      '2026-11-20T00:00:08.000Z',
    );
    await world.step();
    const order = world.cloud.calls.filter((call) => call.startsWith('announce')).map((call) => call.slice(9));
    expect(order).toEqual([first, early, late, plain].map(({ blob }) => blob.sha256.slice(0, 6)));
  });

  it('receipts are downloaded while other photographs are uploading', async () => {
    const world = new BridgeWorld();
    world.newBridge({ concurrentPhotographs: 1, settleMs: 0 });
    world.survey();
    world.photograph(1000);
    const second = world.photograph(1000);
    for (let n = 0; n < 4; n++) world.photograph(1000);
    await world.step();
    const receipted = world.cloud.calls.findIndex(
      (call) =>
        call.startsWith('ops') &&
        call
          .slice(4)
          .split(',')
          .includes(second.op.opId.split('-')[1] ?? '?'),
    );
    expect(receipted).toBeGreaterThan(-1);
    expect(receipted).toBeLessThan(world.cloud.calls.findLastIndex((call) => call.startsWith('upload')));
    expect(world.edge.ashore.size).toBe(7);
  });

  it('a slow link carries two photographs at a time, with the next two announced', async () => {
    const world = new BridgeWorld();
    world.newBridge({ bytesPerSecond: 100_000 });
    world.survey();
    for (let n = 0; n < 6; n++) world.photograph(400_000);
    let [now, most] = [0, 0];
    const upload = world.cloud.upload.bind(world.cloud);
    world.cloud.upload = async (piece) => {
      most = Math.max(most, ++now);
      return upload(piece).finally(() => now--);
    };
    await world.step();
    expect(most).toBe(2);
    const firstUpload = world.cloud.calls.findIndex((call) => call.startsWith('upload'));
    const done = world.cloud.calls.findIndex(
      (call) =>
        call.startsWith('upload') &&
        call.split(' ')[1] === world.cloud.calls[firstUpload]?.split(' ')[1] &&
        !call.split(' ')[2]?.startsWith('0+'),
    );
    expect(world.cloud.calls.slice(0, done).filter((call) => call.startsWith('announce'))).toHaveLength(4);
    expect(world.edge.ashore.size).toBe(7);
  });

  it('two photographs of one size do not finish their chunks together', async () => {
    const world = new BridgeWorld();
    world.newBridge({ pieceBytesMin: 10_000, pieceBytesMax: 10_000 });
    world.survey();
    world.photograph(40_000);
    world.photograph(40_000);
    await world.step();
    const firstPieces = world.cloud.calls
      .filter((call) => /^upload \w+ 0\+/.test(call))
      .map((call) => Number(call.split('+')[1]));
    expect(firstPieces.sort()).toEqual([10_000, 15_000]);
    expect(world.edge.ashore.size).toBe(3);
  });

  it('bytes that the cloud has are not sent, and the operation is posted again for its receipt', async () => {
    const world = new BridgeWorld();
    world.survey();
    const { blob } = world.photograph(5000);
    world.cloud.blobs.set(blob.sha256, Buffer.alloc(5000));
    world.photograph(5000);
    await world.step();
    expect(world.cloud.uploaded).toBe(5000);
    expect(world.edge.ashore.size).toBe(3);
  });

  it('a cloud that accepts a record and still asks for bytes causes no loop', async () => {
    const world = new BridgeWorld();
    world.survey();
    const { op, blob } = world.photograph(5000);
    // The cloud claims to have them, and parks the record anyway.
    world.cloud.findMissing = async () => [];
    await world.run(20_000);
    expect(world.cloud.calls.filter((call) => call === `ops ${op.opId.split('-')[1]}`)).toHaveLength(1);
    expect(world.saved().open.map(({ opId, tries }) => [opId, tries])).toEqual([[op.opId, 1]]);
    world.cloud.findMissing = async () => [blob.sha256];
    await world.run(60_000);
    expect(world.edge.ashore.size).toBe(2);
  });

  it('a cut in the middle of a file resumes at the received offset', async () => {
    const world = new BridgeWorld();
    world.survey();
    world.photograph(5 * MB);
    world.cloud.failNext.set('piece', new ReefError('disconnected'));
    const wait = await world.step();
    expect(wait).toBeGreaterThanOrEqual(1000);
    expect((await world.bridge.status()).state).toBe('no-link');
    await world.step();
    expect(world.cloud.uploaded).toBe(5 * MB);
    expect(world.edge.ashore.size).toBe(2);
  });

  it('an operation without "by" is sent with the author that the box knows', async () => {
    const world = new BridgeWorld();
    const op = surveyOp(1);
    world.edge.add(op, undefined, 'Person0000000007');
    await world.step();
    expect(world.cloud.ops.get(op.opId)?.by).toBe('Person0000000007');
  });

  it('one bad record stops no other, survives a restart and is sent later', async () => {
    const world = new BridgeWorld();
    const bad = world.survey('Survey0000000009');
    world.survey();
    world.cloud.errors.set(bad.opId, new ReefError('forbidden'));
    await world.step();
    expect([...world.edge.ashore.keys()]).not.toContain(bad.opId);
    expect(world.edge.ashore.size).toBe(1);
    expect(world.saved().open.map(({ opId, error }) => [opId, error?.code])).toEqual([[bad.opId, 'forbidden']]);
    world.cloud.errors.clear();
    world.newBridge();
    await world.step();
    expect(world.edge.ashore.size).toBe(2);
    expect(world.saved().open).toEqual([]);
  });

  it('the cursor stops before an operation whose receipt the box did not store', async () => {
    const world = new BridgeWorld();
    const op = world.survey();
    world.edge.refused.add(op.opId);
    await world.step();
    expect(world.saved().open.map(({ opId }) => opId)).toEqual([op.opId]);
    world.edge.refused.clear();
    await world.run(120_000);
    expect(world.saved().open).toEqual([]);
    expect(world.edge.ashore.size).toBe(1);
  });

  it('a box killed before it stores a cloud receipt gets the same receipt on a retry', async () => {
    const world = new BridgeWorld();
    world.survey();
    const post = world.edge.postOps.bind(world.edge);
    world.edge.postOps = async () => {
      throw new ReefError('disconnected');
    };
    await world.step();
    expect(world.saved().edge.cursor).toBe(0);
    world.edge.postOps = post;
    await world.step();
    expect(world.edge.ashore.size).toBe(1);
    expect(world.cloud.ops.size).toBe(1);
  });

  it('a new cloud is owed everything again, and a new box is read from the start', async () => {
    const world = new BridgeWorld();
    world.survey();
    world.photograph(1000);
    await world.step();
    world.cloud.storeEpoch = 'CloudEpoch000002';
    world.cloud.ops.clear();
    world.cloud.blobs.clear();
    world.cloud.feed = [];
    await world.run(200_000);
    expect(world.cloud.ops.size).toBe(2);
    expect(world.cloud.blobs.size).toBe(1);
    expect([...world.edge.ashore.values()].every(({ storeEpoch }) => storeEpoch === 'CloudEpoch000002')).toBe(true);

    world.edge.storeEpoch = 'EdgeEpoch0000002';
    world.edge.feed.splice(0);
    world.survey('Survey0000000005');
    await world.run(10_000);
    expect(world.cloud.ops.size).toBe(3);
    expect(world.saved().edge.epoch).toBe('EdgeEpoch0000002');
  });

  it('a bridge that lost its state resends nothing that has a receipt aboard', async () => {
    const world = new BridgeWorld();
    world.survey();
    world.photograph(1000);
    await world.step();
    world.state.text = null;
    world.newBridge();
    world.cloud.calls.splice(0);
    await world.step();
    expect(world.cloud.calls.filter((call) => /^(ops|upload)/.test(call))).toEqual([]);
    expect(world.saved().edge.cursor).toBe(world.edge.feed.length);
  });
});
