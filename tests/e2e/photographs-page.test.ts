import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { type TestEdge, startEdge } from '../support/servers/edge';
import { makePicture, type Picture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { addPhotographs, enterPerson, startSurvey, untilCustody } from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });
const folder = mkdtempSync(path.join(tmpdir(), 'reef-photographs-page-'));
const random = seeded(runSeed());
let edge: TestEdge;
let browser: TestTablet;
let page: Page;
let pictures: readonly Picture[];

beforeAll(async () => {
  console.log(`seed ${random.seed}`);
  edge = await startEdge({ tls: 'shared' });
  browser = await openTablet({ trusts: [edge.certificate] });
  page = browser.page;
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await startSurvey(page, 'Thetford Reef');
  pictures = await Promise.all(Array.from({ length: 3 }, (_, i) => makePicture(folder, `S_${i}.jpg`, random, 300)));
  await addPhotographs(page, pictures);
  await untilCustody(page, 3, ['tablet']);
  await page.getByRole('link', { name: 'Photographs', exact: true }).click();
  await page.getByRole('button', { name: 'Make a rescue copy' }).waitFor();
});
afterAll(async () => {
  await browser.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['a tablet', 1180, 820],
  ['a phone', 390, 844],
])(
  '3§2 Where my photographs are scrolls to its end on %s; header and navigation stay',
  async (_name, width, height) => {
    await page.setViewportSize({ width, height });
    const foot = page.getByRole('navigation', { name: 'More pages' });
    const [head, places] = [
      page.getByRole('heading', { name: 'Where are my photographs' }),
      page.getByRole('navigation', { name: 'Main' }),
    ];
    await foot.waitFor();
    const isSeen = (of: typeof foot) =>
      of.evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return (
          found !== null &&
          (element.contains(found) || found.contains(element)) &&
          top >= 0 &&
          bottom <= window.innerHeight
        );
      });
    expect(await isSeen(foot), 'the page scrolls').toBe(false);
    await page.mouse.move(width / 2, height / 2);
    // Scrolls by the wheel to the end, as a person does.
    for (let turns = 0; turns < 20; turns++) await page.mouse.wheel(0, 400);
    await expect.poll(() => isSeen(foot)).toBe(true);
    expect([await isSeen(head), await isSeen(places)]).toEqual([true, true]);
  },
);

test.each([
  ['a tablet held upright', 820, 1180],
  ['a phone', 390, 844],
  ['a phone on its side', 844, 390],
])('3§2 the verdict on the card comes first on %s', async (_name, width, height) => {
  await page.setViewportSize({ width, height });
  const top = async (of: string) => (await page.locator(of).first().boundingBox())!.y;
  await expect.poll(async () => (await top('main [data-verdict]')) <= (await top('main section'))).toBe(true);
});

test('receipts: a rescue copy is verified where it was saved; cancelling changes nothing', async () => {
  await page.setViewportSize({ width: 1180, height: 820 });
  // Headless Chromium shows no dialog: the debugger makes it answer the picker like a person who cancels.
  const devtools = await browser.context.newCDPSession(page);
  await devtools.send('Page.enable');
  await devtools.send('Page.setInterceptFileChooserDialog', { enabled: true });
  const asked = new Promise((resolve) => devtools.once('Page.fileChooserOpened', resolve));
  await page.getByRole('button', { name: 'Make a rescue copy' }).click();
  await asked;
  await page.getByText(/Copy all 3 unsent photographs and their survey to a stick/).waitFor();
  expect(await page.getByText('That did not work').count()).toBe(0);

  // The dialog returns a handle on the browser's own disk; everything after it is real.
  await page.evaluate(() => {
    Object.assign(window, {
      showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
        (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true }),
    });
  });
  await page.getByRole('button', { name: 'Make a rescue copy' }).click();
  await page.getByText(/A rescue copy of 3 photographs/).waitFor();
  await page.getByText(/It was read back from where you saved it, and every photograph in it is intact/).waitFor();

  const saved = await page.evaluate(async () => {
    const files: { name: string; text: string }[] = [];
    for await (const [name, handle] of (await navigator.storage.getDirectory()) as unknown as AsyncIterable<
      [string, FileSystemFileHandle]
    >) {
      if (handle.kind !== 'file' || !name.endsWith('.tar')) continue;
      const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
      let text = '';
      for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
      files.push({ name, text: btoa(text) });
    }
    return files;
  });
  expect(saved).toHaveLength(1);
  // A tar of 512-byte blocks: a header with name and length in octal, then the bytes.
  const tar = Buffer.from(saved[0]?.text ?? '', 'base64');
  const hashes = new Set<string>();
  for (let at = 0; at + 512 <= tar.length;) {
    const length = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8) || 0;
    if (length > 0)
      hashes.add(
        createHash('sha256')
          .update(tar.subarray(at + 512, at + 512 + length))
          .digest('hex'),
      );
    at += 512 + Math.ceil(length / 512) * 512;
  }
  for (const { name, sha256 } of pictures)
    expect(hashes.has(sha256), `${name} is in the file, byte for byte`).toBe(true);
});
