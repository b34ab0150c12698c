import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeProfile, openBrowser, type TestBrowser } from '../support/browser/browser';
import { fetchBlob, wholeFeed } from '../support/servers/client';
import { startEdge, type TestEdge } from '../support/servers/edge';
import { byDepth } from '../support/depth';
import { makePicture, type Picture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import {
  addPhotographs,
  enterPerson,
  hashesOnTablet,
  pairTablet,
  savedRows,
  startSurvey,
  untilCustody,
} from '../support/browser/tablet-page';
import { tally } from '../support/tally';

/** Kills that meet photographs in progress while adding them, and as many while sending them. */
const KILLS_EACH = byDepth({ commit: 1, release: 10 });
/** Rounds of each phase: some may be over before the page was checked, and their kills meet nothing. */
const ROUNDS_MAX = 6 * KILLS_EACH;
/** Rounds that wait for some to be saved first; later ones take any in progress, for a store that saves all at once. */
const PARTIAL_ROUNDS = ROUNDS_MAX / 2;
/** Sides of a round's pictures, px of noise; the last takes long enough for the page to show it in progress. */
const SIDES = { adding: [600, 600, 600, 2400], sending: [1000, 1000, 1000] } as const;
/** Limit for the page to show some of a round in progress, ms; a round that was over earlier counts as missed. */
const SIGHT_MS = 20_000;

const random = seeded(runSeed());
const folder = mkdtempSync(path.join(tmpdir(), 'reef-tab-kills-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The box, the tablet's profile, and everything the screen ever showed as saved. */
interface Voyage {
  readonly edge: TestEdge;
  readonly profile: string;
  readonly shown: Set<string>;
  survey: string;
}

/** Opens the tablet on its survey; each photograph is recorded the moment the screen shows it as saved. */
async function reopen(voyage: Voyage): Promise<TestBrowser> {
  const browser = await openBrowser({ profile: voyage.profile, trusts: [voyage.edge.certificate] });
  await browser.page.exposeFunction('noteSaved', (sha256: string) => voyage.shown.add(sha256));
  await browser.page.addInitScript(() => {
    const note = (window as unknown as { noteSaved: (sha256: string) => void }).noteSaved;
    const seen = new Set<string>();
    new MutationObserver(() => {
      for (const row of document.querySelectorAll('li[data-sha256]')) {
        const sha256 = row.getAttribute('data-sha256') ?? '';
        if (!seen.has(sha256)) note(sha256);
        seen.add(sha256);
      }
    }).observe(document, { childList: true, subtree: true });
  });
  await browser.page.goto(`${voyage.edge.origin}/surveys/${voyage.survey}`);
  return browser;
}

/** Photographs of a round as the page shows them: `chosen` and not saved yet; `owed`: saved without a box receipt. */
interface OnTheWay {
  readonly chosen: number;
  readonly owed: number;
}

/**
 * Waits until the page shows some in progress: while adding, at least `least` saved and one not; while sending, one in
 * progress, or more than `least` saved of which one is not on the box. Returns what it showed then, or zeros if all had
 * arrived earlier.
 */
async function untilOnTheWay(
  browser: TestBrowser,
  fresh: readonly Picture[],
  phase: 'adding' | 'sending',
  least: number,
): Promise<OnTheWay> {
  const seen = await browser.page.waitForFunction(
    ({ hashes, phase, least }) => {
      const rows = [...document.querySelectorAll('li[data-sha256]')].filter((row) =>
        hashes.includes(row.getAttribute('data-sha256') ?? ''),
      );
      // A tile shows as being read for a moment after its photograph shows as saved.
      const chosen =
        document.querySelector('li[data-adding="reading"], li[data-adding="waiting"]') === null
          ? 0
          : hashes.length - rows.length;
      const at = (custody: string): number => rows.filter((row) => row.getAttribute('data-custody') === custody).length;
      const owed = rows.length - at('box');
      const isOver = rows.length === hashes.length && (phase === 'adding' || owed === 0);
      const isThere =
        phase === 'adding'
          ? chosen > 0 && rows.length >= least
          : at('on-its-way') > 0 || (owed > 0 && rows.length > least);
      return isThere || isOver ? { chosen, owed } : false;
    },
    { hashes: fresh.map(({ sha256 }) => sha256), phase, least },
    { timeout: SIGHT_MS },
  );
  return (await seen.jsonValue()) as OnTheWay;
}

/**
 * Expects photographs shown as saved before a kill after it: on the screen, and byte for byte in the tablet's database.
 */
async function expectKept(browser: TestBrowser, shown: ReadonlySet<string>, when: string): Promise<void> {
  await expect
    .poll(async () => (await savedRows(browser.page)).map(({ sha256 }) => sha256), { timeout: 90_000, message: when })
    .toEqual(expect.arrayContaining([...shown]));
  const kept = await hashesOnTablet(browser.page);
  expect(
    kept.filter(({ sha256, actual }) => sha256 !== actual),
    `${when}: every photograph has its bytes`,
  ).toEqual([]);
  expect(
    kept.map(({ sha256 }) => sha256),
    when,
  ).toEqual(expect.arrayContaining([...shown]));
}

test(`protocol: the tab killed ${2 * KILLS_EACH} times in the middle of photographs keeps what was shown as saved, and it reaches the box once`, async () => {
  console.log(`seed ${random.seed}`);
  const edge = await startEdge({ tls: true });
  const profile = await makeProfile();
  const voyage: Voyage = { edge, profile: profile.folder, shown: new Set(), survey: '' };
  let browser: TestBrowser | undefined;
  try {
    browser = await openBrowser({ profile: profile.folder, trusts: [edge.certificate] });
    await browser.page.goto(edge.origin);
    await enterPerson(browser.page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
    await pairTablet(browser.page, edge.code);
    voyage.survey = await startSurvey(browser.page, 'Moore Reef 16-071');
    await browser.page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    await browser.kill();

    const given: Picture[] = [];
    const count = { adding: 0, sending: 0 };
    /**
     * Kills that met a photograph chosen and not saved, or saved and not receipted; and the number of those
     * photographs.
     */
    const met = { chosen: 0, owed: 0, chosenPhotographs: 0, owedPhotographs: 0 };
    const isMet = (phase: 'adding' | 'sending'): boolean => met[phase === 'adding' ? 'chosen' : 'owed'] >= KILLS_EACH;
    // Added with the box away, then with the box present: the first kills affect only the store, the others the sender
    // too.
    const rounds = (['adding', 'sending'] as const).flatMap((phase) =>
      Array.from({ length: ROUNDS_MAX }, (_, round) => ({ phase, round })),
    );
    await edge.stop();
    for (const { phase, round } of rounds) {
      if (phase === 'sending' && round === 0) await edge.restart();
      if (isMet(phase)) continue;
      const kill = count.adding + count.sending;
      const before = new Set(voyage.shown);
      browser = await reopen(voyage);
      await expectKept(browser, before, `after kill ${kill} (seed ${random.seed})`);
      const sending = phase === 'sending';
      const fresh: Picture[] = [];
      for (const [i, side] of SIDES[phase].entries())
        fresh.push(await makePicture(folder, `kill-${kill}-${i}.jpg`, random, side));
      given.push(...fresh);
      // Watched from before the choice: the first may be saved while the choice of files still returns.
      const least = round < PARTIAL_ROUNDS ? random.below(SIDES[phase].length) : 0;
      const sight = untilOnTheWay(browser, fresh, phase, least);
      let isKilled = false;
      const adding = addPhotographs(browser.page, fresh).catch((error: unknown) => {
        if (!isKilled) throw error;
      });
      const onTheWay = await sight;
      isKilled = true;
      await browser.kill();
      await adding;
      count[phase]++;
      if (!sending && onTheWay.chosen > 0) met.chosen++;
      if (sending && onTheWay.owed > 0) met.owed++;
      met.chosenPhotographs += onTheWay.chosen;
      if (sending) met.owedPhotographs += onTheWay.owed;
    }

    // Photographs lost by a kill before they showed as saved are added again from the card; the others are duplicates.
    const before = new Set(voyage.shown);
    browser = await reopen(voyage);
    await expectKept(browser, before, `after the last kill (seed ${random.seed})`);
    await addPhotographs(browser.page, given);
    // With the earlier ones the roll is longer than what it draws at once.
    await browser.page.getByRole('button', { name: 'Clear those left out' }).click();
    const rows = await untilCustody(browser.page, given.length, ['box'], 120_000);
    expect(rows.map(({ sha256 }) => sha256).sort()).toEqual(given.map(({ sha256 }) => sha256).sort());

    const { entries } = await wholeFeed(edge.audited);
    const records = entries.flatMap(({ op }) => (op?.kind === 'image' ? [op] : []));
    expect(new Set(entries.flatMap(({ op }) => (op === undefined ? [] : [op.opId]))).size).toBe(
      entries.filter(({ op }) => op !== undefined).length,
    );
    for (const picture of given) {
      expect(
        new Set(records.filter(({ body }) => body['sha256'] === picture.sha256).map(({ docId }) => docId)).size,
        `${picture.name}: one record`,
      ).toBe(1);
      const bytes = await fetchBlob(edge.audited, picture.sha256);
      expect(bytes === undefined ? 'missing' : createHash('sha256').update(bytes).digest('hex'), picture.name).toBe(
        picture.sha256,
      );
    }
    tally('kills of the tab', count.adding + count.sending);
    console.log(
      `${count.adding} kills while adding, ${count.sending} while sending; ${given.length} photographs, ${before.size} of them shown as saved by the last kill; ${met.chosen} kills between chosen and saved (${met.chosenPhotographs} photographs), ${met.owed} between saved and receipted (${met.owedPhotographs}); none lost, none twice; seed ${random.seed}`,
    );
    // A kill that meets nothing in progress proves nothing.
    expect(met.chosen, 'kills while adding that met a photograph between chosen and saved').toBe(KILLS_EACH);
    expect(met.owed, 'kills while sending that met a photograph between saved and receipted').toBe(KILLS_EACH);
  } finally {
    await browser?.kill();
    await edge.remove();
    await profile.remove();
  }
});
