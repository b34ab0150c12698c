import { afterEach, describe, expect, test } from 'vitest';
import type { DeviceId, OpId } from '../../../src/domain/ids';
import { splitOpId } from '../../../src/domain/ids';
import { documentStateOf } from '../../../src/domain/op/draft';
import type { Op, OpKind } from '../../../src/domain/op/op';
import { replacesAny } from '../../../src/domain/op/reissued-op';
import type { TestEdge } from '../../support/servers/edge';
import { surveyOp } from '../../support/servers/edge-client';
import { SlowNetwork } from '../../support/tablet/slow-network';
import { photograph, quiet, until } from '../../support/tablet/tablet';
import { edge, survey, tablet, type RealTablet } from '../../support/tablet/real-scene';
import {
  addSurvey,
  closeTablets,
  custodyAt,
  runUntil,
  scene,
  settled,
  shoreScene,
  signInAshore,
} from '../../support/tablet/tablet-scene';

async function opsAt(box: TestEdge, kind: OpKind, docId?: string): Promise<readonly Op[]> {
  const response = await fetch(`${box.url}/edge/changes?since=0&limit=1000`, authorized(box));
  const { entries } = (await response.json()) as { entries: { op?: Op }[] };
  return entries.flatMap(({ op }) => (op?.kind === kind && op.docId === (docId ?? op.docId) ? [op] : []));
}

/** Gives a box an operation, as a bridge or a sealed drive would. */
async function give(box: TestEdge, op: Op): Promise<void> {
  const response = await fetch(`${box.url}/edge/ops`, {
    ...authorized(box),
    method: 'POST',
    body: JSON.stringify({ ops: [op], receipts: [] }),
  });
  expect(((await response.json()) as { results: object[] }).results).toMatchObject([{ receipt: { accepted: true } }]);
}

function authorized({ adminToken }: TestEdge): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' } };
}

/** Survey that a tablet wrote before it was restored, under a number that it used again since. */
function lostSurvey(opId: string): Op {
  return surveyOp('person0000000000', { opId: opId as OpId });
}

async function ownOps({ context }: Pick<RealTablet, 'context'>, kind: OpKind): Promise<readonly Op[]> {
  const rows = await context.store.db.ops.toArray();
  return rows
    .filter((row) => row.own && row.kind === kind)
    .sort((a, b) => a.arrival - b.arrival)
    .map(({ op }) => op);
}

/** Tablet that reaches one box at a time. */
async function tabletAt(
  first: TestEdge,
  network: SlowNetwork,
): Promise<{ readonly one: RealTablet; readonly sailTo: (box: TestEdge) => Promise<void> }> {
  let reached = first;
  const one = await tablet({
    openSocket: network.openSocket,
    fetch: (url, init) =>
      url.startsWith(reached.url) ? fetch(url, init) : Promise.reject(new TypeError('out of reach')),
  });
  const sailTo = async (box: TestEdge): Promise<void> => {
    reached = box;
    one.context.edgeLink.drop();
    await one.repositories.edge.link.check();
  };
  return { one, sailTo };
}

const byNumber = (a: Op | undefined, b: Op | undefined) => splitOpId(a!.opId).n - splitOpId(b!.opId).n;

const deviceOf = ({ context }: RealTablet): Promise<DeviceId | undefined> => context.store.getMeta('deviceId');

const isSettled = ({ repositories }: RealTablet) => repositories.custody.sending.facts.get().state === 'done';

describe('protocol: a restored tablet takes a new id while it sends', () => {
  test('an edit under way when the tablet reads the feed arrives under its id, once, and is no conflict', async () => {
    const box = await edge();
    const network = new SlowNetwork();
    const one = await tablet({ openSocket: network.openSocket });
    const id = await survey(one);
    for (const name of ['Dive one', 'Dive two']) await one.repositories.census.surveys.edit(id, { name });
    const [, under, last] = await ownOps(one, 'survey');
    network.holds = (_event, op) => op?.opId === under!.opId;
    await one.repositories.edge.link.pair(box.url, box.code);
    await until(() => network.waiting.length > 0, 'the edit is under way');
    await give(box, lostSurvey(last!.opId));
    const { deviceId } = splitOpId(under!.opId);
    await until(async () => (await deviceOf(one)) !== deviceId, 'a new id');
    network.letThrough();
    await until(() => isSettled(one), 'all sent');
    const there = await opsAt(box, 'survey', id);
    expect(there.map(({ body }) => body['name'])).toEqual(['Dive 1', 'Dive one', 'Dive two']);
    expect(there[1]).toEqual(under);
    const { folded } = documentStateOf('survey', id, there);
    expect([folded.doc['name'], folded.conflicts]).toEqual(['Dive two', []]);
  });

  test('photographs under way keep their ids, the next one gets another, and none meets image-exists', async () => {
    const box = await edge();
    const network = new SlowNetwork();
    const one = await tablet({ openSocket: network.openSocket });
    const id = await survey(one);
    for (let n = 1; n <= 3; n++) await one.repositories.census.images.addPhotograph(photograph(n), id);
    const before = await ownOps(one, 'image');
    network.holds = (event) => event === 'image:path';
    await one.repositories.edge.link.pair(box.url, box.code);
    await until(() => network.waiting.length === 2, 'two photographs are under way');
    await give(box, lostSurvey(before[2]!.opId));
    await until(async () => (await deviceOf(one)) !== splitOpId(before[2]!.opId).deviceId, 'a new id');
    network.letThrough();
    await until(() => isSettled(one), 'all sent');
    const [first, second, third, ...others] = await opsAt(box, 'image');
    expect([[first, second].sort(byNumber), others]).toEqual([before.slice(0, 2), []]);
    expect(third).toMatchObject({ docId: before[2]!.docId, opId: `${(await deviceOf(one))!}-1` });
    expect(await one.context.store.db.holds.count()).toBe(0);
  });

  test('a photograph that got another id, and arrives under the old one too, is held by no image-exists', async () => {
    const box = await edge();
    const network = new SlowNetwork();
    const one = await tablet({ openSocket: network.openSocket });
    const id = await survey(one);
    await one.repositories.census.images.addPhotograph(photograph(1), id);
    await one.repositories.census.images.addPhotograph(photograph(2), id);
    const [under, last] = await ownOps(one, 'image');
    network.holds = (event) => event === 'image:record';
    await one.repositories.edge.link.pair(box.url, box.code);
    await until(() => network.waiting.length === 2, 'both records are under way');
    // The next tab does not know what this one offered.
    await one.repositories.custody.sending.pause();
    one.context.edgeLink.drop();
    await one.close();
    await give(box, lostSurvey(last!.opId));
    const again = await tablet({ origin: one.origin, database: one.database });
    const release = again.context.sync.retain();
    await until(async () => (await deviceOf(again)) !== splitOpId(under!.opId).deviceId, 'a new id');
    await give(box, under!);
    await again.repositories.custody.sending.resume();
    await until(() => isSettled(again), 'all sent');
    release();
    const there = await opsAt(box, 'image', under!.docId);
    expect(there).toHaveLength(2);
    expect(documentStateOf('image', under!.docId, there).folded.conflicts).toEqual([]);
    expect(await again.context.store.db.holds.count()).toBe(0);
  });

  test('an edit that may have reached another box is replaced under its old id wherever it arrived', async () => {
    const [first, second] = [await edge(), await edge()];
    const network = new SlowNetwork();
    const { one, sailTo } = await tabletAt(first, network);
    const id = await survey(one);
    await one.repositories.census.surveys.edit(id, { name: 'Dive one' });
    const [, under] = await ownOps(one, 'survey');
    network.holds = (_event, op) => op?.opId === under!.opId;
    await one.repositories.edge.link.pair(first.url, first.code);
    await until(() => network.waiting.length > 0, 'the edit is under way');
    await sailTo(second);
    await give(second, lostSurvey(under!.opId));
    await one.repositories.edge.link.pair(second.url, second.code);
    await until(async () => (await deviceOf(one)) !== splitOpId(under!.opId).deviceId, 'a new id');
    await one.repositories.census.surveys.edit(id, { name: 'Dive two' });
    await until(() => isSettled(one), 'all sent');
    network.holds = () => false;
    await give(first, under!);
    await sailTo(first);
    for (const box of [first, second]) {
      const there = async (): Promise<readonly Op[]> => await opsAt(box, 'survey', id);
      const names = async (): Promise<unknown[]> => (await there()).map(({ body }) => body['name']);
      await until(async () => (await names()).includes('Dive two'), 'the last edit');
      const { folded } = documentStateOf('survey', id, await there());
      expect([folded.doc['name'], folded.conflicts]).toEqual(['Dive two', []]);
    }
  });

  test('an edit under way keeps its id where another box may have an earlier operation', async () => {
    const [first, second] = [await edge(), await edge()];
    const network = new SlowNetwork();
    const { one, sailTo } = await tabletAt(first, network);
    const id = await survey(one);
    await one.repositories.census.images.addPhotograph(photograph(1), id);
    const [image] = await ownOps(one, 'image');
    network.holds = (event) => event === 'image:record';
    await one.repositories.edge.link.pair(first.url, first.code);
    await until(() => network.waiting.length > 0, 'the record is under way');
    await sailTo(second);
    await one.repositories.census.surveys.edit(id, { name: 'Dive one' });
    const edited = (await ownOps(one, 'survey'))[1]!;
    network.holds = (_event, op) => op?.opId === edited.opId;
    network.waiting.length = 0;
    await one.repositories.edge.link.pair(second.url, second.code);
    await until(() => network.waiting.length > 0, 'the edit is under way');
    await give(second, lostSurvey(image!.opId));
    await until(async () => (await deviceOf(one)) !== splitOpId(image!.opId).deviceId, 'a new id');
    network.letThrough();
    await until(() => isSettled(one), 'all sent');
    expect((await opsAt(second, 'survey', id)).map(({ opId }) => opId)).toContain(edited.opId);
    expect(await opsAt(second, 'survey', id)).toHaveLength(2);
    const [again] = await opsAt(second, 'image');
    expect(replacesAny(again!, new Set([image!.opId]))).toBe(true);
  });
});

describe('protocol: a restored tablet takes a new id while it sends ashore', () => {
  afterEach(closeTablets);

  test('surveys that are under way in one message arrive under their ids, once', async () => {
    const { clock, cloud, tablet } = await shoreScene();
    const ids = [await addSurvey(tablet), await addSurvey(tablet, 'Dive 2')];
    await tablet.repositories.census.surveys.edit(ids[0]!, { name: 'Dive one' });
    const [first, second, edited] = await ownOps(tablet, 'survey');
    const { deviceId } = splitOpId(edited!.opId);
    cloud.instead = async ({ path, body }) => {
      if (path !== '/api/ops' || !JSON.stringify(body).includes(second!.opId)) return undefined;
      cloud.write(lostSurvey(edited!.opId));
      void tablet.context.sync.puller.pull(tablet.context.cloudLink.current!);
      while ((await tablet.context.store.getMeta('deviceId')) === deviceId) await quiet(20);
      return undefined;
    };
    await signInAshore({ tablet, cloud });
    await runUntil(clock, settled(tablet), 'sent');
    const there = [...cloud.ops.values()].filter(({ docId }) => ids.some((id) => id === docId));
    expect(there.map(({ opId }) => opId).slice(0, 2)).toEqual([first!.opId, second!.opId]);
    expect(there.slice(2).map(({ body }) => body['name'])).toEqual(['Dive one']);
  });
});

describe('protocol: a store with another operation under an id, which it does not show', () => {
  afterEach(closeTablets);

  test('a refused photograph gets another id, and one under way keeps its own until the store refuses it', async () => {
    const { clock, box, tablet } = await scene();
    const { store } = tablet.context;
    const id = await addSurvey(tablet);
    for (let n = 1; n <= 2; n++) await tablet.repositories.census.images.addPhotograph(photograph(n), id);
    const [refused, under] = await ownOps(tablet, 'image');
    box.ops.set(refused!.opId, lostSurvey(refused!.opId));
    box.misbehave = (event, message) =>
      event === 'image:record' && (message['op'] as Op).opId === under!.opId ? { silent: true } : undefined;
    await tablet.repositories.edge.link.pair(box.origin);
    const isAboard = (docId: string) => (): boolean => custodyAt(tablet, 'image', docId).status === 'box';
    await runUntil(clock, isAboard(refused!.docId), 'the refused one under its new id');
    expect((await ownOps(tablet, 'image')).map(({ opId }) => opId)).toContain(under!.opId);
    box.ops.set(under!.opId, lostSurvey(under!.opId));
    box.misbehave = () => undefined;
    await runUntil(clock, settled(tablet), 'sent');
    expect([...box.ops.values()].filter(({ docId }) => docId === under!.docId)).toHaveLength(1);
    expect(await store.db.holds.count()).toBe(0);
  });

  test('photographs refused together get one new device id', async () => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    for (let n = 1; n <= 2; n++) await tablet.repositories.census.images.addPhotograph(photograph(n), id);
    for (const { opId } of await ownOps(tablet, 'image')) box.ops.set(opId, lostSurvey(opId));
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    const deviceId = (await tablet.context.store.getMeta('deviceId'))!;
    expect((await ownOps(tablet, 'image')).map(({ opId }) => opId)).toEqual([`${deviceId}-1`, `${deviceId}-2`]);
  });
});
