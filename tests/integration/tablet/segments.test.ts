import { afterEach, describe, expect, test } from 'vitest';
import type { SurveyId } from '../../../src/domain/ids';
import type { OpKind, Op } from '../../../src/domain/op/op';
import type { ReadDoc, ReadModel } from '../../../src/data/db/read-model';
import { withUnprojected } from '../../../src/data/db/with-unprojected';
import type { UnprojectedChange } from '../../../src/data/db/unprojected-documents';
import { UnprojectedDocuments } from '../../../src/data/db/unprojected-documents';
import type { OpIndex } from '../../../src/data/ops/op-index';
import { readSegments } from '../../../src/data/ops/segments';
import { effectiveOps } from '../../../src/data/ops/effective-ops';
import { ingestPage } from '../../../src/data/ops/ingest';
import { importRescueCopy } from '../../../src/data/rescue/import-rescue-copy';
import { Emitter } from '../../../src/base/emitter';
import { hashedText } from '../../../src/protocol/hash';
import { ScriptedBox } from '../../support/doubles/scripted-box';
import { ManualClock, quiet } from '../../support/tablet/tablet';
import type { Scenario, TestTablet } from '../../support/tablet/tablet-scene';
import { addSurvey, closeTablets, openBeside, runUntil, scene, settled } from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

const PERSON = 'person0000000000';
const COUNT = 205;

async function surveyOps(tablet: TestTablet, count: number, changes: Partial<Op> = {}, first = 0): Promise<Op[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const docId = `survey${String(first + i).padStart(10, '0')}`;
      const body = {
        id: docId,
        name: `Survey ${i}`,
        notes: 'n'.repeat(400),
        user: { uid: PERSON },
        ...(changes.body ?? {}),
      };
      return {
        v: 1,
        opId: `other00000000000-${first + i + 1}`,
        kind: 'survey',
        docId,
        madeAt: '2026-11-20T00:00:00.000Z',
        schema: 1,
        ...changes,
        body,
        sha256: await tablet.host.sha256(hashedText(body)),
      } as unknown as Op;
    }),
  );
}

async function pulled({ clock, box, tablet }: Scenario, count = COUNT): Promise<void> {
  for (const op of await surveyOps(tablet, count)) box.write(op as never, PERSON);
  tablet.repositories.census.surveys.all.subscribe(() => undefined);
  await tablet.repositories.edge.link.pair(box.origin);
  await runUntil(
    clock,
    async () => (await tablet.context.store.db.cursors.get(box.nodeId))?.since === count,
    'all pages',
  );
}

async function shown(tablet: TestTablet): Promise<readonly ReadDoc[]> {
  return (await tablet.context.model).find('survey', {});
}

const listed = (tablet: TestTablet): number => tablet.repositories.census.surveys.all.get().items.length;
const isWritten = (tablet: TestTablet) => async (): Promise<boolean> =>
  (await tablet.context.store.db.behind.count()) === 0;

describe('protocol: feed pages are stored in segments', () => {
  test('a page uses few rows, and each op and receipt is found by document in order', async () => {
    const one = await scene();
    await pulled(one);
    const { store, opIndex } = one.tablet.context;
    expect(await store.db.ops.where('opId').startsWith('other').count()).toBe(0);
    expect(await store.db.segments.count()).toBeGreaterThan(1);
    expect(await store.db.segments.count()).toBeLessThan(20);
    await opIndex.follow();
    const others = [...opIndex.entries.values()].filter(({ own }) => !own);
    expect(others.map(({ opId }) => opId)).toEqual(
      Array.from({ length: COUNT }, (_, i) => `other00000000000-${i + 1}`),
    );
    store.segmentCache.clear();
    const keys = await store.db.segments.toCollection().primaryKeys();
    const arrivals = (await readSegments(store, keys))
      .flatMap(({ ops, receipts }) => [...ops, ...receipts].map(({ arrival }) => arrival))
      .sort((a, b) => a - b);
    expect(new Set(arrivals).size).toBe(2 * COUNT);
    expect(arrivals.at(-1)).toBeLessThanOrEqual((await store.getMeta('arrival'))!);
    const [row] = await effectiveOps(store, [['survey', 'survey0000000123']]);
    expect(row).toMatchObject({ opId: 'other00000000000-124', own: false, by: PERSON, n: 124 });
  });

  test('the rebuilt read model is the same', async () => {
    const one = await scene();
    await pulled(one);
    await runUntil(one.clock, isWritten(one.tablet), 'written');
    const before = await shown(one.tablet);
    expect(before).toHaveLength(COUNT);
    await one.tablet.context.store.setMeta('readModel', 'of another life');
    await one.tablet.close();
    const again = await openBeside(one.clock, one.box, { origin: one.tablet.origin, database: one.tablet.database });
    again.repositories.census.surveys.all.subscribe(() => undefined);
    await runUntil(one.clock, async () => listed(again) === COUNT && (await isWritten(again)()), 'built again');
    expect(await shown(again)).toEqual(before);
  });

  test('a kill between two pages loses and duplicates nothing', async () => {
    const one = await scene();
    one.box.pageMax = 100;
    const { db } = one.tablet.context.store;
    let pages = 0;
    const killed = (): never => {
      throw new DOMException('the tab died', 'AbortError');
    };
    db.cursors.hook('updating', () => {
      pages += 1;
      if (pages >= 2) killed();
    });
    for (const op of await surveyOps(one.tablet, COUNT)) one.box.write(op as never, PERSON);
    one.tablet.repositories.census.surveys.all.subscribe(() => undefined);
    await one.tablet.repositories.edge.link.pair(one.box.origin);
    await runUntil(one.clock, () => pages >= 2, 'the second page broken off');
    const since = (await db.cursors.get(one.box.nodeId))?.since ?? 0;
    const stored = [...one.tablet.context.opIndex.entries.values()].filter(({ own }) => !own).length;
    expect(since).toBe(stored);
    expect(since).toBeLessThan(COUNT);
    await one.tablet.close();
    const again = await openBeside(one.clock, one.box, { origin: one.tablet.origin, database: one.tablet.database });
    again.repositories.census.surveys.all.subscribe(() => undefined);
    await runUntil(one.clock, () => listed(again) === COUNT, 'all of it');
    const keys = await again.context.store.db.segments.toCollection().primaryKeys();
    const opIds = (await readSegments(again.context.store, keys)).flatMap(({ ops }) => ops.map(({ opId }) => opId));
    expect(opIds).toHaveLength(COUNT);
    expect(new Set(opIds).size).toBe(COUNT);
  });

  test('a feed read from the start adds nothing, and older rows keep their meaning', async () => {
    const one = await scene();
    await pulled(one);
    const { store, opIndex } = one.tablet.context;
    await runUntil(one.clock, isWritten(one.tablet), 'written');
    // Pulled data as in version 3 of this database.
    const keys = await store.db.segments.toCollection().primaryKeys();
    const segments = await readSegments(store, keys);
    store.segmentCache.clear();
    await store.db.transaction(
      'rw',
      [store.db.segments, store.db.ops, store.db.receipts, store.db.meta, store.db.cursors],
      async () => {
        await store.db.segments.bulkDelete(keys.slice(0, 2));
        for (const { ops, receipts } of segments.slice(0, 2)) {
          await store.db.ops.bulkAdd(ops);
          await store.db.receipts.bulkAdd(receipts);
        }
        await store.bumpGeneration();
        await store.db.cursors.clear();
      },
    );
    const rows = await store.db.ops.count();
    await opIndex.follow();
    one.box.cutAll();
    await runUntil(one.clock, async () => (await store.db.cursors.get(one.box.nodeId))?.since === COUNT, 'read again');
    expect(await store.db.segments.count()).toBe(keys.length - 2);
    expect(await store.db.ops.count()).toBe(rows);
    expect(listed(one.tablet)).toBe(COUNT);
    expect(
      await effectiveOps(store, [
        ['survey', 'survey0000000001'],
        ['survey', 'survey0000000200'],
      ]),
    ).toHaveLength(2);
  });
});

describe('protocol: a page that cannot be stored', () => {
  test('a rejected page is not stored at all, and the storage error is reported', async () => {
    const { tablet } = await scene();
    const { store, opIndex } = tablet.context;
    await opIndex.follow();
    const arrival = ((await store.getMeta('arrival')) ?? 0) + 1;
    await store.db.segments.add({ arrival, docKeys: [], content: '{"ops":[],"receipts":[]}' });
    const came = (await surveyOps(tablet, 3)).map((op) => ({ op, by: PERSON }));
    await expect(
      ingestPage(store, opIndex, came, [], { nodeId: 'box', storeEpoch: 'one', next: 3 }),
    ).rejects.toMatchObject({ name: 'ConstraintError' });
    expect(await store.db.behind.count()).toBe(0);
    expect(await store.db.cursors.count()).toBe(0);
    expect((await store.getMeta('arrival')) ?? 0).toBe(arrival - 1);
  });
});

describe('protocol: feed reading across screen changes', () => {
  test('a closing screen hands its connection to the next one', async () => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.link.pair(box.origin);
    const {
      census: { surveys, conflicts },
    } = tablet.repositories;
    const leave = surveys.all.subscribe(() => undefined);
    await runUntil(clock, () => tablet.context.edgeLink.current !== undefined, 'connected');
    const before = tablet.context.edgeLink.current;
    leave();
    const stop = conflicts.names.subscribe(() => undefined);
    await quiet(250);
    expect(tablet.context.edgeLink.current).toBe(before);
    stop();
    await quiet(250);
    expect(tablet.context.edgeLink.current).toBeUndefined();
  });
});

describe('protocol: a rescue copy and others’ ops in segments', () => {
  test('a reused op id, even of another document, clashes and is not imported', async () => {
    const { clock, box, tablet } = await scene();
    await pulled({ clock, box, tablet }, 3);
    const { store, opIndex: ledger } = tablet.context;
    const [known, other] = [await surveyOps(tablet, 3), await surveyOps(tablet, 1, {}, 7)];
    const restored = { ...other[0]!, opId: known[0]!.opId };
    const ops = [restored, known[1]!, other[0]!].map((op) => ({ op, by: PERSON }));
    const opened = { file: new Blob(), manifest: {} as never, ops, blobs: new Map(), truncated: [], journals: [] };
    const taken = await importRescueCopy({ store, opIndex: ledger, photographs: tablet.context.photographs }, opened, {
      signal: new AbortController().signal,
      onBytes: () => undefined,
      isOffered: () => false,
      isReceipted: (opId) => ledger.receipts(opId).length > 0,
    });
    expect(taken).toMatchObject({ clashing: 1, known: 1, records: 1 });
    expect((await store.db.ops.toArray()).map(({ opId }) => opId)).toEqual([other[0]!.opId]);
  });
});

describe('protocol: unprojected documents', () => {
  async function beforeTheReadModel(count = COUNT): Promise<Scenario> {
    const clock = new ManualClock();
    const box = new ScriptedBox(clock.now);
    const tablet = await openBeside(clock, box, { projectingRestMs: 500 });
    await pulled({ clock, box, tablet }, count);
    await quiet(250);
    return { clock, box, tablet };
  }

  test('new documents are listed before, while and after the read model has them', async () => {
    const { clock, tablet } = await beforeTheReadModel();
    expect(await tablet.context.store.db.behind.count()).toBeGreaterThan(0);
    expect(listed(tablet)).toBe(COUNT);
    const before = await shown(tablet);
    const counts: number[] = [];
    tablet.repositories.census.surveys.all.subscribe(() => counts.push(listed(tablet)));
    await runUntil(clock, isWritten(tablet), 'written');
    await runUntil(clock, () => true, 'notified');
    expect(new Set(counts)).toEqual(counts.length === 0 ? new Set() : new Set([COUNT]));
    expect(await shown(tablet)).toEqual(before);
  });

  test('an edit and a delete show at once, and after the read model has them', async () => {
    const { clock, tablet } = await beforeTheReadModel(5);
    await tablet.repositories.account.people.createPending({
      name: { first: 'Ana', last: 'Reef' },
      email: 'ana@example.org',
    });
    await tablet.repositories.census.surveys.edit('survey0000000001' as SurveyId, { name: 'Edited here' });
    await tablet.repositories.census.surveys.remove('survey0000000002' as SurveyId);
    const names = (): readonly string[] =>
      tablet.repositories.census.surveys.all
        .get()
        .items.map(({ name }) => name)
        .sort();
    const wanted = ['Edited here', 'Survey 0', 'Survey 3', 'Survey 4'];
    await runUntil(clock, () => JSON.stringify(names()) === JSON.stringify(wanted), 'both seen');
    await runUntil(clock, isWritten(tablet), 'written');
    await runUntil(clock, () => true, 'notified');
    expect(names()).toEqual(wanted);
    expect((await shown(tablet)).map(({ doc }) => doc['name']).sort()).toEqual(wanted);
  });

  test('this tablet’s own ops are still shown, sent and receipted', async () => {
    const { clock, tablet } = await beforeTheReadModel(5);
    const id = await addSurvey(tablet, 'Own');
    await runUntil(clock, settled(tablet), 'sent');
    await runUntil(clock, () => listed(tablet) === 6, 'listed');
    expect(tablet.repositories.census.surveys.all.get().items.find((one) => one.id === id)?.custody.status).toBe('box');
    expect(
      await tablet.context.store.db.receipts
        .where('opId')
        .startsWith((await tablet.context.store.getMeta('deviceId'))!)
        .count(),
    ).toBeGreaterThan(0);
  });

  test('an edit of an older document shows at once', async () => {
    const { clock, box, tablet } = await beforeTheReadModel(5);
    await runUntil(clock, isWritten(tablet), 'written');
    await runUntil(clock, () => true, 'notified');
    const [edit] = await surveyOps(tablet, 1, {
      opId: 'other00000000000-99',
      lc: 2,
      over: { name: ['other00000000000-1'] },
    } as never);
    const body = { id: edit!.docId, name: 'Edited elsewhere' };
    box.write({ ...edit!, body, sha256: await tablet.host.sha256(hashedText(body)) } as never, PERSON);
    box.hint();
    await quiet(250);
    expect(await tablet.context.store.db.behind.count()).toBeGreaterThan(0);
    expect(tablet.repositories.census.surveys.all.get().items.map(({ name }) => name)).toContain('Edited elsewhere');
    expect(listed(tablet)).toBe(5);
  });

  test('documents are projected even if new ones arrive every second', async () => {
    const { clock, box, tablet } = await beforeTheReadModel(5);
    let least = Infinity;
    for (let second = 0; second < 40 && least > 0; second++) {
      for (const op of await surveyOps(tablet, 1, {}, 10 + second)) box.write(op as never, PERSON);
      box.hint();
      await quiet(40);
      await clock.advance(1000);
      await quiet(40);
      least = Math.min(least, await tablet.context.store.db.behind.count());
    }
    expect(least).toBeLessThanOrEqual(1);
  });

  test('documents that arrive during the last projection are projected next', async () => {
    const { clock, box, tablet } = await beforeTheReadModel(5);
    const { behind } = tablet.context.store.db;
    const first = behind.limit.bind(behind);
    let looked = false;
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    behind.limit = ((n: number) => ({
      primaryKeys: async () => {
        const keys = await first(n).primaryKeys();
        if (keys.length === 0 && !looked) {
          looked = true;
          await gate;
        }
        return keys;
      },
    })) as never;
    await runUntil(clock, () => looked, 'the last look');
    for (const op of await surveyOps(tablet, 1, {}, 10)) box.write(op as never, PERSON);
    box.hint();
    await quiet(250);
    expect(await behind.count()).toBe(1);
    goOn();
    await runUntil(clock, isWritten(tablet), 'written');
  });

  test('an unreadable document is read at the next change', async () => {
    const { clock, box, tablet } = await beforeTheReadModel(5);
    const { store, opIndex } = tablet.context;
    let failures = 0;
    const follow: OpIndex['follow'] = () => {
      failures += 1;
      return failures === 1 ? Promise.reject(new Error('the storage went away')) : opIndex.follow();
    };
    // Proxy, since a subclass could not read the index's private members.
    const failing = new Proxy(opIndex, {
      get: (target, name) => {
        const value: unknown = name === 'follow' ? follow : Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const fresh = new UnprojectedDocuments(store, failing);
    fresh.start();
    try {
      await quiet(100);
      expect([failures, fresh.find('survey', {}).length]).toEqual([1, 0]);
      for (const op of await surveyOps(tablet, 1, {}, 10)) box.write(op as never, PERSON);
      box.hint();
      await quiet(250);
      expect(fresh.find('survey', {})).toHaveLength(6);
      expect(clock.next()).toBeDefined();
    } finally {
      fresh.close();
    }
  });

  test('a document deleted before its projection leaves the list', async () => {
    const document = { id: 'survey0000000001', surveyId: '', isDeleted: false } as ReadDoc;
    let tell: (documents: readonly ReadDoc[]) => void = () => undefined;
    const model = {
      watch: (_kind: OpKind, _selector: unknown, onDocuments: typeof tell) => {
        tell = onDocuments;
        return () => undefined;
      },
      find: () => Promise.resolve([]),
    } as unknown as ReadModel;
    const changed = new Emitter<UnprojectedChange>();
    const seen: (readonly ReadDoc[])[] = [];
    withUnprojected(model, {
      changed,
      find: () => [],
      settle: () => Promise.resolve(),
    } as unknown as UnprojectedDocuments).watch(
      'survey',
      {},
      (documents) => seen.push(documents),
      () => undefined,
    );
    tell([]);
    changed.emit({ kinds: new Set<OpKind>(['survey']), projected: () => [document] });
    expect(seen.at(-1)).toEqual([document]);
    await quiet(20);
    expect(seen.at(-1)).toEqual([]);
  });
});
