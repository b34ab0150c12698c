import { afterEach, describe, expect, test } from 'vitest';
import { Connectivity } from '../../../src/data/transport/connectivity';
import type { EdgeRow } from '../../../src/data/ops/database';
import { ScriptedBox } from '../../support/doubles/scripted-box';
import { photograph, quiet } from '../../support/tablet/tablet';
import type { TestTablet } from '../../support/tablet/tablet-scene';
import { addSurvey, closeTablets, custodyAt, runUntil, scene, settled } from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

describe('protocol: client behaviour, under attack', () => {
  test('a caller that acquires the link during its release always gets it', async () => {
    const { clock, box, tablet } = await scene();
    const { edgeLink } = tablet.context;
    await tablet.repositories.edge.link.pair(box.origin);
    for (let round = 0; round < 3; round++) {
      const release = edgeLink.acquire();
      await runUntil(clock, () => edgeLink.current !== undefined, `connected, round ${round}`);
      let next: (() => void) | undefined;
      const stop = edgeLink.state.subscribe(({ status }) => {
        // Acquires at the very moment of the last release.
        if (status === 'idle') next ??= edgeLink.acquire();
      });
      release();
      await runUntil(
        clock,
        () => next !== undefined && edgeLink.current !== undefined,
        `taken up again, round ${round}`,
      );
      stop();
      next?.();
      await runUntil(clock, () => edgeLink.state.get().status === 'idle', `idle, round ${round}`);
    }
  });

  test('a box forgotten during a connection attempt stays forgotten', async () => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.link.pair(box.origin);
    const { db } = tablet.context.store;
    box.misbehave = (event) => {
      if (event === 'verify') void db.edges.delete(box.nodeId as never);
      return undefined;
    };
    const release = tablet.context.edgeLink.acquire();
    await runUntil(clock, () => box.heard.filter(({ event }) => event === 'verify').length > 1, 'asked');
    await quiet(100);
    expect(await db.edges.count()).toBe(0);
    expect(tablet.context.edgeLink.current).toBeUndefined();
    release();
  });

  test('offline by choice during a connection attempt stays offline', async () => {
    const { clock, box, tablet } = await scene();
    await addSurvey(tablet);
    let choice: Promise<void> | undefined;
    box.misbehave = (event, message) => {
      if (event === 'verify' && message['session'] !== undefined)
        choice ??= tablet.repositories.edge.link.setOfflineByChoice(true);
      return undefined;
    };
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => choice !== undefined, 'chosen');
    await choice;
    await clock.advance(60_000);
    expect(box.events()).toEqual([]);
    expect(tablet.context.edgeLink.current).toBeUndefined();
  });

  test('an unreadable feed on a clash, or a full disk on a refusal, does not end sending', async () => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    box.misbehave = (event, _message, nth) => {
      if (event === 'profile' && nth === 1) return { error: 'receipt-mismatch' };
      if (event === 'query') return { error: 'internal' };
      return event === 'survey' && nth === 1 ? { error: 'unlinked-survey' } : undefined;
    };
    const full = (): never => {
      tablet.context.store.db.holds.hook('creating').unsubscribe(full);
      throw new DOMException('no room', 'QuotaExceededError');
    };
    tablet.context.store.db.holds.hook('creating', full);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent in spite of it');
    expect(custodyAt(tablet, 'survey', id)).toMatchObject({ status: 'box' });
    expect(tablet.context.sync.sendingTab.get()).toBe('here');
  });

  test('an interrupted send loop restarts', async () => {
    const { clock, box, tablet } = await scene();
    const owes = tablet.context.sync.sender.hasOwed.bind(tablet.context.sync.sender);
    let broken = false;
    tablet.context.sync.sender.hasOwed = () => {
      if (!broken && owes()) {
        broken = true;
        throw new Error('a defect');
      }
      return owes();
    };
    await tablet.repositories.edge.link.pair(box.origin);
    await addSurvey(tablet);
    await runUntil(clock, () => broken && settled(tablet)(), 'sent');
    expect(box.ops.size).toBe(2);
  });

  test('failing HTTP chunks fall back to the socket without a busy loop', async () => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    await tablet.repositories.census.images.addPhotograph(photograph(1, 3_000_000), id);
    box.binary = ['socket', 'http'];
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    expect(box.patches).toBe(1);
    expect(box.events().filter((event) => event === 'image:path').length).toBeLessThan(4);
    expect(box.bytes.size).toBe(1);
  });
});

test.each<[string, object]>([
  ['nothing', {}],
  ['an empty session', { session: '' }],
  ['chunks of no size', { limits: { chunkBytes: 0 } }],
])('protocol: verify — a reply with %s is refused clearly, and all is sent after a good one', async (_what, reply) => {
  const { clock, box, tablet } = await scene();
  await tablet.repositories.edge.link.pair(box.origin);
  box.misbehave = (event) => (event === 'verify' ? { reply } : undefined);
  await addSurvey(tablet);
  const stop = tablet.repositories.edge.link.state.subscribe(() => undefined);
  await runUntil(clock, () => tablet.repositories.edge.link.state.get().status === 'refused', 'refused');
  expect(tablet.repositories.edge.link.state.get()).toMatchObject({ why: { code: 'bad-message' } });
  expect(box.events()).toEqual([]);
  box.misbehave = () => undefined;
  await runUntil(clock, settled(tablet), 'sent');
  stop();
});

describe('1§9: connectivity, under attack', () => {
  test.each<[string, () => Response]>([
    ['a head and never a body', () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))],
    [
      'a body without end',
      () => new Response(new ReadableStream({ pull: (sink) => sink.enqueue(new Uint8Array(64 * 1024)) })),
    ],
    ['a page for everything', () => new Response('<html>Welcome to the harbour Wi-Fi</html>')],
  ])('%s in place of the box ends the check, and the box is found when it is back', async (_what, answer) => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.link.pair(box.origin);
    box.instead = answer;
    const check = tablet.repositories.edge.link.check();
    await runUntil(clock, () => tablet.repositories.edge.link.connectivity.get().answering === 'none', 'not there');
    await check;
    box.instead = undefined;
    await runUntil(clock, () => tablet.repositories.edge.link.connectivity.get().answering === 'edge', 'back');
  });
});

test('1§9: connectivity prefers edge over www, each by its own pinned key', async () => {
  const { clock, box, tablet } = await scene();
  await tablet.repositories.edge.link.pair(box.origin);
  const cloud = new ScriptedBox(clock.now);
  const [edge] = await tablet.context.store.db.edges.toArray();
  let here: readonly EdgeRow[] = [edge!];
  const answers = new Map([
    [box.origin, box.fetch],
    ['https://cloud.test', cloud.fetch],
  ]);
  const host: TestTablet['host'] = {
    ...tablet.host,
    fetch: (url, init) => {
      const answer = answers.get(new URL(url).origin);
      return answer === undefined ? Promise.reject(new TypeError('no server')) : answer(url, init);
    },
  };
  const www = { origin: 'https://cloud.test', traceKeys: [cloud.traceKey.jwk] };
  const connectivity = new Connectivity(
    host,
    () => here,
    () => false,
    async () => undefined,
    () => www,
  );
  const answering = async (): Promise<string> => (await connectivity.check()).answering;
  expect(await answering()).toBe('edge');
  expect(connectivity.answeringEdge.get()?.edge.nodeId).toBe(box.nodeId);
  answers.delete(box.origin);
  expect(await answering()).toBe('www');
  expect(connectivity.answeringEdge.get()).toBeNull();
  here = [];
  expect(await answering()).toBe('www');
  expect(connectivity.facts.get().nextCheckAt).not.toBeNull();
  // Box in the cloud's place with a box signature: neither is accepted.
  answers.set('https://cloud.test', box.fetch);
  expect(await connectivity.check()).toMatchObject({ answering: 'none', impostor: true });
  answers.delete('https://cloud.test');
  expect(await connectivity.check()).toMatchObject({ answering: 'none', impostor: false });
  connectivity.close();
});

describe('1§9: a clock change while sending', () => {
  const TEN_YEARS = 10 * 365 * 24 * 3600 * 1000;

  test.each([TEN_YEARS, -TEN_YEARS])('a change by %i ms neither advances nor delays a retry', async (jump) => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    box.misbehave = (event) => (event === 'survey' ? { error: 'internal' } : undefined);
    await tablet.repositories.edge.link.pair(box.origin);
    await runUntil(clock, () => tablet.context.sync.sender.delays.size > 0, 'the tries used up');
    clock.set(jump);
    box.misbehave = () => undefined;
    const before = box.events().length;
    await clock.advance(1000);
    expect(box.events().length).toBe(before);
    await clock.advance(10_000);
    await quiet(300);
    expect(custodyAt(tablet, 'survey', id)).toMatchObject({ status: 'box' });
  });
});
