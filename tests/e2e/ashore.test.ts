import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import { afterEach, expect, test, vi } from 'vitest';
import type { SurveyId } from '../../src/domain/ids';
import { openTablet } from '../support/browser/shared-browser';
import type { TestCloud } from '../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import { startEdge } from '../support/servers/edge';
import { codeIn, outboxMails, outboxOf } from '../support/servers/mail';
import { makePicture } from '../support/pictures';
import { actAndClose, enterByCode, expectAccessible } from '../support/browser/sign-in-page';
import { seeded } from '../support/seed';
import { openTestTablet, until } from '../support/tablet/tablet';
import { addPhotographs, enterPerson, savedRows, startSurvey } from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000 });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const EMAIL = 'mara@example.org';
/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../dist/app', import.meta.url));

/** Cloud, and a tablet whose app came from a box that is gone. */
async function tabletAshore(): Promise<{
  readonly page: Page;
  readonly cloud: TestCloud;
  readonly folder: string;
  readonly leaveBox: () => Promise<void>;
}> {
  const env: Record<string, string> = {};
  const cloud = await startCloud({ env });
  closers.push(() => cloud.close());
  const edge = await startEdge({ env: { CLOUD_URL: cloud.url } });
  closers.push(() => edge.remove());
  env['ALLOWED_ORIGINS'] = new URL(edge.url).origin;
  await cloud.restart();
  const browser = await openTablet({ installs: true });
  closers.push(() => browser.close());
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-ashore-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const { page } = browser;
  await page.goto(edge.url);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: EMAIL });
  return { page, cloud, folder, leaveBox: () => edge.stop().then(() => undefined) };
}

/**
 * Signs in from a page that a box served: address and code are typed on the shore's own page. Keyboard only after the
 * address: each field is left with Enter.
 */
async function signIn(page: Page, cloud: TestCloud): Promise<void> {
  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in ashore' }).press('Enter');
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Enter its address' }).press('Enter');
  await form.getByLabel('Address of the shore').fill(cloud.url);
  const opening = page.waitForEvent('popup');
  await form.getByRole('button', { name: 'Continue at the shore' }).press('Enter');
  const shore = await opening;
  const email = shore.getByLabel('Your email address');
  await email.waitFor();
  expect(new URL(shore.url()).origin).toBe(new URL(cloud.url).origin);
  await shore.getByText(new URL(page.url()).host).waitFor();
  expect(await email.inputValue(), 'the address of the person at the tablet').toBe(EMAIL);
  await email.press('Enter');
  await shore.getByText(`A code is on its way to ${EMAIL}`).waitFor();
  await shore.keyboard.type('000 000');
  await shore.keyboard.press('Enter');
  await shore.getByRole('alert').waitFor();
  await shore.getByLabel('Verification code').fill(codeIn(outboxMails(cloud.outbox), EMAIL));
  expect(await page.locator('input[type=password], [autocomplete=one-time-code]').count(), 'on the box’s page').toBe(0);
  await actAndClose(shore, () => shore.getByLabel('Verification code').press('Enter'));
  await form.getByRole('heading', { name: 'Your profile' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Signed in ashore' }).waitFor();
}

async function hashAshore(cloud: TestCloud, sha256: string): Promise<string> {
  const answer = await fetch(`${cloud.url}/api/blobs/${sha256}`, {
    headers: { authorization: `Bearer ${STAFF_TOKEN}` },
  });
  return createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');
}

test('1§7 a tablet without a box signs in by code, sends photographs and frees space', async () => {
  const { page, cloud, folder, leaveBox } = await tabletAshore();
  const random = seeded(41);
  const pictures = [
    await makePicture(folder, 'one.jpg', random, 900),
    await makePicture(folder, 'two.jpg', random, 500),
  ];
  await startSurvey(page, 'Elford Reef');
  await addPhotographs(page, pictures);
  await expect.poll(async () => (await savedRows(page)).length, { timeout: 60_000 }).toBe(2);
  await leaveBox();
  await signIn(page, cloud);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Photographs', exact: true }).click();
  await page.getByText('Everything is ashore, with receipts').waitFor();
  for (const { sha256 } of pictures) expect(await hashAshore(cloud, sha256)).toBe(sha256);
  const space = page.getByRole('region', { name: 'Free up space' });
  await space.getByText('of 2 photographs that the shore has too').waitFor();
  // The shore confirmed each photograph: the card may be wiped.
  await page.getByRole('heading', { name: 'Safe to wipe this card' }).waitFor();
  await expectAccessible(page);
  await space.getByRole('button', { name: /^Free / }).press('Enter');
  await space.getByText(/2 originals are ashore/).waitFor();
  await space.getByText('can be freed now').waitFor();
  expect(await page.evaluate(blobsHere)).toBe(0);
  for (const { sha256 } of pictures) expect(await hashAshore(cloud, sha256)).toBe(sha256);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('link', { name: /Elford Reef/ }).click();
  // The previews are still there.
  await expect.poll(() => page.locator('li[data-sha256] img').count(), { timeout: 30_000 }).toBe(2);
});

test('1§4 conflicting edits of two tablets ashore are settled on one page, for both', async () => {
  const env: Record<string, string> = {};
  const cloud = await startCloud({ hooks: { appFolder: APP }, env });
  closers.push(() => cloud.close());
  env['PUBLIC_URL'] = cloud.url;
  await cloud.restart();
  const browser = await openTablet();
  closers.push(() => browser.close());
  const { page } = browser;
  await page.goto(cloud.url);
  await enterByCode(page, outboxOf(cloud.outbox), EMAIL, 'Mara');
  await page.keyboard.press('Escape');
  const id = (await startSurvey(page, 'Milln Reef')) as SurveyId;
  const other = await openTestTablet();
  closers.push(() => other.close());
  const {
    account,
    census: { surveys },
  } = other.repositories;
  await account.signIn.pinCloud(cloud.url);
  await account.signIn.sendCode(EMAIL);
  await account.signIn.withCode(EMAIL, codeIn(outboxMails(cloud.outbox), EMAIL));
  closers.push(surveys.all.subscribe(() => undefined));
  await until(() => surveys.all.get().items.some((survey) => survey.id === id), 'the survey was downloaded', 60_000);

  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('link', { name: /Milln Reef/ }).click();
  const log = page.getByRole('form', { name: 'Survey', exact: true });
  await log.waitFor();
  await cloud.stop();
  await surveys.edit(id, { duration: 30 });
  await log.getByRole('textbox', { name: /Duration/ }).fill('45');
  await page.keyboard.press('Tab');
  await log.getByText('Saved on this tablet', { exact: true }).waitFor();
  await cloud.restart();

  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('link', { name: /1 value with conflicting edits/ }).click({ timeout: 120_000 });
  await page.getByRole('heading', { name: 'Conflicting edits', exact: true }).waitFor();
  await page.getByText('30 min', { exact: true }).waitFor();
  await page.getByText('45 min', { exact: true }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: /^45 min/ }).press('Enter');
  await page.getByText('No conflicting edits').waitFor();
  await until(
    () =>
      surveys.all
        .get()
        .items.some((survey) => survey.id === id && survey.conflicts === 0 && survey.doc['duration'] === 45),
    'the other tablet has it',
    120_000,
  );
});

/** Number of photographs stored in the page at full size. */
function blobsHere(): Promise<number> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('reef-ops');
    opening.onerror = () => reject(new Error('the storage could not be opened'));
    opening.onsuccess = () => {
      const counting = opening.result.transaction('blobs').objectStore('blobs').count();
      counting.onsuccess = () => {
        opening.result.close();
        resolve(counting.result);
      };
    };
  });
}
