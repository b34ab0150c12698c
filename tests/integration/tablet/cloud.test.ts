import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { PhotographView } from '../../../src/data/repositories/index';
import type { ImageId, SurveyId } from '../../../src/domain/ids';
import type { ChangeEntry } from '../../../src/protocol/changes';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { closers } from '../../support/tablet/closers';
import { edge, survey, tablet, type RealTablet } from '../../support/tablet/real-scene';
import { photograph, until } from '../../support/tablet/tablet';

async function cloud(): Promise<TestCloud> {
  const started = await startCloud();
  closers.push(() => started.close());
  return started;
}

async function signIn(
  { repositories: { account } }: RealTablet,
  { url, outbox }: TestCloud,
  email: string,
): Promise<void> {
  await account.signIn.pinCloud(url);
  await account.signIn.sendCode(email);
  await account.signIn.withCode(email, codeIn(outboxMails(outbox), email));
}

function watch({ repositories }: RealTablet, id: SurveyId): () => readonly PhotographView[] {
  const live = repositories.census.images.ofSurvey(id);
  const stop = live.subscribe(() => undefined);
  closers.push(async () => stop());
  return () => live.get().items;
}

async function hashAshore(shore: TestCloud, sha256: string): Promise<string> {
  const answer = await fetch(`${shore.url}/api/blobs/${sha256}`, {
    headers: { authorization: `Bearer ${STAFF_TOKEN}` },
  });
  expect(answer.status).toBe(200);
  return createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');
}

describe('protocol: Cloud HTTP, from a tablet', () => {
  test('1§7 a moved or removed photograph stays ashore; its change is owed as a record', async () => {
    const shore = await cloud();
    const one = await tablet();
    const { census, custody } = one.repositories;
    const id = await survey(one);
    const added = [];
    for (const i of [1, 2, 3]) added.push((await census.images.addPhotograph(photograph(i), id)).id);
    const shown = watch(one, id);
    const counts = custody.photographs.surveys;
    const stop = counts.subscribe(() => undefined);
    closers.push(async () => stop());
    await signIn(one, shore, 'ana@example.org');
    await until(() => custody.sending.facts.get().state === 'done', 'all ashore');

    await custody.sending.pause();
    await census.images.move(id, [added[2]!], added[0]!);
    await census.images.remove(added[1]!);
    await until(() => {
      const [survey] = counts.get().items;
      return shown().length === 2 && survey?.total === 2 && survey.editsOwed === 1;
    }, 'the changes');
    expect(shown().map(({ custody: { status } }) => status)).toEqual(['shore', 'shore']);
    expect(shown()[0]!.custody).toMatchObject({ edit: { status: 'unsent' } });
    expect(counts.get().items[0]).toMatchObject({ total: 2, shore: 2, twice: 2, alone: 0 });
    expect(custody.sending.facts.get().owed).toEqual({ records: 2, photographs: 0, bytes: 0 });

    await custody.sending.resume();
    await until(() => custody.sending.facts.get().state === 'done', 'all sent');
    await until(
      () => shown().every(({ custody: at }) => at.status === 'shore' && at.edit === undefined),
      'no edit owed',
    );
  });

  test('1§7 a tablet without a box signs in by code, sends all byte for byte and frees it', async () => {
    const shore = await cloud();
    const one = await tablet();
    const id = await survey(one);
    const added = [];
    for (const file of [photograph(1), photograph(2, 1_500_000)])
      added.push(await one.repositories.census.images.addPhotograph(file, id));
    const shown = watch(one, id);
    await signIn(one, shore, 'ana@example.org');
    await until(() => shown().length === 2 && shown().every(({ custody }) => custody.status === 'shore'), 'all ashore');
    for (const { sha256 } of added) expect(await hashAshore(shore, sha256)).toBe(sha256);
    await until(() => one.repositories.custody.sending.facts.get().state === 'done', 'nothing owed');

    await one.repositories.tablet.space.free();
    expect(one.repositories.tablet.space.facts.get()).toMatchObject({
      problem: null,
      last: { photographs: 2, missing: 0 },
    });
    expect(await one.context.store.db.blobs.count()).toBe(0);
    for (const { sha256 } of added) expect(await hashAshore(shore, sha256)).toBe(sha256);

    await one.repositories.account.signIn.signOut();
    const later = await one.repositories.census.images.addPhotograph(photograph(3), id);
    await until(
      () => shown().find((view) => view.id === later.id)?.custody.status === 'shore',
      'sent after signing out',
    );
  });

  test('1§7 a freed photograph’s record and edits reach a box that never had its bytes', async () => {
    const [shore, box] = [await cloud(), await edge()];
    const one = await tablet();
    const id = await survey(one);
    const added = await one.repositories.census.images.addPhotograph(photograph(1), id);
    const shown = watch(one, id);
    await signIn(one, shore, 'ana@example.org');
    await until(() => shown().length === 1 && shown().every(({ custody }) => custody.status === 'shore'), 'ashore');
    await until(() => one.repositories.custody.sending.facts.get().state === 'done', 'nothing owed');
    await one.repositories.tablet.space.free();
    expect(await one.context.store.db.blobs.count()).toBe(0);

    // Box with the cloud's keys, as a bridge delivers them.
    const admin = { authorization: `Bearer ${box.adminToken}`, 'content-type': 'application/json' };
    const { keys } = (await shore.get<{ keys: { for: string }[] }>('/api/keys')).body;
    expect(
      (
        await fetch(`${box.url}/edge/reference/cloud-keys`, {
          method: 'PUT',
          headers: admin,
          body: JSON.stringify({ keys: keys.filter((key) => key.for === 'receipt') }),
        })
      ).status,
    ).toBe(200);
    await one.repositories.census.images.keepAsIs(added.id as ImageId);
    await one.repositories.edge.link.pair(box.url, box.code);
    const aboard = async (): Promise<ChangeEntry[]> =>
      (
        (await (await fetch(`${box.url}/edge/changes?since=0&limit=1000`, { headers: admin })).json()) as {
          entries: ChangeEntry[];
        }
      ).entries.filter(({ op }) => op?.kind === 'image');
    await until(async () => (await aboard()).length === 2, 'record and change aboard');
    for (const { receipt } of await aboard())
      expect([receipt?.accepted, receipt?.stage, receipt?.blob]).toEqual([true, 'edge', undefined]);
    const [seen] = (await (await fetch(`${box.url}/edge/surveys`, { headers: admin })).json()) as { images: object }[];
    expect(seen?.images).toEqual({ total: 1, here: 0, ashore: 1 });
    await until(() => one.repositories.custody.sending.facts.get().state === 'done', 'nothing owed');
    const stop = one.repositories.custody.cards.all.subscribe(() => undefined);
    closers.push(async () => stop());
    await until(() => one.repositories.custody.cards.all.get().items[0]?.verdict.kind === 'keep', 'the card');
    expect(one.repositories.custody.cards.all.get().items[0]?.verdict).toMatchObject({
      kind: 'keep',
      blockers: [{ kind: 'ashore-alone', count: 1 }],
    });
  });

  test('one survey sent by box and directly exists once, and each tablet sees the other’s work', async () => {
    const [shore, box] = [await cloud(), await edge()];
    const [one, two] = [await tablet(), await tablet()];
    const id = await survey(one);
    await one.repositories.census.images.addPhotograph(photograph(1), id);
    await one.repositories.edge.link.pair(box.url, box.code);
    await until(() => one.repositories.custody.sending.facts.get().state === 'done', 'aboard');
    await two.repositories.edge.link.pair(box.url, box.code);
    const shownToTwo = watch(two, id);
    await until(() => shownToTwo().length === 1, 'the second tablet has the record');

    await box.stop();
    await signIn(one, shore, 'ana@example.org');
    await signIn(two, shore, 'ana@example.org');
    const fresh = await two.repositories.census.images.addPhotograph(photograph(2), id);
    const shownToOne = watch(one, id);
    await until(
      () => shownToOne().length === 2 && shownToOne().every(({ custody }) => custody.status === 'shore'),
      'both see both ashore',
      60_000,
    );
    const { entries } = await shore.cloud.context.store.changes({ since: 0, limit: 1000 });
    const ops = entries.flatMap(({ op }) => op ?? []);
    expect(new Set(ops.map(({ opId }) => opId)).size).toBe(ops.length);
    expect(
      ops
        .filter(({ kind }) => kind === 'image')
        .map(({ docId }) => docId)
        .sort(),
    ).toEqual(
      shownToOne()
        .map((view) => String(view.id))
        .sort(),
    );
    expect(await hashAshore(shore, fresh.sha256)).toBe(fresh.sha256);
  });
});
