import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import { afterEach, expect, test, vi } from 'vitest';
import { replaceReferenceDocuments } from '../../../cloud-sync/api/reference/reference-documents';
import { axeFaults } from '../../support/browser/axe';
import { openTablet } from '../../support/browser/shared-browser';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { newId } from '../../support/servers/edge-client';
import { codeIn, outboxMails } from '../../support/servers/mail';
import type { Authenticator } from '../../support/servers/second-factor';
import { authenticatorOf } from '../../support/servers/second-factor';
import { signIn, signInAs } from '../../support/servers/people';
import { SIZES, switchTheme } from '../../support/browser/screens';

vi.setConfig({ testTimeout: 300_000 });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));

/** Signs in by code; a person without a name gets the form for it. */
async function signInHere(page: Page, cloud: TestCloud, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  const overlay = page.getByRole('dialog');
  await overlay.getByLabel('Email').fill(email);
  await overlay.getByLabel('Email').press('Enter');
  await overlay.getByLabel('Verification code').waitFor();
  await overlay.getByLabel('Verification code').fill(codeIn(outboxMails(cloud.outbox), email));
  await overlay.getByRole('button', { name: 'Login' }).click();
}

/** Leaves the profile, which opens after a sign-in. */
async function leaveProfile(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('heading', { name: 'Your profile' }).waitFor();
  await page.keyboard.press('Escape');
}

/** Sets the second step up from the sign-in, with an app; returns the app and the recovery codes. */
async function setUpSecondStep(page: Page): Promise<{ app: Authenticator; codes: readonly string[] }> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Set up your second step' }).waitFor();
  await dialog.getByRole('button', { name: 'Set it up' }).click();
  await dialog.getByText('None yet. Your role counts once you have set one up.').waitFor();
  await dialog.getByRole('button', { name: 'Set up one-time codes' }).click();
  await dialog.getByRole('img', { name: 'Code to scan with the authenticator app' }).waitFor();
  await expectAccessible(page);
  const key = await dialog.getByText(/^(?:[A-Z2-7]{4} ?){8}$/).textContent();
  const app = authenticatorOf(key!);
  await dialog.getByLabel('Code from the app').fill('000000');
  await dialog.getByLabel('Code from the app').press('Enter');
  await dialog.getByText('That code is wrong, or was used already.').waitFor();
  await dialog.getByLabel('Code from the app').fill(app());
  await dialog.getByRole('button', { name: 'Confirm the code' }).click();
  const shown = dialog.getByRole('region', { name: 'Recovery codes' });
  await shown.waitFor();
  const codes = await shown.getByRole('listitem').allTextContents();
  await expectAccessible(page);
  await shown.getByRole('button', { name: 'I wrote them down' }).click();
  await dialog.getByText('Set up, with 10 recovery codes left.').waitFor();
  expect(await shown.count()).toBe(0);
  await page.keyboard.press('Escape');
  return { app, codes };
}

async function expectAccessible(page: Page): Promise<void> {
  for (const { width, height } of SIZES.slice(0, 2)) {
    await page.setViewportSize({ width, height });
    for (const theme of ['light', 'deck'] as const) {
      await switchTheme(page, theme);
      expect(await axeFaults(page)).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  }
  await page.setViewportSize({ width: 1180, height: 820 });
}

test('1§5 1§8 an admin finds, promotes and links a person, with a log; a volunteer is refused', async () => {
  const cloud = await startCloud({ hooks: { appFolder: APP } });
  closers.push(() => cloud.close());
  await signInAs(cloud, 'admin');
  const ana = await signIn(cloud, 'ana@example.org');
  await replaceReferenceDocuments(cloud.cloud.context.database.pool, 'events', [
    { id: newId(), handle: 'reefweek', regionId: 'gbr' },
  ]);
  const browser = await openTablet();
  closers.push(() => browser.close());
  const { page } = browser;
  await page.goto(cloud.url);
  await signInHere(page, cloud, 'admin@example.org');
  const { codes } = await setUpSecondStep(page);

  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('link', { name: 'Accounts, roles and who changed them' }).click();
  await page.getByText('You set up one-time codes as your second step').waitFor();
  const field = page.getByRole('searchbox', { name: 'Name or email address' });
  const open = async (typed: string, shown: string): Promise<void> => {
    await field.fill(typed);
    await page.getByRole('button', { name: shown }).click();
    await page.getByRole('heading', { name: shown }).waitFor();
  };
  await field.fill('nobody@example.org');
  await page.getByText('No name or address begins with “nobody@example.org”.').waitFor();
  await open(' ANA@', 'ana@example.org');
  // The table lists the roles that an admin may grant.
  expect(await page.getByRole('switch', { name: /^Admin/ }).isDisabled()).toBe(true);
  await page.getByRole('switch', { name: /^Expert/ }).focus();
  await page.keyboard.press('Space');
  const question = page.getByRole('alertdialog', { name: 'Make ana@example.org an expert?' });
  await question.getByText(/They can use expert images, the advanced mode/).waitFor();
  await question.getByRole('button', { name: 'Give “Expert”' }).click();
  await page.getByText('Done: you made ana@example.org an expert.').waitFor();
  await expect
    .poll(
      () => page.getByRole('switch', { name: /^Expert/ }).evaluate((control) => control === document.activeElement),
      { message: 'the focus is where it was' },
    )
    .toBe(true);
  const log = page.getByRole('list', { name: 'Activity log, newest first' });
  await log.getByText('You made ana@example.org an expert').waitFor();
  expect((await cloud.cloud.context.accounts.people.byId(ana.user.uid as never))?.isExpert).toBe(true);

  // Removed by someone else while their sheet is open.
  const gone = await signIn(cloud, 'gone@example.org');
  await page.getByRole('button', { name: 'All people' }).click();
  await open('gone', 'gone@example.org');
  await cloud.cloud.context.database.pool.query('DELETE FROM auth."user" WHERE id = $1', [gone.user.uid]);
  await page.getByRole('switch', { name: /^Verified/ }).focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Give “Verified”' }).click();
  await page.getByRole('alert').getByText(`User with ID ${gone.user.uid} not found`).waitFor();
  await page.getByRole('button', { name: 'All people' }).click();
  await open('ana@example.org', 'ana@example.org');

  const link = page.getByRole('form', { name: 'Link people' });
  await link.getByLabel('Email addresses').fill('ana@example.org, nobody@example.org, Ben Reef');
  await link.getByText('Left out, no address: Ben Reef.').waitFor();
  await link.getByLabel('Handle of the event or organisation').fill('ReefWeek');
  await page.keyboard.press('Tab');
  await link.getByRole('button', { name: 'Link', exact: true }).click();
  const answers = page.getByRole('list', { name: 'Result for each address' });
  await answers.getByText('Linked to reefweek.').waitFor();
  await answers.getByText('No user found for given Email ID nobody@example.org').waitFor();
  await page.getByRole('radio', { name: 'Links' }).click();
  await log.getByText('You linked ana@example.org to reefweek').waitFor();
  expect(await log.getByText(/expert/).count()).toBe(0);
  await expectAccessible(page);

  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Who is using this tablet?' }).waitFor();
  await signInHere(page, cloud, 'ana@example.org');
  await leaveProfile(page);
  await page.getByRole('heading', { name: 'Signed in ashore' }).waitFor();
  await page.goto(`${cloud.url}/admin`);
  await page.getByText('Only admins can manage accounts').waitFor();
  // A person without a name was asked for it once.
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByRole('form').count()).toBe(0);
  await page.getByRole('link', { name: 'Back to You' }).click();
  await page.getByRole('heading', { name: 'Signed in ashore' }).waitFor();
  expect(await page.getByRole('link', { name: 'Accounts, roles and who changed them' }).count()).toBe(0);

  // An admin who signs in again is a volunteer until the second step.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Who is using this tablet?' }).waitFor();
  await signInHere(page, cloud, 'admin@example.org');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Code from your app').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Not now' }).click();
  await leaveProfile(page);
  await page.goto(`${cloud.url}/admin`);
  await page.getByText('Confirm that it is you').waitFor();
  expect(await page.getByRole('form').count()).toBe(0);
  await page.getByRole('button', { name: 'Confirm now' }).click();
  await dialog.getByRole('button', { name: 'Use a recovery code' }).click();
  await dialog.getByLabel('Recovery code').fill(codes[0]!);
  await dialog.getByLabel('Recovery code').press('Enter');
  await field.waitFor();
});
