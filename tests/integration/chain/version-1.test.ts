/** Recorded tablet and box of version 1 against the current code (`scripts/record-version.mjs`). */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Bridge } from '../../../cloud-sync/bridge/bridge';
import { HttpCloud } from '../../../cloud-sync/bridge/link/http-cloud';
import { HttpEdge } from '../../../cloud-sync/bridge/link/http-edge';
import { HttpLink } from '../../../cloud-sync/bridge/link/http-link';
import { systemClock, systemTimers } from '../../../cloud-sync/bridge/runtime';
import { BridgeStateFile } from '../../../cloud-sync/bridge/state/bridge-state-file';
import type { Sha256, SurveyId } from '../../../src/domain/ids';
import { realDisk } from '../../../src/server/files/disk';
import { startCloud } from '../../support/servers/cloud';
import { startEdge, type EdgeProcess } from '../../support/servers/edge';
import { RecordedVersion } from '../../support/recorded/recorded-version';
import type * as Tablets from '../../support/tablet/tablet';
import { newOrigin, openTestTablet, until } from '../../support/tablet/tablet';

const recorded = new RecordedVersion('version-1');
const { expected } = recorded;
const DATABASE = 'reef-ops';

type TestTablet = Awaited<ReturnType<typeof openTestTablet>>;
type Feed = ReturnType<typeof recorded.feed>['feed'];

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Current box, optionally over the home of the old one. */
async function box(over: 'old home' | 'nothing'): Promise<EdgeProcess> {
  const home = over === 'old home' ? recorded.edgeHome() : undefined;
  const edge = await startEdge(home === undefined ? {} : { home });
  ends.push(async () => {
    await edge.remove();
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
  });
  return edge;
}

async function feedOf(edge: EdgeProcess): Promise<Feed> {
  return (await (
    await fetch(`${edge.url}/edge/changes?since=0&limit=1000`, {
      headers: { authorization: `Bearer ${edge.adminToken}` },
    })
  ).json()) as Feed;
}

/** Opens a tablet of one app version on the recorded databases, with listeners as screens have. */
async function oldDatabases(
  program: Pick<typeof Tablets, 'newOrigin' | 'openTestTablet'>,
  address?: string,
): Promise<TestTablet> {
  const origin = program.newOrigin();
  await recorded.restoreTablet(origin, address);
  const tablet = await program.openTestTablet({ name: 'Tablet of version 1', origin, database: DATABASE });
  listen(tablet);
  return tablet;
}

function listen(tablet: TestTablet): void {
  const { repositories } = tablet;
  const lives = [
    repositories.custody.sending.facts,
    repositories.census.surveys.all,
    ...Object.values(expected.surveys).map((id) => repositories.census.images.ofSurvey(id as SurveyId)),
  ];
  const stops = lives.map((live) =>
    (live as { subscribe: (heard: () => void) => () => void }).subscribe(() => undefined),
  );
  ends.push(async () => {
    for (const stop of stops) stop();
    await tablet.close();
  });
}

function imagesOf(
  { repositories }: TestTablet,
  surveyId: string,
): ReturnType<ReturnType<TestTablet['repositories']['census']['images']['ofSurvey']>['get']>['items'] {
  return repositories.census.images.ofSurvey(surveyId as SurveyId).get().items;
}

async function seesItsWork(tablet: TestTablet): Promise<void> {
  const {
    census: { surveys, images },
  } = tablet.repositories;
  const all = await until(
    () => surveys.all.get().items.length === 2 && surveys.all.get().items,
    'both surveys of the old tablet',
  );
  expect(all.find(({ id }) => id === expected.surveys.sent)).toMatchObject({
    name: 'Moore Reef, front crest',
    person: expected.person,
  });
  expect(all.find(({ id }) => id === expected.surveys.unsent)).toMatchObject({ name: 'Milln Reef, lee' });
  for (const surveyId of Object.values(expected.surveys)) {
    const wanted = expected.photographs.filter((one) => one.surveyId === surveyId).map(({ sha256 }) => sha256);
    const shown = await until(
      () => imagesOf(tablet, surveyId).length === wanted.length && imagesOf(tablet, surveyId),
      'the photographs of the old tablet',
    );
    expect(shown.map(({ doc }) => doc['sha256']).sort()).toEqual([...wanted].sort());
  }
  for (const { sha256 } of expected.photographs)
    expect(await hashOf(await images.original(sha256 as Sha256))).toBe(sha256);
  expect(await tablet.context.store.getMeta('deviceId')).toBe(expected.deviceId);
}

async function hashOf(bytes: Blob): Promise<string> {
  return createHash('sha256')
    .update(Buffer.from(await bytes.arrayBuffer()))
    .digest('hex');
}

async function sendsAll(tablet: TestTablet): Promise<void> {
  await tablet.repositories.edge.link.setOfflineByChoice(false);
  tablet.repositories.custody.sending.tryNow();
  await until(() => tablet.repositories.custody.sending.facts.get().state === 'done', 'everything on the box', 60_000);
}

describe('protocol: version 1 data works with the current version', () => {
  it('databases of an old tablet open with all work, custody and device data', async () => {
    const tablet = await oldDatabases({ newOrigin, openTestTablet });
    await seesItsWork(tablet);
    const at = imagesOf(tablet, expected.surveys.sent).map(({ custody }) => custody.status);
    expect(at.filter((place) => place === 'box')).toHaveLength(3);
    expect(at.filter((place) => place === 'tablet')).toHaveLength(2);
    expect(imagesOf(tablet, expected.surveys.unsent).map(({ custody }) => custody.status)).toEqual(['tablet']);
  });

  it('an old box opens with the same documents and receipts, byte for byte', async () => {
    const edge = await box('old home');
    const { feed, surveys } = recorded.feed();
    expect([edge.nodeId, edge.storeEpoch]).toEqual([expected.box.nodeId, expected.box.storeEpoch]);
    expect(await feedOf(edge)).toEqual(feed);
    const now = (await (
      await fetch(`${edge.url}/edge/surveys`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
    ).json()) as unknown;
    // Each is marked until a public figure counts it.
    expect(now).toEqual((surveys as readonly object[]).map((survey) => ({ ...survey, isNotYetPublic: true })));
    for (const { sha256, surveyId } of expected.photographs.slice(0, 3)) {
      expect(surveyId).toBe(expected.surveys.sent);
      const bytes = await (
        await fetch(`${edge.url}/edge/blobs/${sha256}`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
      ).blob();
      expect(await hashOf(bytes)).toBe(sha256);
    }
  });

  it('the current bridge uploads the whole feed of an old box', async () => {
    const edge = await box('old home');
    const cloud = await startCloud();
    ends.push(() => cloud.close());
    const state = mkdtempSync(path.join(tmpdir(), 'reef-bridge-'));
    ends.push(async () => rmSync(state, { recursive: true, force: true }));
    const links = [
      { url: edge.url, token: edge.adminToken },
      { url: cloud.url, token: cloud.boxToken },
    ].map(({ url, token }) => new HttpLink({ url: new URL(url), token: () => token, silenceMs: 10_000 }));
    const [aboard, ashore] = links as [HttpLink, HttpLink];
    ends.push(async () => links.forEach((link) => link.close()));
    const bridge = new Bridge({
      edge: new HttpEdge(aboard),
      cloud: new HttpCloud(ashore),
      state: new BridgeStateFile(realDisk, state, () => undefined),
      clock: systemClock,
      timers: systemTimers,
      random: Math.random,
    });
    const before = recorded.feed().feed.entries;
    const owed = new Set(before.flatMap(({ op }) => op?.opId ?? []));
    const brought = (entries: Feed['entries']): string[] =>
      entries.flatMap(({ receipt }) => {
        const { stage, accepted, opId } = receipt as { stage: string; accepted: boolean; opId: string };
        return stage === 'cloud' && accepted ? [opId] : [];
      });
    const end = new AbortController();
    for (
      let round = 0;
      brought((await feedOf(edge)).entries.filter(({ receipt }) => receipt !== undefined)).length < owed.size;
      round++
    ) {
      expect(round, 'rounds of the bridge').toBeLessThan(20);
      await bridge.step(end.signal);
    }
    expect(new Set(brought((await feedOf(edge)).entries.filter(({ receipt }) => receipt !== undefined)))).toEqual(owed);
    expect((await feedOf(edge)).entries.slice(0, before.length)).toEqual(before);
    for (const { sha256 } of expected.photographs.slice(0, 3)) {
      const answer = await fetch(`${cloud.url}/api/blobs/${sha256}`, {
        headers: { authorization: `Bearer ${cloud.boxToken}` },
      });
      expect(await hashOf(await answer.blob())).toBe(sha256);
    }
  });

  it('an old tablet in the current app syncs with the old box under the current server, and reads', async () => {
    const edge = await box('old home');
    const tablet = await oldDatabases({ newOrigin, openTestTablet }, edge.url);
    await sendsAll(tablet);
    await expect
      .poll(() => imagesOf(tablet, expected.surveys.sent).every(({ custody }) => custody.status === 'box'))
      .toBe(true);
    await allThereOnce(edge);
    const before = recorded.feed().feed.entries;
    expect((await feedOf(edge)).entries.slice(0, before.length)).toEqual(before);
    // Its session of version 1 is enrolled: it reads what another tablet writes.
    const mate = await openTestTablet({ name: 'Present' });
    listen(mate);
    await mate.repositories.account.people.createPending({
      name: { first: 'Ana', last: 'Tui' },
      email: 'ana@example.org',
    });
    await mate.repositories.edge.link.pair(edge.url, edge.code);
    await mate.repositories.census.surveys.add({
      name: 'From a mate',
      date: '2026-11-20',
      type: 'snorkel',
      location: { id: '16071100104', regionId: 'gbr', name: 'Moore Reef' },
    });
    await until(
      () => tablet.repositories.census.surveys.all.get().items.find(({ name }) => name === 'From a mate'),
      'the survey of another tablet',
      60_000,
    );
  });

  it('the old app sends its old databases to the current box', async () => {
    const edge = await box('old home');
    const tablet = await oldDatabases(await recorded.program<typeof Tablets>(), edge.url);
    await sendsAll(tablet);
    await seesItsWork(tablet);
    await allThereOnce(edge);
  });

  it('the old app pairs with a new box, and a current tablet reads what it sent', async () => {
    const edge = await box('nothing');
    const program = await recorded.program<typeof Tablets>();
    const old = await program.openTestTablet({ name: 'Old' });
    listen(old);
    await old.repositories.account.people.createPending({
      name: { first: 'Ben', last: 'Okai' },
      email: 'ben@example.org',
    });
    const surveyId = await old.repositories.census.surveys.add({
      name: 'From the old program',
      date: '2026-11-20',
      type: 'snorkel',
      location: { id: '16071100104', regionId: 'gbr', name: 'Moore Reef' },
    });
    await old.repositories.census.images.addPhotograph(program.photograph(77, 40_000), surveyId);
    await old.repositories.edge.link.pair(edge.url, edge.code);
    await until(
      () => old.repositories.custody.sending.facts.get().state === 'done',
      'all of the old program on the box',
      60_000,
    );
    const tablet = await openTestTablet({ name: 'Present' });
    listen(tablet);
    await tablet.repositories.account.people.createPending({
      name: { first: 'Ana', last: 'Tui' },
      email: 'ana@example.org',
    });
    await tablet.repositories.edge.link.pair(edge.url, edge.code);
    await until(
      () => tablet.repositories.census.surveys.all.get().items.find(({ name }) => name === 'From the old program'),
      "the old program's survey on a present tablet",
      60_000,
    );
    // The old app proves no key: it goes on sending, and reads nothing until it is updated.
    await tablet.repositories.census.surveys.edit(surveyId, { name: 'Renamed by the present app' });
    await sendsAll(tablet);
    const later = await old.repositories.census.images.addPhotograph(program.photograph(79, 40_000), surveyId);
    await until(
      () => old.repositories.custody.sending.facts.get().state === 'done',
      'later work of the old program on the box',
      60_000,
    );
    const aboard = (await feedOf(edge)).entries.flatMap(
      ({ op }) => (op as { docId?: string } | undefined)?.docId ?? [],
    );
    expect(aboard).toContain(later.id);
    expect(aboard.filter((id) => id === surveyId)).toHaveLength(2);
    expect(old.repositories.census.surveys.all.get().items.map(({ name }) => name)).toEqual(['From the old program']);
  });
});

/** Expects the old tablet's owed work on the box: each record once, with its bytes. */
async function allThereOnce(edge: EdgeProcess): Promise<void> {
  const { entries } = await feedOf(edge);
  const own = entries.flatMap(({ op }) => (op?.opId.startsWith(`${expected.deviceId}-`) === true ? [op.opId] : []));
  expect(new Set(own).size).toBe(own.length);
  for (const { sha256 } of expected.photographs) {
    const bytes = await (
      await fetch(`${edge.url}/edge/blobs/${sha256}`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
    ).blob();
    expect(await hashOf(bytes)).toBe(sha256);
  }
}
