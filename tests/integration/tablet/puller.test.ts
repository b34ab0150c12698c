import { afterEach, describe, expect, test } from 'vitest';
import { draftEdit, documentStateOf } from '../../../src/domain/op/draft';
import { findOp } from '../../../src/data/ops/segments';
import { effectiveOps } from '../../../src/data/ops/effective-ops';
import { ScriptedBox } from '../../support/doubles/scripted-box';
import { quiet } from '../../support/tablet/tablet';
import type { TestTablet } from '../../support/tablet/tablet-scene';
import {
  addSurvey as survey,
  closeTablets,
  openBeside as open,
  runUntil,
  scene,
  settled,
} from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

describe('protocol: the puller', () => {
  const madeAt = '2026-11-20T00:00:00.000Z';

  async function otherOps(tablet: TestTablet, count: number) {
    const { hashedText } = await import('../../../src/protocol/hash');
    return Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const docId = `survey${String(i).padStart(10, '0')}`;
        const body = { id: docId, name: `Survey ${i}`, user: { uid: 'person0000000000' } };
        const sha256 = await tablet.host.sha256(hashedText(body));
        return {
          v: 1,
          opId: `other00000000000-${i + 1}`,
          kind: 'survey',
          docId,
          madeAt,
          schema: 1,
          body,
          sha256,
        } as unknown as Parameters<ScriptedBox['write']>[0];
      }),
    );
  }

  test('the puller reads page by page, skips damaged entries and restarts on a new store', async () => {
    const { clock, box, tablet } = await scene();
    const { store } = tablet.context;
    box.pageMax = 100;
    const ops = await otherOps(tablet, 205);
    for (const op of ops) box.write(op, 'person0000000000');
    const damaged = { ...ops[7]!, body: { ...ops[7]!.body, name: 'changed on the way' } };
    box.entries[7] = { ...box.entries[7]!, op: damaged };
    box.entries[8] = { seq: 9 } as never;
    const stop = tablet.repositories.census.surveys.all.subscribe(() => undefined);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, async () => (await store.db.cursors.get(box.nodeId))?.since === 205, 'all pages');
    expect([...tablet.context.opIndex.entries.values()].filter(({ own }) => !own)).toHaveLength(203);
    expect(
      box.heard
        .filter(({ event, message }) => event === 'query' && message['name'] === 'changes')
        .map(({ message }) => message['params']),
    ).toEqual([0, 100, 200, 205].map((since) => ({ since, limit: 1000 })));
    await runUntil(clock, () => tablet.repositories.census.surveys.all.get().items.length === 203, 'projected');
    expect(tablet.repositories.census.surveys.all.get().items[0]!.custody.status).toBe('box');
    // Nothing is sent back.
    expect(box.events()).toEqual([]);

    box.beginAnew();
    const [fresh] = await otherOps(tablet, 1);
    box.write({
      ...fresh!,
      opId: 'other00000000000-9999' as never,
      docId: 'surveynew0000000',
      body: { ...fresh!.body, id: 'surveynew0000000' },
      sha256: (await tablet.host.sha256(
        `{"id":"surveynew0000000","name":"Survey 0","user":{"uid":"person0000000000"}}`,
      )) as never,
    });
    box.cutAll();
    await runUntil(
      clock,
      async () => (await store.db.cursors.get(box.nodeId))?.storeEpoch === box.storeEpoch,
      'the new store',
    );
    expect(
      await store.run(() =>
        findOp(store, { kind: 'survey', docId: 'surveynew0000000', opId: 'other00000000000-9999' as never }),
      ),
    ).toBeDefined();
    stop();
  });

  test('an unknown op of this device reveals a restore, and the tablet takes a new id', async () => {
    const { clock, box, tablet } = await scene();
    const { store } = tablet.context;
    const deviceId = (await store.getMeta('deviceId'))!;
    const [op] = await otherOps(tablet, 1);
    box.write({ ...op!, opId: `${deviceId}-41` as never });
    const stop = tablet.repositories.census.surveys.all.subscribe(() => undefined);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, async () => (await store.getMeta('deviceId')) !== deviceId, 'a new id');
    stop();
  });

  test('an edit unseen by a delete keeps the document, visible and flagged', async () => {
    const { clock, box, tablet } = await scene();
    const id = await survey(tablet);
    const seen = documentStateOf(
      'survey',
      id,
      (await effectiveOps(tablet.context.store, [['survey', id]])).map(({ op }) => op),
    );
    await tablet.repositories.edge.link.pair(box.origin);
    const stop = tablet.repositories.census.surveys.all.subscribe(() => undefined);
    await runUntil(clock, settled(tablet), 'sent');
    await tablet.repositories.census.surveys.remove(id);
    await runUntil(
      clock,
      () =>
        tablet.repositories.census.surveys.all.get().status === 'ready' &&
        tablet.repositories.census.surveys.all.get().items.length === 0,
      'deleted',
    );

    const edit = draftEdit(seen, { visibility: 12 }, { madeAt, schema: 1 })!;
    const { hashedText } = await import('../../../src/protocol/hash');
    box.write({
      ...edit,
      opId: 'other00000000000-1' as never,
      sha256: (await tablet.host.sha256(hashedText(edit.body))) as never,
    });
    box.hint();
    await runUntil(clock, () => tablet.repositories.census.surveys.all.get().items.length === 1, 'back again');
    expect(tablet.repositories.census.surveys.all.get().items[0]).toMatchObject({
      id,
      doc: { visibility: 12, isDeleted: false },
    });
    stop();
  });
});

describe('1§9: connectivity', () => {
  test('failed checks repeat after 1 s, doubling up to 30 s', async () => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.link.pair(box.origin);
    await quiet(100);
    expect(tablet.repositories.edge.link.connectivity.get()).toMatchObject({ answering: 'edge', impostor: false });
    box.down = true;
    await tablet.repositories.edge.link.check();
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const { nextCheckAt } = tablet.repositories.edge.link.connectivity.get();
      waits.push(nextCheckAt! - clock.now());
      await clock.advance(nextCheckAt! - clock.now());
    }
    expect(tablet.repositories.edge.link.connectivity.get().answering).toBe('none');
    [1, 2, 4, 8, 16, 30, 30, 30].forEach((seconds, i) => {
      expect(waits[i]).toBeLessThanOrEqual(seconds * 1000);
      expect(waits[i]).toBeGreaterThanOrEqual(seconds * 750 - 1);
    });
  });

  test('a captive portal that answers everything does not count as the box', async () => {
    const { box, tablet } = await scene();
    await tablet.repositories.edge.link.pair(box.origin);
    box.portal = true;
    expect(await tablet.repositories.edge.link.check()).toMatchObject({ answering: 'none', impostor: true });
    await expect(tablet.repositories.edge.link.pair('https://portal.test')).rejects.toMatchObject({
      code: 'bad-message',
    });
  });

  test('an old answer, or one signed by another key, does not count as the box', async () => {
    const { box, tablet } = await scene();
    await tablet.repositories.edge.link.pair(box.origin);
    const honest = box.fetch;
    const replay = await (await honest(`${box.origin}/edge/trace?nonce=old`)).text();
    const { Connectivity } = await import('../../../src/data/transport/connectivity');
    const [edge] = await tablet.context.store.db.edges.toArray();
    const ask = async (answer: TestTablet['host']['fetch']) => {
      const connectivity = new Connectivity(
        { ...tablet.host, fetch: answer },
        () => [edge!],
        () => false,
        async () => undefined,
      );
      const facts = await connectivity.check();
      connectivity.close();
      return facts.answering;
    };
    expect(await ask(honest)).toBe('edge');
    expect(await ask(async () => new Response(replay))).toBe('none');
    const other = new ScriptedBox(() => 0);
    expect(await ask(other.fetch)).toBe('none');
  });

  test('offline by choice asks and sends nothing, and survives a restart', async () => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.link.pair(box.origin);
    await tablet.repositories.edge.link.setOfflineByChoice(true);
    await survey(tablet);
    await clock.advance(120_000);
    expect(box.events()).toEqual([]);
    await tablet.close();
    const again = await open(clock, box, { origin: tablet.origin, database: tablet.database });
    await clock.advance(60_000);
    expect(again.repositories.edge.link.connectivity.get()).toMatchObject({ offlineByChoice: true, answering: 'none' });
    await again.repositories.edge.link.setOfflineByChoice(false);
    await runUntil(clock, settled(again), 'sent');
  });
});
