import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import type { SurveyId } from '../../../src/domain/ids';
import type { CardView } from '../../../src/data/repositories/index';
import { newOrigin, openTestTablet, photograph, until } from '../../support/tablet/tablet';
import { closers } from '../../support/tablet/closers';
import { edge, survey, tablet, type RealTablet } from '../../support/tablet/real-scene';

/** Current card status of a survey. */
function watchCard({ repositories }: RealTablet, id: SurveyId): () => CardView | undefined {
  const stop = repositories.custody.cards.all.subscribe(() => undefined);
  closers.push(async () => stop());
  return () => repositories.custody.cards.all.get().items.find(({ surveyId }) => surveyId === id);
}

const says = (card: () => CardView | undefined, say: string) =>
  until(() => card()?.verdict.kind === say && card(), `the card says ${say}`);
const why = (card: CardView | undefined): string[] =>
  card?.verdict.kind === 'keep' ? card.verdict.blockers.map(({ kind }) => kind) : [];

describe('receipts: camera card status, with a real box', () => {
  test('a card is safe only after the box confirmed every file, and not while the box is away', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const card = watchCard(one, id);
    for (let i = 0; i < 3; i++) await one.repositories.census.images.addPhotograph(photograph(i), id);
    expect(why(await says(card, 'keep'))).toEqual(['no-receipt']);
    await one.repositories.edge.link.pair(box.url, box.code);
    expect(await says(card, 'safe')).toMatchObject({ verdict: { total: 3, onTablet: 3 } });

    await one.repositories.custody.sending.pause();
    await one.repositories.census.images.addPhotograph(photograph(9), id);
    await says(card, 'keep');
    await one.repositories.custody.sending.resume();
    expect(await says(card, 'safe')).toMatchObject({ verdict: { total: 4 } });

    await box.kill();
    expect(await says(card, 'check-later')).toMatchObject({
      verdict: { total: 4, last: { boxName: expect.any(String) as string } },
    });
    await box.restart();
    await says(card, 'safe');
  });

  test('1§7 an old card with unsent photographs comes before a new safe one', async () => {
    const box = await edge();
    const one = await tablet();
    const { custody, census, edge: link } = one.repositories;
    const ids = [await survey(one), await survey(one), await survey(one), await survey(one), await survey(one)];
    for (const [i, id] of ids.entries()) await census.images.addPhotograph(photograph(i), id);
    const [oldest, newest] = [ids[0]!, ids.at(-1)!];
    const card = watchCard(one, newest);
    await link.link.pair(box.url, box.code);
    await says(card, 'safe');
    await says(watchCard(one, oldest), 'check-now');
    await until(() => custody.cards.all.get().items.every(({ checking }) => checking === null), 'no check runs');
    await custody.cards.checkAll();
    expect(custody.cards.all.get().items.map(({ verdict }) => verdict.kind)).toEqual(ids.map(() => 'safe'));

    await custody.sending.pause();
    await census.images.addPhotograph(photograph(9), oldest);
    await until(() => custody.cards.all.get().items[0]?.surveyId === oldest, 'the card with an unsent photograph');
    expect(card()?.verdict.kind).toBe('safe');
  });

  test('a new box epoch voids old receipts and old checks', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const card = watchCard(one, id);
    await one.repositories.census.images.addPhotograph(photograph(1), id);
    await one.repositories.edge.link.pair(box.url, box.code);
    await says(card, 'safe');
    await one.repositories.custody.sending.pause();
    await box.kill();
    await says(card, 'check-later');
    // Same box with an empty store of a new epoch, as after a disk restore.
    const database = new Database(path.join(box.home, 'edge', 'census.sqlite'));
    database.prepare("UPDATE meta SET value = 'anotherLife00001' WHERE key = 'storeEpoch'").run();
    for (const { name } of database
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('meta', 'migrations') AND name NOT LIKE 'sqlite%'",
      )
      .all() as { name: string }[])
      database.prepare(`DELETE FROM "${name}"`).run();
    database.close();
    rmSync(path.join(box.home, 'edge', 'blobs'), { recursive: true });
    const { storeEpoch } = box;
    await box.restart();
    expect(box.storeEpoch).not.toBe(storeEpoch);
    const shown = await until(() => card()?.verdict.kind !== 'check-later' && card(), 'another word');
    expect(why(shown)).toEqual(['no-receipt']);
    const stop = one.repositories.custody.photographs.surveys.subscribe(() => undefined);
    closers.push(async () => stop());
    // Shows as on this tablet only until it is sent to the new epoch.
    expect(await until(() => one.repositories.custody.photographs.surveys.get().items[0], 'counts')).toMatchObject({
      total: 1,
      tablet: 1,
      box: 0,
      alone: 1,
    });
    await one.repositories.custody.sending.resume();
    await says(card, 'safe');
  });

  test('files that were never read keep the card in every tab until they are added again', async () => {
    const box = await edge();
    const origin = newOrigin();
    const [first, second] = [
      await tablet({ origin, database: 'two-tabs-cards' }),
      await tablet({ origin, database: 'two-tabs-cards' }),
    ];
    const id = await survey(first);
    const card = watchCard(second, id);
    const files = [photograph(1), photograph(2)];
    const batch = await first.repositories.custody.cards.beginIntake(id, files);
    await until(() => why(card()).includes('reading'), 'the other tab shows that a tab is reading');
    await first.repositories.census.images.addPhotograph(files[0]!, id);
    batch.settle(files[0]!, { status: 'taken' });
    // Tab closes here with one file unread.
    await batch.end();
    await first.repositories.edge.link.pair(box.url, box.code);
    await until(() => why(card()).join() === 'unread', 'one file was never read');

    const again = await second.repositories.custody.cards.beginIntake(id, files);
    for (const file of files) {
      await second.repositories.census.images.addPhotograph(file, id);
      again.settle(file, { status: 'taken' });
    }
    await again.end();
    expect(await says(card, 'safe')).toMatchObject({ verdict: { total: 2 } });
  });

  test('an emptied storage keeps the cards of earlier surveys, whatever its clock was', async () => {
    const box = await edge();
    const origin = newOrigin();
    const ahead = {
      now: () => Date.now() + 4 * 365 * 86_400_000,
      elapsed: () => performance.now(),
      after: (ms: number, call: () => void) =>
        (
          (timer) => () =>
            clearTimeout(timer)
        )(setTimeout(call, ms)),
    };
    const before = await openTestTablet({ origin, clock: ahead });
    const id = await survey(before);
    await before.repositories.census.images.addPhotograph(photograph(1), id);
    await before.repositories.edge.link.pair(box.url, box.code);
    await until(
      () => before.repositories.custody.sending.facts.get().state === 'done',
      'the first photograph on the box',
    );
    await before.repositories.custody.sending.pause();
    await before.repositories.census.images.addPhotograph(photograph(2), id);
    await before.close();

    // Same browser with emptied storage and a correct clock: the second photograph is forgotten.
    const after = await tablet({ origin });
    await after.repositories.account.people.createPending({
      name: { first: 'Ana', last: 'Reef' },
      email: 'ana@example.org',
    });
    await after.repositories.edge.link.pair(box.url, box.code);
    const card = watchCard(after, id);
    const stop = after.repositories.census.surveys.all.subscribe(() => undefined);
    closers.push(async () => stop());
    await until(
      () => after.repositories.census.surveys.all.get().items.some((one) => one.id === id),
      'the survey from the box',
    );
    await after.repositories.census.images.addPhotograph(photograph(3), id);
    const fresh = await survey(after);
    const freshCard = watchCard(after, fresh);
    await after.repositories.census.images.addPhotograph(photograph(4), fresh);
    await says(freshCard, 'safe');
    await until(() => after.repositories.custody.sending.facts.get().state === 'done', 'all sent');
    // The last receipts reach the card a moment after they are stored.
    await until(() => {
      const shown = card();
      return shown?.checking === null && why(shown).join() === 'wiped';
    }, 'the card of before, wiped and with every receipt');
  });

  test('a refused file keeps the card until a person dismisses it', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const card = watchCard(one, id);
    const files = [photograph(1), new File(['<svg/>'], 'drawing.jpg')];
    const batch = await one.repositories.custody.cards.beginIntake(id, files);
    await one.repositories.census.images.addPhotograph(files[0]!, id);
    batch.settle(files[0]!, { status: 'taken' });
    batch.settle(files[1]!, { status: 'left-out', why: 'no photograph' });
    await batch.end();
    await one.repositories.edge.link.pair(box.url, box.code);
    await until(
      () => one.repositories.custody.sending.facts.get().state === 'done' && why(card()).join() === 'left-out',
      'only the refused file is left',
    );
    await one.repositories.custody.cards.acknowledge(id);
    await says(card, 'safe');
  });

  test('a removed photograph still keeps its card; another tablet’s photograph does not', async () => {
    const box = await edge();
    const [one, two] = [await tablet(), await tablet()];
    const id = await survey(one);
    const card = watchCard(one, id);
    const removed = await one.repositories.census.images.addPhotograph(photograph(1), id);
    await one.repositories.census.images.remove(removed.id);
    expect(why(await says(card, 'keep'))).toEqual(['no-receipt']);
    await one.repositories.edge.link.pair(box.url, box.code);
    expect(await says(card, 'safe')).toMatchObject({ verdict: { total: 1 } });
    const surveys = two.repositories.census.surveys.all;
    closers.push(async () => stop());
    const stop = surveys.subscribe(() => undefined);
    await two.repositories.account.people.createPending({
      name: { first: 'Ben', last: 'Reef' },
      email: 'ben@example.org',
    });
    await two.repositories.edge.link.pair(box.url, box.code);
    await until(() => surveys.get().items.length === 1, 'the survey reached the other tablet');
    const stopCards = two.repositories.custody.cards.all.subscribe(() => undefined);
    closers.push(async () => stopCards());
    await until(() => two.repositories.custody.cards.all.get().status === 'ready', 'cards of the other tablet');
    expect(two.repositories.custody.cards.all.get().items).toEqual([]);
  });

  test('a check finds bytes that the box lost after its receipt, and the tablet resends them', async () => {
    const box = await edge();
    const one = await tablet();
    const id = await survey(one);
    const card = watchCard(one, id);
    const { sha256 } = await one.repositories.census.images.addPhotograph(photograph(1), id);
    await one.repositories.edge.link.pair(box.url, box.code);
    await says(card, 'safe');
    await box.kill();
    const found = readdirSync(path.join(box.home, 'edge'), { recursive: true })
      .map(String)
      .filter((name) => name.includes(sha256) && statSync(path.join(box.home, 'edge', name)).isFile());
    expect(found).not.toEqual([]);
    for (const name of found) rmSync(path.join(box.home, 'edge', name));
    await box.restart();
    await says(card, 'safe');
    const response = await fetch(`${box.url}/edge/blobs/${sha256}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${box.adminToken}` },
    });
    expect(response.status).toBe(200);
  });
});

describe('1§7 cancel: current work stays saved and owed', () => {
  test('a stopped upload survives a restart, resumes on request and shows alike in every tab', async () => {
    const box = await edge();
    const origin = newOrigin();
    const tabs = [
      await tablet({ origin, database: 'two-tabs-stop' }),
      await tablet({ origin, database: 'two-tabs-stop' }),
    ];
    await until(() => tabs.some(({ context }) => context.sync.sendingTab.get() === 'here'), 'one of them is to send');
    const [first, second] = tabs.toSorted((a, b) =>
      a.context.sync.sendingTab.get() < b.context.sync.sendingTab.get() ? 1 : -1,
    ) as [RealTablet, RealTablet];
    const id = await survey(first);
    await second.repositories.custody.sending.stop();
    for (let i = 0; i < 6; i++) await first.repositories.census.images.addPhotograph(photograph(i, 3_000_000), id);
    await first.repositories.edge.link.pair(box.url, box.code);
    for (const { repositories } of [first, second])
      await until(
        () =>
          repositories.custody.sending.facts.get().state === 'stopped' &&
          repositories.custody.sending.facts.get().owed.photographs === 6,
        'both tabs say so',
      );
    const seen = new Set<string>();
    const stop = second.repositories.custody.sending.facts.subscribe(() =>
      seen.add(
        `${second.repositories.custody.sending.facts.get().state} ${second.repositories.custody.sending.facts.get().tab}`,
      ),
    );
    await second.repositories.custody.sending.resume();
    await until(
      () =>
        first.repositories.custody.sending.facts.get().state === 'done' &&
        second.repositories.custody.sending.facts.get().state === 'done',
      'all sent',
    );
    stop();
    // The idle tab is notified by the sending one.
    expect([...seen]).toContain('sending elsewhere');
  });
});
