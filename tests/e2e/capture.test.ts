import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Dialog, Page } from 'playwright';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type TestTablet, makeProfile, openBrowser } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { makePicture, type Picture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import {
  chooseFiles,
  addPhotographs,
  enterPerson,
  hashesOnTablet,
  savedRows,
  startSurvey,
  untilCustody,
} from '../support/browser/tablet-page';

const random = seeded(runSeed());
const folder = mkdtempSync(path.join(tmpdir(), 'reef-capture-'));
let edge: TestEdge;
/** Unpaired tablet of all tests but the killed one. */
let tablet: TestTablet;

vi.setConfig({ testTimeout: 600_000 });

beforeAll(async () => {
  console.log(`seed ${random.seed}`);
  edge = await startEdge({ tls: 'shared' });
  tablet = await openTablet({ trusts: [edge.certificate] });
  await openApp(tablet.page);
});
afterAll(async () => {
  await tablet.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function openApp(page: Page): Promise<void> {
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
}

/** Page of a new survey, whatever the page showed before. */
async function newSurvey(place: string): Promise<Page> {
  const { page } = tablet;
  if ((await page.getByRole('dialog').count()) > 0) await page.goto(edge.origin);
  await startSurvey(page, place);
  return page;
}

const some = (count: number, name: string): Promise<Picture[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => makePicture(folder, `${name}-${i + 1}.jpg`, random, 200)));
const names = async (page: Page): Promise<string[]> => (await savedRows(page)).map(({ name }) => name);
const tile = (page: Page, name: string) => page.getByRole('option', { name: new RegExp(`\\d, ${name}`) });
const expectCalm = (): void =>
  expect(
    tablet.complaints.filter((text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text)),
  ).toEqual([]);

/** Drops files and folders over the page, as a person would. */
async function drop(page: Page, paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 700, y: 500, data });
  await session.detach();
}

test('3§3 capture: thirteen picked photographs get tiles in order; duplicates change nothing', async () => {
  const page = await newSurvey('Moore Reef 16-071');
  const pictures = await some(13, 'picked');
  await addPhotographs(page, pictures);
  await untilCustody(page, 13, ['tablet']);
  expect(await names(page)).toEqual(pictures.map(({ name }) => name));
  await page.getByText('13 are on this tablet only. Do not wipe it yet.').waitFor();
  await addPhotographs(page, [pictures[4]!, pictures[0]!]);
  await page.getByRole('option', { name: /the same as 5$/ }).waitFor();
  await page.getByRole('option', { name: /the same as 1$/ }).waitFor();
  const count = page.getByRole('button', { name: '2 duplicates left out' });
  await count.focus();
  await page.keyboard.press('Enter');
  const which = page.getByRole('dialog', { name: '2 duplicates left out' }).getByRole('listitem');
  expect((await which.allTextContents()).toSorted()).toEqual(
    [`${pictures[4]!.name}The same as photograph 5.`, `${pictures[0]!.name}The same as photograph 1.`].toSorted(),
  );
  await page.keyboard.press('Escape');
  await which.first().waitFor({ state: 'detached' });
  expect(await count.evaluate((button) => button === document.activeElement), 'the focus is where it was').toBe(true);
  expect(await savedRows(page)).toHaveLength(13);
  await page.getByRole('button', { name: 'Clear those left out' }).click();
  await page
    .getByRole('option', { name: /the same as/ })
    .first()
    .waitFor({ state: 'detached' });
  const added = new Set(pictures.map(({ sha256 }) => sha256));
  expect(
    (await hashesOnTablet(page)).filter(({ sha256, actual }) => sha256 === actual && added.has(sha256)),
  ).toHaveLength(13);
  expectCalm();
});

test('3§3 capture: a dropped folder adds its photographs and counts other files by reason', async () => {
  const page = await newSurvey('Milln Reef');
  const card = path.join(folder, 'DCIM');
  mkdirSync(path.join(card, '100OLYMP'), { recursive: true });
  await makePicture(card, 'A1.jpg', random);
  await makePicture(path.join(card, '100OLYMP'), 'A2.jpg', random);
  await makePicture(path.join(card, '100OLYMP'), 'A3.png', random);
  writeFileSync(path.join(card, '100OLYMP', 'clip.MP4'), 'film');
  writeFileSync(path.join(card, 'notes.txt'), 'words');
  writeFileSync(path.join(card, '.DS_Store'), 'x');
  await drop(page, [card]);
  await untilCustody(page, 3, ['tablet']);
  expect((await names(page)).sort()).toEqual(['A1.jpg', 'A2.jpg', 'A3.png']);
  await page.getByText('3 other files in the folder left out').waitFor();
  await page.getByText('1 system file, 1 video, 1 other file. They stay where they are.').waitFor();
  await page.getByRole('button', { name: 'Which ones' }).click();
  await page.getByText('clip.MP4: a video').waitFor();
  expectCalm();
});

test('3§3 capture: removed photographs are listed and restored in place, one is dragged, one retaken in place', async () => {
  const page = await newSurvey('Thetford Reef');
  const pictures = await some(4, 'moved');
  await addPhotographs(page, pictures);
  await untilCustody(page, 4, ['tablet']);
  await tile(page, 'moved-2.jpg').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => names(page)).toEqual(['moved-1.jpg', 'moved-3.jpg', 'moved-4.jpg']);
  await page.getByRole('button', { name: 'Removed: 1' }).click();
  await page.getByRole('button', { name: 'Restore moved-2.jpg' }).click();
  await page.getByRole('dialog').getByText('None. Photographs that you remove').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => names(page)).toEqual(['moved-1.jpg', 'moved-2.jpg', 'moved-3.jpg', 'moved-4.jpg']);
  // Holds after a restart, too.
  await page.reload();
  await expect
    .poll(() => names(page), { timeout: 30_000 })
    .toEqual(['moved-1.jpg', 'moved-2.jpg', 'moved-3.jpg', 'moved-4.jpg']);

  const box = await tile(page, 'moved-1.jpg').boundingBox();
  await tile(page, 'moved-4.jpg').dragTo(tile(page, 'moved-1.jpg'), {
    targetPosition: { x: box!.width * 0.2, y: box!.height / 2 },
  });
  await expect.poll(() => names(page)).toEqual(['moved-4.jpg', 'moved-1.jpg', 'moved-2.jpg', 'moved-3.jpg']);

  const again = await makePicture(folder, 'again.jpg', random, 200);
  await tile(page, 'moved-2.jpg').click();
  await chooseFiles(page, () => page.getByRole('dialog').getByRole('button', { name: 'Retake' }).click(), [again.file]);
  await expect.poll(() => names(page)).toEqual(['moved-4.jpg', 'moved-1.jpg', 'again.jpg', 'moved-3.jpg']);
  await page.getByRole('button', { name: 'Removed: 1' }).waitFor();
});

test('3§3 capture: the keyboard alone opens, selects, moves, removes and restores', async () => {
  const page = await newSurvey('Hastings Reef');
  await addPhotographs(page, await some(5, 'key'));
  await untilCustody(page, 5, ['tablet']);
  await page.getByRole('button', { name: 'Select', exact: true }).focus();
  await page.keyboard.press('Tab');
  const focusedRole = () => page.evaluate(() => document.activeElement?.getAttribute('role'));
  expect(await focusedRole()).toBe('listbox');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '2 of 5' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: '3 of 5' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(focusedRole).toBe('listbox');

  // The second moves one place on.
  await page.keyboard.press('Alt+ArrowRight');
  await expect.poll(() => names(page)).toEqual(['key-1.jpg', 'key-3.jpg', 'key-2.jpg', 'key-4.jpg', 'key-5.jpg']);
  // Two of them move to the front.
  await page.keyboard.press('End');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Space');
  await page.getByText('2 photographs selected').waitFor();
  await page.getByRole('button', { name: 'Move', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'To the front' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => names(page)).toEqual(['key-4.jpg', 'key-5.jpg', 'key-1.jpg', 'key-3.jpg', 'key-2.jpg']);
  // They are removed and restored.
  await page.getByRole('listbox', { name: 'Photographs' }).focus();
  await page.keyboard.press('Delete');
  await expect.poll(() => names(page)).toEqual(['key-1.jpg', 'key-3.jpg', 'key-2.jpg']);
  await page.getByRole('button', { name: 'Removed: 2' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Restore all' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect.poll(() => names(page)).toEqual(['key-4.jpg', 'key-5.jpg', 'key-1.jpg', 'key-3.jpg', 'key-2.jpg']);
});

test('3§3 capture: retake hints list blurred, dark and empty photographs and change none', async () => {
  const page = await newSurvey('Norman Reef');
  const black = path.join(folder, 'black.jpg');
  await sharp({ create: { width: 640, height: 480, channels: 3, background: { r: 1, g: 2, b: 3 } } })
    .jpeg()
    .toFile(black);
  const good = await makePicture(folder, 'good.jpg', random, 640);
  await addPhotographs(page, [good, { name: 'black.jpg', file: black, sha256: '', bytes: 0 }]);
  await untilCustody(page, 2, ['tablet']);
  await page.getByText('Worth a second pass while the divers are here.').waitFor();
  await page.getByRole('button', { name: 'See it' }).click();
  await expect.poll(() => names(page)).toEqual(['black.jpg']);
  await page.getByRole('option', { name: /black\.jpg.*(Too dark|Only water|Blurred)/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep as it is' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await expect.poll(async () => (await names(page)).length).toBe(2);
  await page.getByText('Worth a second pass').waitFor({ state: 'detached' });
});

test('3§3 capture: a restart within adding shows the saved ones and names the unread ones', async () => {
  const profile = await makeProfile();
  onTestFinished(() => profile.remove());
  const open = async () => {
    const browser = await openBrowser({
      profile: profile.folder,
      trusts: [edge.certificate],
      installs: false,
      charts: false,
    });
    onTestFinished(() => browser.kill());
    return browser;
  };
  const browser = await open();
  const { page } = browser;
  await openApp(page);
  await startSurvey(page, 'Moore Reef 16-071');
  // Enough that some are still unread at the kill, however late the first show as saved.
  const pictures = await Promise.all(
    Array.from({ length: 50 }, (_, i) => makePicture(folder, `killed-${i}.jpg`, random, 500)),
  );
  await addPhotographs(page, pictures);
  await page.waitForFunction(() => document.querySelectorAll('li[data-sha256]').length > 2);
  const before = await names(page);
  const address = page.url();
  await browser.kill();
  console.log(`killed with ${before.length} of ${pictures.length} saved`);
  const again = await open();
  await again.page.goto(address);
  await expect.poll(() => names(again.page), { timeout: 60_000 }).toEqual(expect.arrayContaining(before));
  await again.page.getByText(/photographs? of the card (was|were) not read/).waitFor();
  for (const { sha256, actual } of await hashesOnTablet(again.page)) expect(actual).toBe(sha256);
  await addPhotographs(again.page, pictures);
  await again.page.getByText('50 are on this tablet only. Do not wipe it yet.').waitFor();
  await again.page.getByText(/of the card (was|were) not read/).waitFor({ state: 'detached' });
});

test('3§3 capture: adding continues on another page, pauses and resumes; closing asks first', async () => {
  const page = await newSurvey('Flynn Reef');
  // Enough that a person can press Pause in time, and no more than a fully drawn roll.
  await addPhotographs(
    page,
    await Promise.all(Array.from({ length: 55 }, (_, i) => makePicture(folder, `away-${i}.jpg`, random, 500))),
  );
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText(/still to be read, paused/).waitFor();
  let asked = 0;
  const stay = (dialog: Dialog): void => {
    asked++;
    void dialog.dismiss();
  };
  page.on('dialog', stay);
  onTestFinished(() => void page.off('dialog', stay));
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => asked, { timeout: 20_000 }).toBe(1);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('link', { name: 'Box', exact: true }).click();
  await page.getByRole('heading', { name: 'No box yet' }).waitFor();
  await page.goBack();
  await untilCustody(page, 55, ['tablet']);
});

/** Head of a JPEG comment of eight bytes. */
const COMMENT_OF_8 = Buffer.from([0xff, 0xfe, 0, 10]);

test('3§3 capture: 2,000 at once are counted, read in order, stopped; only near tiles render', async () => {
  const page = await newSurvey('Michaelmas Reef');
  const onTabletBefore = new Set((await hashesOnTablet(page)).map(({ sha256 }) => sha256));
  const image = await sharp({ create: { width: 16, height: 12, channels: 3, background: '#0a6a8a' } })
    .jpeg()
    .toBuffer();
  const files = Array.from({ length: 2000 }, (_, i) => {
    const file = path.join(folder, `P${10_000 + i}.jpg`);
    // The same picture with a comment of its own.
    writeFileSync(file, Buffer.concat([image.subarray(0, 2), COMMENT_OF_8, random.bytes(8), image.subarray(2)]));
    return file;
  });
  await chooseFiles(page, () => page.getByRole('button', { name: 'Add photographs' }).click(), files);
  await page.getByText(/^\d+ of 2,000 read$/).waitFor();
  // 70 of them prove order and counts; the time for all depends on the disk.
  await expect
    .poll(async () => Number((await page.getByText(/^[\d,]+ of 2,000 read$/).textContent())?.split(' ')[0]), {
      timeout: 240_000,
    })
    .toBeGreaterThan(70);
  expect(await page.locator('li[role=option]').count()).toBeLessThan(120);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText(/still to be read, paused/).waitFor();
  await page.getByRole('button', { name: 'Stop adding' }).click();
  const first = async (words: RegExp): Promise<number> =>
    Number((await page.getByText(words).textContent())?.split(' ')[0]?.replace(',', ''));
  const unread = (): Promise<number> => first(/^[\d,]+ not read: you stopped$/);
  const stored = async () => (await hashesOnTablet(page)).filter(({ sha256 }) => !onTabletBefore.has(sha256));
  // A photograph in progress is saved completely or counts as not read.
  await expect.poll(async () => (await unread()) + (await stored()).length).toBe(2000);
  const kept = await stored();
  expect(kept.filter(({ sha256, actual }) => sha256 === actual)).toHaveLength(kept.length);
  await page.getByRole('listbox', { name: 'Photographs' }).focus();
  await page.keyboard.press('Home');
  await expect.poll(async () => (await names(page)).slice(0, 3)).toEqual(['P10000.jpg', 'P10001.jpg', 'P10002.jpg']);
  expectCalm();
});
