import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EDGE_STATS } from '../../../src/domain/edge-stats';
import type { SurveyId } from '../../../src/domain/ids';
import { locationOf } from '../../../src/domain/survey/log';
import type { PhotographView } from '../../../src/data/repositories/index';
import type { SessionsReply } from '../../../src/protocol/edge-http';
import type { TestEdge } from '../../support/servers/edge';
import { photograph, until } from '../../support/tablet/tablet';
import { closers } from '../../support/tablet/closers';
import { edge, survey, tablet, type RealTablet } from '../../support/tablet/real-scene';

function watchPhotographs({ repositories }: RealTablet, id: SurveyId): () => readonly PhotographView[] {
  const live = repositories.census.images.ofSurvey(id);
  const stop = live.subscribe(() => undefined);
  closers.push(async () => stop());
  return () => live.get().items;
}

function watchSurvey({ repositories }: RealTablet, id: SurveyId) {
  const live = repositories.census.surveys.one(id);
  const conflicts = repositories.census.conflicts.all;
  const stops = [live.subscribe(() => undefined), conflicts.subscribe(() => undefined)];
  closers.push(async () => stops.forEach((stop) => stop()));
  return { survey: () => live.get().items[0], conflicts: () => conflicts.get().items };
}

/** Ana's survey on two tablets, hers and Ben's, of one box. */
async function surveyOfTwo(): Promise<readonly [RealTablet, RealTablet, SurveyId]> {
  const box = await edge();
  const one = await tablet({ name: 'Foredeck' });
  const two = await tablet({ name: 'Stern' });
  const id = await survey(one);
  await two.repositories.account.people.createPending({
    name: { first: 'Ben', last: 'Deep' },
    email: 'ben@example.org',
  });
  await one.repositories.edge.link.pair(box.url, box.code);
  await two.repositories.edge.link.pair(box.url, box.code);
  const second = watchSurvey(two, id);
  await until(() => second.survey(), 'the survey on the second tablet');
  await until(() => second.survey()?.custody.status === 'box', 'with the receipt of the box');
  return [one, two, id];
}

/** Lets people write on tablets that hear nothing of each other. */
async function apart(tablets: readonly RealTablet[], write: () => Promise<void>): Promise<void> {
  for (const { repositories } of tablets) await repositories.edge.link.setOfflineByChoice(true);
  await write();
  for (const { repositories } of tablets) await repositories.edge.link.setOfflineByChoice(false);
}

async function blobHash(box: TestEdge, sha256: string): Promise<string> {
  const response = await fetch(`${box.url}/edge/blobs/${sha256}`, {
    headers: { authorization: `Bearer ${box.adminToken}` },
  });
  expect(response.status).toBe(200);
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');
}

async function feed(box: TestEdge): Promise<{ op?: { opId: string; kind: string; docId: string } }[]> {
  const response = await fetch(`${box.url}/edge/changes?since=0&limit=1000`, {
    headers: { authorization: `Bearer ${box.adminToken}` },
  });
  return ((await response.json()) as { entries: { op?: { opId: string; kind: string; docId: string } }[] }).entries;
}

/** Person of the latest used session, as the box lists it. */
async function personAboard(box: TestEdge): Promise<string | null | undefined> {
  const response = await fetch(`${box.url}/edge/sessions`, { headers: { authorization: `Bearer ${box.adminToken}` } });
  return ((await response.json()) as SessionsReply).sessions[0]?.person;
}

async function signInAsBen({ repositories }: RealTablet, box: TestEdge): Promise<void> {
  await repositories.edge.link.pair(box.url, box.code);
  await repositories.edge.link.signIn({ name: { first: 'Ben', last: '' }, email: 'ben@example.org' });
}

function rename({ repositories }: RealTablet, first: string): Promise<void> {
  const name = { first, last: '' };
  return repositories.account.profile.save({ name, loc: null, org: null, optin: true, additionalInfo: {} });
}

describe('protocol: a photograph goes from the tablet to the box', () => {
  test('a photograph added offline reaches the box once, byte for byte, and shows as Box', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const files = [photograph(1), photograph(2, 1_500_000), photograph(3, 70_000)];
    const added = [];
    for (const file of files) added.push(await one.repositories.census.images.addPhotograph(file, id));
    const shown = watchPhotographs(one, id);
    await until(() => shown().length === 3, 'three photographs on the tablet');
    expect(shown().map(({ custody }) => custody.status)).toEqual(['tablet', 'tablet', 'tablet']);

    await one.repositories.edge.link.pair(box.url, box.code);
    await until(() => shown().every(({ custody }) => custody.status === 'box'), 'all aboard');
    for (const { sha256 } of added) expect(await blobHash(box, sha256)).toBe(sha256);
    await until(() => one.repositories.custody.sending.facts.get().state === 'done', 'nothing owed');
    const ops = (await feed(box)).flatMap(({ op }) => op ?? []);
    // The person has a profile from before the pairing, and one of the sign-in aboard.
    expect(ops.map(({ kind }) => kind).sort()).toEqual(['image', 'image', 'image', 'profile', 'profile', 'survey']);
    expect(new Set(ops.map(({ opId }) => opId)).size).toBe(6);
  });

  test('1§3, 1§7 the box lists the reef of a tablet’s survey at the position of its table', async () => {
    const box = await edge();
    const one = await tablet();
    await one.repositories.account.people.createPending({ name: { first: 'Ana', last: 'Reef' }, email: 'a@b.org' });
    const reef = { id: '16071100104', gid: '16-071', name: 'Moore Reef', kind: 'Reef' };
    const position = { latitude: -16.87433, longitude: 146.213 };
    for (const name of ['Dive 1', 'Dive 2'])
      await one.repositories.census.surveys.add({
        name,
        date: '2026-11-20',
        type: 'scuba',
        location: locationOf({ text: 'Moore', picked: { ...reef, position } }, 'gbr'),
      });
    const { edgeLink } = one.context;
    const release = edgeLink.acquire();
    closers.push(async () => release());
    await one.repositories.edge.link.pair(box.url, box.code);
    await until(() => one.repositories.custody.sending.facts.get().state === 'done', 'nothing owed');
    const { socket } = await until(() => edgeLink.current, 'the link to the box');
    const { data } = await socket.request('query', { name: 'locations' });
    expect(EDGE_STATS.locations.parse(data)).toEqual([
      {
        id: reef.id,
        name: reef.name,
        lat: position.latitude,
        lng: position.longitude,
        surveys: 2,
        images: 0,
        notYetPublic: 2,
      },
    ]);
  });

  test('a box killed during the upload ends with equal bytes and no duplicates', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const files = Array.from({ length: 6 }, (_, i) => photograph(100 + i, 1_200_000 + i * 77_777));
    const added = [];
    for (const file of files) added.push(await one.repositories.census.images.addPhotograph(file, id));
    const shown = watchPhotographs(one, id);
    await one.repositories.edge.link.pair(box.url, box.code);
    for (let kill = 1; kill <= 3; kill++) {
      await until(
        () =>
          shown().filter(({ custody }) => custody.status === 'box').length >= kill ||
          shown().some(({ custody }) => custody.status === 'on-its-way' && custody.sent > 0),
        `something is under way (${kill})`,
        60_000,
      );
      await box.restart('SIGKILL');
      one.repositories.custody.sending.tryNow();
    }
    await until(
      () => shown().length === 6 && shown().every(({ custody }) => custody.status === 'box'),
      'all aboard',
      60_000,
    );
    for (const { sha256 } of added) expect(await blobHash(box, sha256)).toBe(sha256);
    await until(() => one.repositories.custody.sending.facts.get().state === 'done', 'nothing owed', 60_000);
    const ops = (await feed(box)).flatMap(({ op }) => op ?? []);
    expect(ops).toHaveLength(9);
    expect(new Set(ops.map(({ opId }) => opId)).size).toBe(9);
    expect(new Set(ops.map(({ docId }) => docId)).size).toBe(9);
  }, 120_000);

  test('a tab that dies while sending resumes where it was in a new tab', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    for (let i = 0; i < 3; i++) await one.repositories.census.images.addPhotograph(photograph(200 + i, 900_000), id);
    await one.repositories.edge.link.pair(box.url, box.code);
    await until(
      () => one.context.sync.sender.facts.get().inFlight.some(({ sent }) => sent > 0),
      'a photograph under way',
    );
    await one.close();
    const again = await tablet({ origin: one.origin, database: one.database });
    await until(() => again.repositories.custody.sending.facts.get().state === 'done', 'all sent', 60_000);
    expect((await feed(box)).flatMap(({ op }) => op ?? [])).toHaveLength(6);
  }, 90_000);

  test('two people on two tablets see both values, and one choice settles both', async () => {
    const [one, two, id] = await surveyOfTwo();
    const [first, second] = [watchSurvey(one, id), watchSurvey(two, id)];
    await apart([one, two], async () => {
      await one.repositories.census.surveys.edit(id, { visibility: 10 });
      await two.repositories.census.surveys.edit(id, { visibility: 15, camera: 'GoPro' });
    });
    await until(
      () => first.conflicts().length === 1 && second.conflicts().length === 1,
      'both see the conflict',
      60_000,
    );
    const [conflict] = first.conflicts();
    expect([conflict!.shown, ...conflict!.others.map(({ value }) => value)].sort()).toEqual([10, 15]);
    expect(conflict!.field).toBe('visibility');
    // Conflicts and survey are read separately, so one may be ahead.
    await until(() => first.survey()?.doc['camera'] === 'GoPro', 'what was in no conflict');

    await two.repositories.census.conflicts.resolve({ kind: 'survey', docId: id, field: 'visibility' }, 12);
    await until(
      () =>
        [first, second].every(
          ({ survey: shown, conflicts }) => conflicts().length === 0 && shown()?.doc['visibility'] === 12,
        ),
      'settled for both',
      60_000,
    );
    expect(second.survey()?.doc).toEqual(first.survey()?.doc);
  }, 120_000);

  test('1§4 a survey restored by one and deleted by another is deleted for both once they settle it so', async () => {
    const [one, two, id] = await surveyOfTwo();
    const [first, second] = [watchSurvey(one, id), watchSurvey(two, id)];
    const ana = one.repositories.account.people.current.get();
    await apart([one, two], async () => {
      await one.repositories.census.surveys.remove(id);
      await one.repositories.census.surveys.restore(id);
      // Ben's delete is the later one by its clock.
      await two.repositories.census.surveys.edit(id, { visibility: 10 });
      await two.repositories.census.surveys.edit(id, { visibility: 15 });
      await two.repositories.census.surveys.remove(id);
    });
    const deletion = ({ conflicts }: typeof first) => conflicts().find(({ field }) => field === 'isDeleted');
    await until(() => deletion(first) !== undefined && deletion(second) !== undefined, 'both see it', 60_000);
    expect(deletion(first)).toMatchObject({ shown: false, shownBy: ana?.uid, others: [{ value: true }] });
    expect(first.survey()?.id).toBe(id);

    await two.repositories.census.conflicts.resolve(deletion(second)!, true);
    await until(
      () => [first, second].every(({ survey: shown, conflicts }) => conflicts().length === 0 && shown() === undefined),
      'deleted for both',
      60_000,
    );
    await one.repositories.census.surveys.restore(id);
    await until(() => first.survey()?.doc['visibility'] === 15, 'restored with the value that was shown');
    expect(first.conflicts()).toEqual([]);
  }, 120_000);

  test('a signed-out person’s photograph goes in their name, and the box names the new user', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const ana = one.repositories.account.people.current.get()!;
    await one.repositories.census.images.addPhotograph(photograph(300), id);
    await one.repositories.account.people.clearCurrent();
    await expect(one.repositories.census.images.addPhotograph(photograph(301), id)).rejects.toMatchObject({
      code: 'unlinked-survey',
    });
    await one.repositories.edge.link.pair(box.url, box.code);
    const ben = await one.repositories.edge.link.signIn({
      name: { first: 'Ben', last: 'Deep' },
      email: 'ben@example.org',
    });
    expect(ben).toMatchObject({ email: 'ben@example.org', pending: true });
    await until(() => one.repositories.custody.sending.facts.get().state === 'done', 'all sent', 60_000);
    const image = (await feed(box)).flatMap(({ op }) => op ?? []).find(({ kind }) => kind === 'image') as unknown as {
      by: string;
    };
    expect(image.by).toBe(ana.uid);
  }, 60_000);

  test('1§7, protocol, Edge HTTP: a box shows a name changed on the tablet, also one changed out of reach', async () => {
    const box = await edge();
    const one = await tablet();
    const { link } = one.repositories.edge;
    // Held as by a screen that shows it: without a holder the connection ends once nothing is owed.
    const release = one.context.edgeLink.acquire();
    closers.push(async () => release());
    await signInAsBen(one, box);
    const aboard = (first: string) =>
      until(
        async () => (await link.access.sessions())?.sessions.some(({ person }) => person?.trim() === first),
        `${first} aboard`,
      );
    await aboard('Ben');
    await rename(one, 'Benno');
    await aboard('Benno');
    await link.setOfflineByChoice(true);
    await rename(one, 'Benjamin');
    await link.setOfflineByChoice(false);
    await aboard('Benjamin');
  }, 60_000);

  test('1§7 a box shows a name that the tablet stores after it sent the profile and disconnected', async () => {
    const box = await edge();
    const one = await tablet();
    await signInAsBen(one, box);
    await until(async () => (await personAboard(box)) === 'Ben', 'Ben aboard');
    const { store, edgeLink, sync } = one.context;
    const setMeta = store.setMeta.bind(store);
    store.setMeta = async (key, value) => {
      if (key === 'person')
        await until(
          () => !sync.sender.hasOwed() && edgeLink.state.get().status === 'idle',
          'profile sent, connection ended',
        );
      return setMeta(key, value);
    };
    await rename(one, 'Benno');
    await until(async () => (await personAboard(box)) === 'Benno', 'Benno aboard');
    await until(() => edgeLink.state.get().status === 'idle', 'the connection ends again');
  }, 60_000);

  test('1§7 a box shows a name changed in a tab that is not connected', async () => {
    const box = await edge();
    const one = await tablet();
    await signInAsBen(one, box);
    const release = one.context.edgeLink.acquire();
    closers.push(async () => release());
    await until(() => one.context.edgeLink.current !== undefined, 'connected');
    const other = await tablet({ origin: one.origin, database: one.database });
    await rename(other, 'Benno');
    await until(async () => (await personAboard(box)) === 'Benno', 'Benno aboard');
  }, 60_000);

  test('1§7, 2§2 aboard, sign-in and sign-out go to the box, which names the tablet’s person or none', async () => {
    const box = await edge();
    const one = await tablet();
    const { link } = one.repositories.edge;
    await link.pair(box.url, box.code);
    const person = () => personAboard(box);
    await until(async () => (await person()) === null, 'the tablet without a person');
    await link.signIn({ name: { first: 'Ben', last: 'Deep' }, email: 'ben@example.org' });
    expect(await person()).toBe('Ben Deep');
    await link.signOut();
    expect(await person()).toBe(null);
  }, 60_000);

  test('a wrong code is refused, and a tablet of a replaced box is notified and loses nothing', async () => {
    const box = await edge();
    const one = await tablet();
    await expect(one.repositories.edge.link.pair(box.url)).rejects.toMatchObject({ code: 'pairing-required' });
    await expect(one.repositories.edge.link.pair(box.url, 'AAAAAAAA')).rejects.toMatchObject({ code: 'pairing-wrong' });
    await one.repositories.edge.link.pair(box.url, box.code);
    const id = await survey(one);
    const { sha256 } = await one.repositories.census.images.addPhotograph(photograph(400), id);
    const shown = watchPhotographs(one, id);
    await until(() => shown()[0]?.custody.status === 'box', 'aboard');

    // Different box at the same address: other keys, an empty store.
    const { port } = box;
    await box.kill();
    const other = await edge({ env: { EDGE_PORT: String(port) } });
    expect(await one.repositories.edge.link.check()).toMatchObject({ answering: 'none', impostor: true });
    await one.repositories.edge.link.pair(other.url, other.code);
    await until(
      async () =>
        (
          await fetch(`${other.url}/edge/blobs/${sha256}`, {
            method: 'HEAD',
            headers: { authorization: `Bearer ${other.adminToken}` },
          })
        ).ok,
      'offered to the new box as well',
      60_000,
    );
    expect(await blobHash(other, sha256)).toBe(sha256);
  }, 90_000);

  test('the box’s live meta and survey answers follow each upload', async () => {
    const box = await edge();
    const one = await tablet();
    await one.repositories.edge.link.pair(box.url, box.code);
    const stops = [
      one.repositories.edge.answers.meta.subscribe(() => undefined),
      one.repositories.edge.answers.surveys.subscribe(() => undefined),
      one.repositories.edge.link.state.subscribe(() => undefined),
    ];
    closers.push(async () => stops.forEach((stop) => stop()));
    await until(() => one.repositories.edge.answers.meta.get().status === 'ready', 'meta');
    expect(one.repositories.edge.link.state.get()).toMatchObject({ status: 'connected', edge: { nodeId: box.nodeId } });
    const id = await survey(one);
    await one.repositories.census.images.addPhotograph(photograph(500), id);
    await until(() => one.repositories.edge.answers.meta.get().items[0]?.totals.images === 1, 'one image counted');
    await until(
      () => one.repositories.edge.answers.surveys.get().items[0]?.images.here === 1,
      'and shown with its survey',
    );
    await box.kill();
    await until(() => one.repositories.edge.answers.meta.get().status === 'stale', 'stale while the box is away');
  }, 60_000);
});
