import { afterEach, describe, expect, test } from 'vitest';
import { Puller } from '../../../src/data/sync/puller';
import type { Upstream } from '../../../src/data/transport/upstream';
import { ReefError } from '../../../src/domain/errors';
import type { JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import { hashedText } from '../../../src/protocol/hash';
import { photograph, quiet } from '../../support/tablet/tablet';
import type { TestTablet } from '../../support/tablet/tablet-scene';
import {
  addSurvey,
  closeTablets,
  custodyAt,
  openBeside,
  runUntil,
  scene,
  settled,
} from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

describe('protocol: the puller, under attack', () => {
  async function foreign(tablet: TestTablet, n: number, body: JsonObject): Promise<Op> {
    const docId = String(body['id']);
    const sha256 = await tablet.host.sha256(hashedText(body));
    return {
      v: 1,
      opId: `other00000000000-${n}`,
      kind: 'survey',
      docId,
      madeAt: '2026-11-20T00:00:00.000Z',
      schema: 1,
      body,
      sha256,
    } as unknown as Op;
  }

  test('receipts: an op quarantined by the box is not folded as accepted', async () => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    await tablet.repositories.edge.link.pair(box.origin);
    const stop = tablet.repositories.census.surveys.all.subscribe(() => undefined);
    await runUntil(clock, settled(tablet), 'sent');
    const write = async (n: number, body: JsonObject, accepted: boolean): Promise<void> => {
      const op = await foreign(tablet, n, body);
      box.write(op);
      const { sig: _sig, ...receipt } = box.receipts.get(op.opId)!;
      box.entries[box.entries.length - 1] = {
        seq: receipt.seq,
        op,
        receipt: box.signed({ ...receipt, accepted, ...(accepted ? {} : { reason: 'forbidden' }) }),
      };
    };
    await write(1, { id, name: 'Somebody’s words' }, false);
    await write(2, { id: 'quarantined00000', name: 'Not to be shown' }, false);
    await write(3, { id: 'accepted00000000', name: 'Dive 3' }, true);
    box.hint();
    const names = (): unknown[] => tablet.repositories.census.surveys.all.get().items.map(({ doc }) => doc['name']);
    await runUntil(clock, () => names().includes('Dive 3'), 'pulled');
    await quiet(300);
    expect(names().sort()).toEqual(['Dive 1', 'Dive 3']);
    expect(tablet.repositories.census.surveys.all.get().items.map(({ conflicts }) => conflicts)).toEqual([0, 0]);
    await tablet.repositories.census.surveys.edit(id, { name: 'Dive one' });
    await runUntil(clock, () => settled(tablet)() && names().includes('Dive one'), 'edited');
    expect(names().sort()).toEqual(['Dive 3', 'Dive one']);
    stop();
  });

  test('a feed that goes backwards ends the read, and a failed read is retried in place', async () => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.link.pair(box.origin);
    const op = await foreign(tablet, 1, { id: 'accepted00000000', name: 'Dive 3' });
    box.write(op);
    box.entries[0] = { ...box.entries[0]!, seq: 5 };
    const honest = box.entries[0];
    box.entries[0] = new Proxy(honest, { get: (of, key) => (key === 'seq' ? back() : Reflect.get(of, key)) });
    let asked = 0;
    // Larger than `since` in the filter, smaller when `next` is computed.
    const back = (): number => (asked++ % 2 === 0 ? 5 : 0);
    const stop = tablet.repositories.census.surveys.all.subscribe(() => undefined);
    const queries = (): Record<string, unknown>[] =>
      box.heard
        .filter(({ event, message }) => event === 'query' && message['name'] === 'changes')
        .map(({ message }) => message);
    await runUntil(clock, () => queries().length === 1, 'read');
    const verifies = box.heard.filter(({ event }) => event === 'verify').length;
    box.entries[0] = honest;
    await runUntil(clock, () => tablet.repositories.census.surveys.all.get().items.length === 1, 'read again');
    expect(
      queries()
        .slice(0, 2)
        .map(({ subscribe = false, params }) => [subscribe, (params as { since: number }).since]),
    ).toEqual([
      [true, 0],
      [true, 0],
    ]);
    expect(box.heard.filter(({ event }) => event === 'verify').length).toBe(verifies);
    stop();
  });

  test('a connection opened during an older feed read is read and subscribed too', async () => {
    const { tablet } = await scene();
    const puller = new Puller(tablet.context.store, tablet.context.opIndex, tablet.context.sync.sender.offered);
    const asked: string[] = [];
    const connection = (name: string, answer: () => Promise<unknown>): Upstream =>
      ({
        stage: 'edge',
        nodeId: 'box0000000000000',
        storeEpoch: 'epoch00000000000',
        receiptKeys: [],
        cloudKeys: [],
        changes: (_since: number, _limit: number, subscribe: boolean) => {
          asked.push(`${name} ${subscribe}`);
          return answer();
        },
      }) as unknown as Upstream;
    let cut = (): void => undefined;
    const first = connection(
      'first',
      () => new Promise((_resolve, reject) => (cut = () => reject(new ReefError('disconnected')))),
    );
    const second = connection('second', async () => ({ storeEpoch: 'epoch00000000000', entries: [], next: 0 }));
    const old = puller.pull(first, true);
    await quiet(60);
    const fresh = puller.pull(second, false);
    expect(puller.pull(second, true)).toBe(fresh);
    cut();
    await expect(old).rejects.toMatchObject({ code: 'disconnected' });
    await fresh;
    expect(asked).toEqual(['first true', 'second true']);
  });
});

describe('protocol: append, under attack', () => {
  test('storage emptied under an open page restarts with a new id, and new work is sent', async () => {
    const { clock, box, tablet } = await scene();
    await addSurvey(tablet);
    await addSurvey(tablet, 'Dive 2');
    const { store } = tablet.context;
    const deviceId = await store.getMeta('deviceId');
    await new Promise<void>((resolve, reject) => {
      const request = tablet.host.idb.factory.deleteDatabase(store.db.name);
      request.onsuccess = () => resolve();
      request.onerror = () => reject(request.error as Error);
    });
    const id = await addSurvey(tablet, 'Afterwards');
    expect(await store.getMeta('deviceId')).toMatch(/^[0-9A-Za-z]{16}$/);
    expect(await store.getMeta('deviceId')).not.toBe(deviceId);
    expect(await store.getMeta('wiped')).toBeDefined();
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => custodyAt(tablet, 'survey', id).status === 'box', 'sent');
    expect([...box.ops.keys()].every((opId) => /^[0-9A-Za-z]{16}-[1-9]\d*$/.test(opId))).toBe(true);
  });

  test('the same photograph in two tabs is one record, in two surveys two with shared bytes', async () => {
    const { clock, box, tablet } = await scene();
    const other = await openBeside(clock, box, { origin: tablet.origin, database: tablet.database });
    const [first, second] = [await addSurvey(tablet), await addSurvey(tablet, 'Dive 2')];
    const file = photograph(1);
    const added = await Promise.all(
      [tablet, tablet, other].map(({ repositories }) => repositories.census.images.addPhotograph(file, first)),
    );
    expect(added.map(({ outcome }) => outcome).sort()).toEqual(['known', 'known', 'saved']);
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect((await tablet.repositories.census.images.addPhotograph(file, second)).outcome).toBe('saved');
    expect(await tablet.context.store.db.blobs.count()).toBe(1);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => settled(tablet)() && settled(other)(), 'sent');
    expect([...box.ops.values()].filter(({ kind }) => kind === 'image')).toHaveLength(2);
  });

  test('a tab with a stale index still finds a photograph added by another', async () => {
    const { clock, box, tablet } = await scene();
    const other = await openBeside(clock, box, { origin: tablet.origin, database: tablet.database });
    const survey = await addSurvey(tablet);
    const file = photograph(1);
    await runUntil(
      clock,
      () => other.context.opIndex.entriesOf('survey', survey).length > 0,
      'the survey in the other tab',
    );
    // Simulates a late change notification.
    other.context.opIndex.close();
    const { id } = await tablet.repositories.census.images.addPhotograph(file, survey);
    expect(await other.repositories.census.images.addPhotograph(file, survey)).toMatchObject({ id, outcome: 'known' });
  });

  test('intact local bytes are never replaced by unproven ones', async () => {
    const { tablet } = await scene();
    const [first, second] = [await addSurvey(tablet), await addSurvey(tablet, 'Dive 2')];
    const file = photograph(1);
    const { sha256 } = await tablet.repositories.census.images.addPhotograph(file, first);
    const { blobs } = tablet.context.store.db;
    const damage = (): { blob: Blob } => ({ blob: new Blob([new Uint8Array(file.size)]) });
    blobs.hook('updating', damage);
    await tablet.repositories.census.images.addPhotograph(file, second).catch(() => undefined);
    blobs.hook('updating').unsubscribe(damage);
    expect((await tablet.repositories.census.images.original(sha256)).size).toBe(file.size);
  });

  test('adding the original again repairs a damaged copy, which is then sent', async () => {
    const { clock, box, tablet } = await scene();
    const survey = await addSurvey(tablet);
    const file = photograph(1);
    const { id, sha256 } = await tablet.repositories.census.images.addPhotograph(file, survey);
    const { blobs } = tablet.context.store.db;
    await blobs.put({ ...(await blobs.get(sha256))!, blob: new Blob([new Uint8Array(file.size)]) });
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => custodyAt(tablet, 'image', id).status === 'held', 'held');
    expect(await tablet.repositories.census.images.addPhotograph(file, survey)).toMatchObject({
      id,
      sha256,
      outcome: 'known',
    });
    await runUntil(clock, () => custodyAt(tablet, 'image', id).status === 'box', 'sent');
    expect(box.bytes.get(sha256)!.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  });

  test('a survey deleted during upload arrives whole and accepts no further photographs', async () => {
    const { clock, box, tablet } = await scene();
    const survey = await addSurvey(tablet);
    for (let i = 0; i < 3; i++) await tablet.repositories.census.images.addPhotograph(photograph(i, 700_000), survey);
    let removed: Promise<void> | undefined;
    box.misbehave = (event) => {
      if (event === 'image:binary') removed ??= tablet.repositories.census.surveys.remove(survey);
      return undefined;
    };
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    await removed;
    expect(box.bytes.size).toBe(3);
    await expect(tablet.repositories.census.images.addPhotograph(photograph(9), survey)).rejects.toMatchObject({
      code: 'not-found',
    });
  });
});

test('protocol: one write path — a failed projection is repaired without another write', async () => {
  const { clock, tablet } = await scene();
  const { collections } = await tablet.context.model;
  const upsert = collections.survey.bulkUpsert.bind(collections.survey);
  let failed = 0;
  collections.survey.bulkUpsert = () => {
    failed += 1;
    return Promise.reject(new DOMException('no room', 'QuotaExceededError'));
  };
  await addSurvey(tablet);
  await quiet(500);
  const stop = tablet.repositories.census.surveys.all.subscribe(() => undefined);
  expect(failed).toBeGreaterThan(0);
  collections.survey.bulkUpsert = upsert;
  await runUntil(clock, () => tablet.repositories.census.surveys.all.get().items.length === 1, 'shown');
  stop();
});
