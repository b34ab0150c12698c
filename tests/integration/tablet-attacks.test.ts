import { afterEach, describe, expect, test } from 'vitest';
import { Puller } from '../../src/data/sync/puller';
import { Connectivity } from '../../src/data/transport/connectivity';
import type { EdgeRow } from '../../src/data/ops/database';
import type { Upstream } from '../../src/data/transport/upstream';
import { ReefError } from '../../src/domain/errors';
import type { JsonObject } from '../../src/domain/json';
import type { Op } from '../../src/domain/op/op';
import { hashedText } from '../../src/protocol/hash';
import { ScriptedBox } from '../support/scripted-box';
import { photograph, quiet } from '../support/tablet';
import type { TestTablet } from '../support/tablet-scene';
import { addSurvey, closeTablets, custodyAt, openBeside, runUntil, scene, settled } from '../support/tablet-scene';

afterEach(closeTablets);

describe('protocol: client behaviour, under attack', () => {
  test('somebody who takes the connection up while the last one lets it go gets it, again and again', async () => {
    const { clock, box, tablet } = await scene();
    const { link } = tablet.parts;
    await tablet.repositories.edge.pair(box.origin);
    for (let round = 0; round < 3; round++) {
      const release = link.acquire();
      await runUntil(clock, () => link.current !== undefined, `connected, round ${round}`);
      let next: (() => void) | undefined;
      const stop = link.state.subscribe(({ status }) => {
        // In the very moment in which the last one was let go.
        if (status === 'idle') next ??= link.acquire();
      });
      release();
      await runUntil(clock, () => next !== undefined && link.current !== undefined, `taken up again, round ${round}`);
      stop();
      next?.();
      await runUntil(clock, () => link.state.get().status === 'idle', `idle, round ${round}`);
    }
  });

  test('a box that is forgotten while a connection to it comes about stays forgotten', async () => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.pair(box.origin);
    const { db } = tablet.parts.store;
    box.misbehave = (event) => {
      if (event === 'verify') void db.edges.delete(box.nodeId as never);
      return undefined;
    };
    const release = tablet.parts.link.acquire();
    await runUntil(clock, () => box.heard.filter(({ event }) => event === 'verify').length > 1, 'asked');
    await quiet(100);
    expect(await db.edges.count()).toBe(0);
    expect(tablet.parts.link.current).toBeUndefined();
    release();
  });

  test('who chooses to stay offline while the connection comes about is left in peace', async () => {
    const { clock, box, tablet } = await scene();
    await addSurvey(tablet);
    let choice: Promise<void> | undefined;
    box.misbehave = (event, message) => {
      if (event === 'verify' && message['session'] !== undefined) choice ??= tablet.repositories.edge.stayOffline(true);
      return undefined;
    };
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, () => choice !== undefined, 'chosen');
    await choice;
    await clock.advance(60_000);
    expect(box.events()).toEqual([]);
    expect(tablet.parts.link.current).toBeUndefined();
  });

  test('a clash whose feed cannot be read, and a full disk while a refusal is noted, do not end sending', async () => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    box.misbehave = (event, _message, nth) => {
      if (event === 'profile' && nth === 1) return { error: 'receipt-mismatch' };
      if (event === 'query') return { error: 'internal' };
      return event === 'survey' && nth === 1 ? { error: 'unlinked-survey' } : undefined;
    };
    const full = (): never => {
      tablet.parts.store.db.holds.hook('creating').unsubscribe(full);
      throw new DOMException('no room', 'QuotaExceededError');
    };
    tablet.parts.store.db.holds.hook('creating', full);
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent in spite of it');
    expect(custodyAt(tablet, 'survey', id)).toMatchObject({ at: 'box' });
    expect(tablet.parts.sync.place.get()).toBe('here');
  });

  test('sending that breaks off within begins again', async () => {
    const { clock, box, tablet } = await scene();
    const owes = tablet.parts.sync.sender.owes.bind(tablet.parts.sync.sender);
    let broken = false;
    tablet.parts.sync.sender.owes = () => {
      if (!broken && owes()) {
        broken = true;
        throw new Error('a defect');
      }
      return owes();
    };
    await tablet.repositories.edge.pair(box.origin);
    await addSurvey(tablet);
    await runUntil(clock, () => broken && settled(tablet)(), 'sent');
    expect(box.ops.size).toBe(2);
  });

  test('chunks over HTTP that never get through go over the socket, and nothing spins', async () => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    await tablet.repositories.images.addPhotograph(photograph(1, 3_000_000), id);
    box.binary = ['socket', 'http'];
    await tablet.repositories.edge.pair(box.origin);
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
])('protocol: verify — an answer with %s is refused in plain words; capture goes on and all goes when the box answers well again', async (_what, reply) => {
  const { clock, box, tablet } = await scene();
  await tablet.repositories.edge.pair(box.origin);
  box.misbehave = (event) => (event === 'verify' ? { reply } : undefined);
  await addSurvey(tablet);
  const stop = tablet.repositories.edge.link.subscribe(() => undefined);
  await runUntil(clock, () => tablet.repositories.edge.link.get().status === 'refused', 'refused');
  expect(tablet.repositories.edge.link.get()).toMatchObject({ why: { code: 'bad-message' } });
  expect(box.events()).toEqual([]);
  box.misbehave = () => undefined;
  await runUntil(clock, settled(tablet), 'sent');
  stop();
});

describe('1§9: connectivity, under attack', () => {
  test.each<[string, () => Response]>([
    ['a head and never a body', () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))],
    ['a body without end', () => new Response(new ReadableStream({ pull: (sink) => sink.enqueue(new Uint8Array(64 * 1024)) }))],
    ['a page for everything', () => new Response('<html>Welcome to the harbour Wi-Fi</html>')],
  ])('%s in place of the box: the check ends, and finds the box when it is back', async (_what, answer) => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.pair(box.origin);
    box.instead = answer;
    const check = tablet.repositories.edge.check();
    await runUntil(clock, () => tablet.repositories.edge.connectivity.get().answering === 'none', 'not there');
    await check;
    box.instead = undefined;
    await runUntil(clock, () => tablet.repositories.edge.connectivity.get().answering === 'edge', 'back');
  });
});

test('1§9: connectivity tells edge, www and neither apart: a box before the cloud, and each only with its own pinned key', async () => {
  const { clock, box, tablet } = await scene();
  await tablet.repositories.edge.pair(box.origin);
  const cloud = new ScriptedBox(clock.now);
  const [edge] = await tablet.parts.store.db.edges.toArray();
  let here: readonly EdgeRow[] = [edge!];
  const answers = new Map([[box.origin, box.fetch], ['https://cloud.test', cloud.fetch]]);
  const host: TestTablet['host'] = {
    ...tablet.host,
    fetch: (url, init) => {
      const answer = answers.get(new URL(url).origin);
      return answer === undefined ? Promise.reject(new TypeError('nobody there')) : answer(url, init);
    },
  };
  const www = { origin: 'https://cloud.test', traceKeys: [cloud.traceKey.jwk] };
  const connectivity = new Connectivity(host, () => here, () => false, async () => undefined, () => www);
  const answering = async (): Promise<string> => (await connectivity.check()).answering;
  expect(await answering()).toBe('edge');
  expect(connectivity.upstream.get()?.edge.nodeId).toBe(box.nodeId);
  answers.delete(box.origin);
  expect(await answering()).toBe('www');
  expect(connectivity.upstream.get()).toBeNull();
  here = [];
  expect(await answering()).toBe('www');
  expect(connectivity.facts.get().nextCheckAt).not.toBeNull();
  // The box in the cloud's place, signing as a box: neither.
  answers.set('https://cloud.test', box.fetch);
  expect(await connectivity.check()).toMatchObject({ answering: 'none', impostor: true });
  answers.delete('https://cloud.test');
  expect(await connectivity.check()).toMatchObject({ answering: 'none', impostor: false });
  connectivity.close();
});

describe('1§9: a clock that is set while sending', () => {
  const TEN_YEARS = 10 * 365 * 24 * 3600 * 1000;

  test.each([TEN_YEARS, -TEN_YEARS])('by %i ms: what waits comes up when it would have, neither sooner nor years later', async (jump) => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    box.misbehave = (event) => (event === 'survey' ? { error: 'internal' } : undefined);
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, () => tablet.parts.sync.sender.delays.size > 0, 'the tries used up');
    clock.set(jump);
    box.misbehave = () => undefined;
    const before = box.events().length;
    await clock.advance(1000);
    expect(box.events().length).toBe(before);
    await clock.advance(10_000);
    await quiet(300);
    expect(custodyAt(tablet, 'survey', id)).toMatchObject({ at: 'box' });
  });
});

describe('protocol: the puller, under attack', () => {
  async function foreign(tablet: TestTablet, n: number, body: JsonObject): Promise<Op> {
    const docId = String(body['id']);
    const sha256 = await tablet.host.sha256(hashedText(body));
    return { v: 1, opId: `other00000000000-${n}`, kind: 'survey', docId, madeAt: '2026-11-20T00:00:00.000Z', schema: 1, body, sha256 } as unknown as Op;
  }

  test('receipts: what the box keeps in quarantine is not folded as if it were accepted', async () => {
    const { clock, box, tablet } = await scene();
    const id = await addSurvey(tablet);
    await tablet.repositories.edge.pair(box.origin);
    const stop = tablet.repositories.surveys.all.subscribe(() => undefined);
    await runUntil(clock, settled(tablet), 'sent');
    const write = async (n: number, body: JsonObject, accepted: boolean): Promise<void> => {
      const op = await foreign(tablet, n, body);
      box.write(op);
      const { sig: _sig, ...receipt } = box.receipts.get(op.opId)!;
      box.entries[box.entries.length - 1] = { seq: receipt.seq, op, receipt: box.signed({ ...receipt, accepted, ...(accepted ? {} : { reason: 'forbidden' }) }) };
    };
    await write(1, { id, name: 'Somebody’s words' }, false);
    await write(2, { id: 'quarantined00000', name: 'Not to be shown' }, false);
    await write(3, { id: 'accepted00000000', name: 'Dive 3' }, true);
    box.hint();
    const names = (): unknown[] => tablet.repositories.surveys.all.get().items.map(({ doc }) => doc['name']);
    await runUntil(clock, () => names().includes('Dive 3'), 'pulled');
    await quiet(300);
    expect(names().sort()).toEqual(['Dive 1', 'Dive 3']);
    expect(tablet.repositories.surveys.all.get().items.map(({ conflicts }) => conflicts)).toEqual([0, 0]);
    await tablet.repositories.surveys.edit(id, { name: 'Dive one' });
    await runUntil(clock, () => settled(tablet)() && names().includes('Dive one'), 'edited');
    expect(names().sort()).toEqual(['Dive 3', 'Dive one']);
    stop();
  });

  test('a feed that goes backwards ends the reading; a feed that failed is read again on the same connection, with its hints', async () => {
    const { clock, box, tablet } = await scene();
    await tablet.repositories.edge.pair(box.origin);
    const op = await foreign(tablet, 1, { id: 'accepted00000000', name: 'Dive 3' });
    box.write(op);
    box.entries[0] = { ...box.entries[0]!, seq: 5 };
    const honest = box.entries[0];
    box.entries[0] = new Proxy(honest, { get: (of, key) => (key === 'seq' ? back() : Reflect.get(of, key)) });
    let asked = 0;
    // Larger than `since` when it is filtered, smaller when `next` is made of it.
    const back = (): number => (asked++ % 2 === 0 ? 5 : 0);
    const stop = tablet.repositories.surveys.all.subscribe(() => undefined);
    const queries = (): Record<string, unknown>[] => box.heard.filter(({ event, message }) => event === 'query' && message['name'] === 'changes').map(({ message }) => message);
    await runUntil(clock, () => queries().length === 1, 'read');
    const verifies = box.heard.filter(({ event }) => event === 'verify').length;
    box.entries[0] = honest;
    await runUntil(clock, () => tablet.repositories.surveys.all.get().items.length === 1, 'read again');
    expect(queries().slice(0, 2).map(({ subscribe = false, params }) => [subscribe, (params as { since: number }).since])).toEqual([[true, 0], [true, 0]]);
    expect(box.heard.filter(({ event }) => event === 'verify').length).toBe(verifies);
    stop();
  });

  test('a connection that comes while the feed of the last one is still being read is read and subscribed to itself', async () => {
    const { tablet } = await scene();
    const puller = new Puller(tablet.parts.store, tablet.parts.ledger);
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
    const first = connection('first', () => new Promise((_resolve, reject) => (cut = () => reject(new ReefError('disconnected')))));
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
  test('storage emptied under an open page: it begins again with an id of its own, says so, and what is written then is sent', async () => {
    const { clock, box, tablet } = await scene();
    await addSurvey(tablet);
    await addSurvey(tablet, 'Dive 2');
    const { store } = tablet.parts;
    const deviceId = await store.fact('deviceId');
    await new Promise<void>((resolve, reject) => {
      const request = tablet.host.idb.factory.deleteDatabase(store.db.name);
      request.onsuccess = () => resolve();
      request.onerror = () => reject(request.error as Error);
    });
    const id = await addSurvey(tablet, 'Afterwards');
    expect(await store.fact('deviceId')).toMatch(/^[0-9A-Za-z]{16}$/);
    expect(await store.fact('deviceId')).not.toBe(deviceId);
    expect(await store.fact('wiped')).toBeDefined();
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, () => custodyAt(tablet, 'survey', id).at === 'box', 'sent');
    expect([...box.ops.keys()].every((opId) => /^[0-9A-Za-z]{16}-[1-9]\d*$/.test(opId))).toBe(true);
  });

  test('the same photograph twice at once and in two tabs is one record; in two surveys it is two, and its bytes lie here once', async () => {
    const { clock, box, tablet } = await scene();
    const other = await openBeside(clock, box, { origin: tablet.origin, database: tablet.database });
    const [first, second] = [await addSurvey(tablet), await addSurvey(tablet, 'Dive 2')];
    const file = photograph(1);
    const added = await Promise.all([tablet, tablet, other].map(({ repositories }) => repositories.images.addPhotograph(file, first)));
    expect(added.map(({ outcome }) => outcome).sort()).toEqual(['known', 'known', 'saved']);
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect((await tablet.repositories.images.addPhotograph(file, second)).outcome).toBe('saved');
    expect(await tablet.parts.store.db.blobs.count()).toBe(1);
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, () => settled(tablet)() && settled(other)(), 'sent');
    expect([...box.ops.values()].filter(({ kind }) => kind === 'image')).toHaveLength(2);
  });

  test('a tab that has not heard yet of what another added finds it all the same', async () => {
    const { clock, box, tablet } = await scene();
    const other = await openBeside(clock, box, { origin: tablet.origin, database: tablet.database });
    const survey = await addSurvey(tablet);
    const file = photograph(1);
    await runUntil(clock, () => other.parts.ledger.document('survey', survey).length > 0, 'the survey in the other tab');
    // As if the word of the change came late.
    other.parts.ledger.close();
    const { id } = await tablet.repositories.images.addPhotograph(file, survey);
    expect(await other.repositories.images.addPhotograph(file, survey)).toMatchObject({ id, outcome: 'known' });
  });

  test('bytes that lie here whole are never written over by bytes that are not proven', async () => {
    const { tablet } = await scene();
    const [first, second] = [await addSurvey(tablet), await addSurvey(tablet, 'Dive 2')];
    const file = photograph(1);
    const { sha256 } = await tablet.repositories.images.addPhotograph(file, first);
    const { blobs } = tablet.parts.store.db;
    const damage = (): { blob: Blob } => ({ blob: new Blob([new Uint8Array(file.size)]) });
    blobs.hook('updating', damage);
    await tablet.repositories.images.addPhotograph(file, second).catch(() => undefined);
    blobs.hook('updating').unsubscribe(damage);
    expect((await tablet.repositories.images.original(sha256)).size).toBe(file.size);
  });

  test('a damaged copy is made whole by adding the original again, and goes', async () => {
    const { clock, box, tablet } = await scene();
    const survey = await addSurvey(tablet);
    const file = photograph(1);
    const { id, sha256 } = await tablet.repositories.images.addPhotograph(file, survey);
    const { blobs } = tablet.parts.store.db;
    await blobs.put({ ...(await blobs.get(sha256))!, blob: new Blob([new Uint8Array(file.size)]) });
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, () => custodyAt(tablet, 'image', id).at === 'held', 'held');
    expect(await tablet.repositories.images.addPhotograph(file, survey)).toMatchObject({ id, sha256, outcome: 'known' });
    await runUntil(clock, () => custodyAt(tablet, 'image', id).at === 'box', 'sent');
    expect(box.bytes.get(sha256)!.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
  });

  test('a survey that is deleted while its photographs are sent: all of it arrives, and it takes no more', async () => {
    const { clock, box, tablet } = await scene();
    const survey = await addSurvey(tablet);
    for (let i = 0; i < 3; i++) await tablet.repositories.images.addPhotograph(photograph(i, 700_000), survey);
    let removed: Promise<void> | undefined;
    box.misbehave = (event) => {
      if (event === 'image:binary') removed ??= tablet.repositories.surveys.remove(survey);
      return undefined;
    };
    await tablet.repositories.edge.pair(box.origin);
    await runUntil(clock, settled(tablet), 'sent');
    await removed;
    expect(box.bytes.size).toBe(3);
    await expect(tablet.repositories.images.addPhotograph(photograph(9), survey)).rejects.toMatchObject({ code: 'not-found' });
  });
});

test('protocol: one write path — a projection that fails is made up for, without another write', async () => {
  const { clock, tablet } = await scene();
  const { collections } = await tablet.parts.model;
  const upsert = collections.survey.bulkUpsert.bind(collections.survey);
  let failed = 0;
  collections.survey.bulkUpsert = () => {
    failed += 1;
    return Promise.reject(new DOMException('no room', 'QuotaExceededError'));
  };
  await addSurvey(tablet);
  await quiet(500);
  const stop = tablet.repositories.surveys.all.subscribe(() => undefined);
  expect(failed).toBeGreaterThan(0);
  collections.survey.bulkUpsert = upsert;
  await runUntil(clock, () => tablet.repositories.surveys.all.get().items.length === 1, 'shown');
  stop();
});
