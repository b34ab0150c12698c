import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page } from 'playwright';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { ProviderId } from '../../../src/protocol/accounts';
import { openTablet } from '../../support/browser/shared-browser';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { freePort } from '../../support/servers/free-port';
import type { MailServer } from '../../support/servers/mail';
import { codeIn, linkIn, startMailServer } from '../../support/servers/mail';
import { makePicture } from '../../support/pictures';
import type { ProviderDouble } from '../../support/doubles/providers';
import { providerEnvironment, startProvider } from '../../support/doubles/providers';
import type { Mailed } from '../../support/browser/sign-in-page';
import {
  askForMail,
  enterByCode,
  keepNotice,
  fillInName,
  expectAccessible,
  overlay,
  signOut,
  uidHere,
} from '../../support/browser/sign-in-page';
import { seeded } from '../../support/seed';
import { chooseFiles, startSurvey } from '../../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));
/** Dark has the same layout as light, and its own contrast test. */
const THEMES = ['light', 'deck'] as const;
const PROVIDERS = ['facebook', 'twitter', 'github'] as const;
const NAMES = { facebook: 'Facebook', twitter: 'Twitter', github: 'GitHub' } as const;

let cloud: TestCloud;
let mail: MailServer;
let folder: string;
let doubles: Record<(typeof PROVIDERS)[number], ProviderDouble>;
const ends: (() => unknown)[] = [];
const opened: BrowserContext[] = [];

beforeAll(async () => {
  mail = await startMailServer();
  ends.push(() => mail.close());
  const started = await Promise.all(PROVIDERS.map((id) => startProvider(id)));
  ends.push(...started.map((one) => () => one.close()));
  doubles = Object.fromEntries(started.map((one) => [one.id, one] as const)) as typeof doubles &
    Record<ProviderId, ProviderDouble>;
  const port = await freePort();
  cloud = await startCloud({
    hooks: { appFolder: APP },
    env: {
      CLOUD_PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ALLOWED_ORIGINS: `http://localhost:${port}`,
      SMTP_URL: mail.url,
      ...providerEnvironment(started),
    },
  });
  ends.push(() => cloud.close());
  folder = mkdtempSync(path.join(tmpdir(), 'reef-account-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
});
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterEach(async () => {
  for (const context of opened.splice(0)) await context.close();
});

/** New tablet without data of the others. */
async function tablet(place = '/you', origin = cloud.url): Promise<Page> {
  const { context, page } = await openTablet();
  opened.push(context);
  await page.goto(origin + place);
  return page;
}

const askFor = (page: Page, email: string, how: Mailed): Promise<void> => askForMail(page, mail, email, how);
const enter = (page: Page, email: string, name?: string): Promise<string> => enterByCode(page, mail, email, name);

const account = (page: Page) => overlay(page).getByRole('region', { name: 'Account' });
const done = (page: Page, words: RegExp) => account(page).getByRole('status').filter({ hasText: words });
const personOf = (uid: string) => cloud.cloud.context.accounts.people.byId(uid);
const documentOf = async (kind: 'profile' | 'survey', id: string) =>
  (await cloud.cloud.context.store.document(kind, id as never))?.folded.doc;

test('2§8 a failed load of the sign-in shows the specified message and leaves the page as is', async () => {
  const { context, page } = await openTablet();
  opened.push(context);
  await page.route(/AuthOverlay-[^/]*\.js/, (route) => route.abort());
  await page.goto(`${cloud.url}/you`);
  const button = page.getByRole('button', { name: 'Sign in to get started' });
  await button.click();
  await page
    .getByText('There was a problem with the authentication service. Please refresh the page and try again.')
    .first()
    .waitFor();
  expect(await button.isVisible()).toBe(true);
  await page.unroute(/AuthOverlay-[^/]*\.js/);
  await page.reload();
  await button.click();
  await overlay(page).getByLabel('Email').waitFor();
});

test('2§8 an error of a form goes when its cause is gone: the connection is back, the entry is changed', async () => {
  const page = await tablet();
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await overlay(page).getByLabel('Email').fill('lena@example.org');
  await page.context().setOffline(true);
  const alert = overlay(page).getByRole('alert');
  await overlay(page).getByRole('button', { name: 'Email me a code' }).click();
  await alert.getByText('Nothing here is lost.').waitFor();
  await page.context().setOffline(false);
  await alert.waitFor({ state: 'detached' });

  await overlay(page).getByRole('button', { name: 'Use a password' }).click();
  const disabled = { code: 'forbidden', message: 'Disabled', retryable: false, auth: 'auth/user-disabled' };
  await page.route('**/sign-in-with-password', (route) => route.fulfill({ status: 403, json: { error: disabled } }));
  await overlay(page).getByLabel('Password').fill('a password of Lena');
  await overlay(page).getByRole('button', { name: 'Sign in', exact: true }).click();
  await alert.getByText('disabled').waitFor();
  await overlay(page).getByLabel('Password').fill('another password');
  await alert.waitFor({ state: 'detached' });
});

test('3§4 a mailed link signs in and returns; another browser asks for the address first', async () => {
  const page = await tablet('/you?el=screen');
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await expectAccessible(page, THEMES);
  await askFor(page, 'lena@example.org', 'Email me a link instead');
  await expectAccessible(page, THEMES);
  const tab = await page.context().newPage();
  await tab.goto(linkIn(mail.mails, 'lena@example.org'));
  await overlay(tab).getByRole('heading', { name: 'Your profile' }).waitFor();
  await expect.poll(() => new URL(tab.url()).pathname + new URL(tab.url()).search).toBe('/you?el=screen');
  await fillInName(tab, 'Lena');
  const uid = await uidHere(tab);
  // The waiting tab is notified.
  await page.getByText(/an email with a link/).waitFor({ state: 'detached' });
  await page.getByText('Lena', { exact: true }).first().waitFor();

  const asking = await tablet();
  await asking.getByRole('button', { name: 'Sign in to get started' }).click();
  await askFor(asking, 'lena@example.org', 'Email me a link instead');
  const other = await tablet('/');
  await other.goto(linkIn(mail.mails, 'lena@example.org'));
  await other.getByText('Please provide your email for confirmation').waitFor();
  await expectAccessible(other, THEMES);
  await other.getByLabel('Email').fill('someone-else@example.org');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.getByRole('alert').waitFor();
  await other.getByLabel('Email').fill('lena@example.org');
  await other.getByRole('button', { name: 'Sign in', exact: true }).click();
  await other.getByText('Signed in successfully!').waitFor();
  expect(await uidHere(other)).toBe(uid);
});

test('1§4 an anonymous person who adds an address keeps uid and work', async () => {
  const page = await tablet();
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await overlay(page).getByRole('button', { name: 'Continue without an email address' }).click();
  await page.getByText('Signed in anonymously!').waitFor();
  await fillInName(page, 'Nils');
  await page.keyboard.press('Escape');
  const uid = await uidHere(page);
  expect(await personOf(uid)).toMatchObject({ anonymous: true });
  const survey = await startSurvey(page, 'Elford Reef');
  await expect.poll(() => documentOf('survey', survey)).toMatchObject({ user: { uid } });

  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByText('No email address').waitFor();
  await page.getByRole('button', { name: 'Add an email address' }).click();
  await overlay(page).getByText('No address yet').waitFor();
  await expectAccessible(page, THEMES);
  await account(page).getByRole('button', { name: 'Add an email address' }).click();
  expect(await enter(page, 'nils@example.org')).toBe(uid);
  expect(await personOf(uid)).toMatchObject({ anonymous: false, email: 'nils@example.org', isEmailVerified: true });
  await overlay(page).getByText('nils@example.org').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('link', { name: /Elford Reef/ }).waitFor();
  await expect
    .poll(() => documentOf('profile', uid))
    .toMatchObject({ name: { first: 'Nils' }, email: 'nils@example.org' });

  // The next user of the tablet takes over nothing; an existing account takes over the work done without an address.
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await overlay(page).getByRole('button', { name: 'Continue without an email address' }).click();
  await fillInName(page, 'Somebody');
  await page.keyboard.press('Escape');
  expect(await uidHere(page)).not.toBe(uid);
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByText('1 survey of others who used this tablet is stored and sent.').waitFor();
  const second = await startSurvey(page, 'Milln Reef');
  await expect.poll(() => documentOf('survey', second)).toBeDefined();
  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('button', { name: 'Add an email address' }).click();
  await account(page).getByRole('button', { name: 'Add an email address' }).click();
  expect(await enter(page, 'nils@example.org')).toBe(uid);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('link', { name: /Elford Reef/ }).waitFor();
  await page.getByRole('link', { name: /Milln Reef/ }).waitFor();
});

test('2§2 2§7 the profile saves place, organisation, photograph, password and address', async () => {
  await cloud.ask(
    'PUT',
    '/api/reference/organisations',
    [
      { id: 'o1', handle: 'crew-one', name: 'Crew One' },
      { id: 'o2', handle: 'reef-two', name: 'Reef Two' },
    ],
    STAFF_TOKEN,
  );
  const page = await tablet();
  const uid = await enter(page, 'mara@example.org', 'Mara');
  await overlay(page).getByRole('button', { name: 'Edit' }).click();
  const form = overlay(page).getByRole('form', { name: 'Profile' });
  await form.getByRole('combobox', { name: 'Location' }).fill('Cai');
  await page.getByRole('option', { name: /^Cairns/ }).click();
  await form.getByRole('combobox', { name: /Organisation/ }).fill('crew');
  expect(await page.getByRole('option').count()).toBeLessThanOrEqual(5);
  await page.getByRole('option', { name: /Crew One/ }).click();
  await expectAccessible(page, THEMES);

  const { file } = await makePicture(folder, 'me.jpg', seeded(5), 900);
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/api/uploads/*', async (route) => {
    await held;
    await route.continue();
  });
  await chooseFiles(page, () => form.getByRole('button', { name: 'Choose a photo' }).click(), [file]);
  await form.getByRole('meter', { name: 'Uploading' }).waitFor();
  await form.getByRole('button', { name: 'Pause' }).click();
  await form.getByRole('button', { name: 'Resume' }).waitFor();
  await form.getByRole('button', { name: 'Resume' }).click();
  letGo();
  await form.getByText('Your profile shows the new photo now.').waitFor();
  expect((await fetch(`${cloud.url}/users/${uid}/profile.jpg`)).status).toBe(200);
  await overlay(page).getByRole('img', { name: 'Mara' }).waitFor();
  await form.getByRole('button', { name: 'Remove photo' }).click();
  await form.getByText('Your photo was removed.').waitFor();
  expect((await fetch(`${cloud.url}/users/${uid}/profile.jpg`)).status).toBe(404);
  expect(await overlay(page).getByRole('img', { name: 'Mara' }).count()).toBe(0);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(() => documentOf('profile', uid))
    .toMatchObject({ loc: { name: 'Cairns', country: 'Australia' }, org: { handle: 'crew-one' } });

  await overlay(page).getByRole('button', { name: 'Account', exact: true }).click();
  await account(page).getByText('mara@example.org, confirmed').waitFor();
  await account(page).getByRole('button', { name: 'Set a password' }).click();
  await account(page).getByLabel('New password').fill('coral');
  await account(page).getByRole('button', { name: 'Set the password' }).click();
  await account(page).getByText('The password is too weak. Please use at least 6 characters.').waitFor();
  await account(page).getByLabel('New password').fill('coral and sand');
  await account(page).getByLabel('New password').press('Enter');
  await done(page, /Your password was changed/).waitFor();
  await account(page).getByRole('button', { name: 'Change the password' }).click();
  await account(page).getByRole('button', { name: 'Change the password' }).first().click();
  await account(page).getByLabel('Current password').fill('guessed');
  await account(page).getByLabel('New password').fill('sand and coral');
  await account(page).getByLabel('New password').press('Enter');
  await account(page).getByText('The password is incorrect. Please try again or reset it.').waitFor();
  await expectAccessible(page, THEMES);
  await account(page).getByLabel('Current password').fill('coral and sand');
  await account(page).getByLabel('Current password').press('Enter');
  await done(page, /Your password was changed/).waitFor();

  await account(page).getByRole('button', { name: 'Change the email address' }).click();
  await account(page).getByLabel('New email address').fill('mara.lind@');
  await account(page).getByLabel('New email address').press('Enter');
  await account(page).getByText('Please enter a valid email address').waitFor();
  await account(page).getByLabel('New email address').fill('mara.lind@example.org');
  await account(page).getByLabel('New email address').press('Enter');
  await account(page)
    .getByText("You've got mail! We have sent an email with a code to mara.lind@example.org")
    .waitFor();
  await account(page).getByLabel('Verification code').fill('000 000');
  await account(page).getByLabel('Verification code').press('Enter');
  await account(page).getByText('That code is wrong or has expired').waitFor();
  await account(page).getByLabel('Verification code').fill(codeIn(mail.mails, 'mara.lind@example.org'));
  await account(page).getByLabel('Verification code').press('Enter');
  await done(page, /Your email address is now mara.lind@example.org/).waitFor();
  expect(await personOf(uid)).toMatchObject({ email: 'mara.lind@example.org', isEmailVerified: true });
  await page.keyboard.press('Escape');
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await overlay(page).getByLabel('Email').fill('mara.lind@example.org');
  await overlay(page).getByRole('button', { name: 'Use a password' }).click();
  await overlay(page).getByLabel('Password').fill('sand and coral');
  await overlay(page).getByLabel('Password').press('Enter');
  await overlay(page).getByText('mara.lind@example.org').waitFor();
  expect(await uidHere(page)).toBe(uid);
});

test('1§4 Facebook, Twitter and GitHub sign in, link and unlink; the last sign-in stays', async () => {
  const page = await tablet();
  const uids: string[] = [];
  for (const id of PROVIDERS) {
    doubles[id].person = {
      subject: `7${PROVIDERS.indexOf(id)}01`,
      verified: true,
      ...(id === 'twitter' ? {} : { email: `${id}@example.net` }),
    };
    doubles[id].cutsOff = id === 'github';
    await page.getByRole('button', { name: 'Sign in to get started' }).click();
    const popup = page.waitForEvent('popup');
    await overlay(page)
      .getByRole('button', { name: `Sign in with ${NAMES[id]}` })
      .click();
    if (id === 'github') await (await popup).getByRole('link', { name: 'Allow' }).click();
    await overlay(page).getByRole('heading', { name: 'Your profile' }).waitFor();
    uids.push(await uidHere(page));
    await fillInName(page, NAMES[id]);
    if (id !== 'github') {
      await page.keyboard.press('Escape');
      await signOut(page);
    }
  }
  expect(new Set(uids).size).toBe(3);
  doubles.github.cutsOff = false;

  // GitHub's account links a Twitter account that belongs to another person, then a new one.
  await overlay(page).getByRole('button', { name: 'Account', exact: true }).click();
  await account(page).getByRole('button', { name: 'Link Twitter' }).click();
  await account(page)
    .getByText('An account with this email uses another sign-in method. Please use that one.')
    .waitFor();
  doubles.twitter.person = { subject: '7199' };
  await account(page).getByRole('button', { name: 'Link Twitter' }).click();
  await done(page, /You can now sign in with Twitter/).waitFor();
  await expectAccessible(page, THEMES);
  await account(page).getByRole('button', { name: 'Unlink GitHub' }).click();
  await done(page, /GitHub is no longer linked/).waitFor();
  // Its address was never confirmed, and it has no password.
  await account(page).getByText('This is your only way to sign in').waitFor();
  expect(await account(page).getByRole('button', { name: 'Unlink Twitter' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await signOut(page);
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await overlay(page).getByRole('button', { name: 'Sign in with Twitter' }).click();
  await overlay(page).getByRole('heading', { name: 'Your profile' }).waitFor();
  expect(await uidHere(page)).toBe(uids[2]);
  // A closed window is not a sign-in.
  await page.keyboard.press('Escape');
  await signOut(page);
  doubles.facebook.cutsOff = true;
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await overlay(page).getByRole('button', { name: 'Sign in with Facebook' }).click();
  await overlay(page).getByRole('button', { name: 'Cancel' }).click();
  await overlay(page).getByText('The sign-in window was cancelled. Please try again.').waitFor();
  expect(await uidHere(page)).toBe('');
});

test('1§4 an app of another origin gets the result of a provider window through its own page', async () => {
  doubles.github.person = { subject: '7401', verified: true, email: 'far@example.net' };
  doubles.github.cutsOff = true;
  const page = await tablet('/you', cloud.url.replace('127.0.0.1', 'localhost'));
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  const popup = page.waitForEvent('popup');
  await overlay(page).getByRole('button', { name: 'Sign in with GitHub' }).click();
  const window = await popup;
  await window.getByRole('link', { name: 'Allow' }).click();
  await overlay(page).getByRole('heading', { name: 'Your profile' }).waitFor();
  expect((await personOf(await uidHere(page)))?.email).toBe('far@example.net');
  doubles.github.cutsOff = false;
  // Same page for a sign-in that was not started here.
  const stray = await page.context().newPage();
  await stray.goto(
    `${new URL(page.url()).origin}/sign-in#turn=${encodeURIComponent(JSON.stringify({ source: 'reef-sign-in', state: 'of nobody', ticket: 'x' }))}`,
  );
  await stray.getByText('The window that started this sign-in is closed').waitFor();
  expect(new URL(stray.url()).hash).toBe('');
  await expectAccessible(stray, THEMES);
});

test('protocol: a box’s message stays on every screen until its person reads it', async () => {
  const page = await tablet();
  const uid = await enter(page, 'nina@example.org', 'Nina');
  const words =
    'This sign-in was ended ashore. What this tablet holds is safe and is still sent. Sign in again ashore to work under this name.';
  const note = page.getByRole('status').filter({ hasText: 'Signed out of the box' });
  await page.evaluate(keepNotice, { words, uid: 'SomebodyElse00001' });
  await page.goto(`${cloud.url}/surveys`);
  await page.getByRole('button', { name: 'New survey', exact: true }).waitFor();
  expect(await note.count()).toBe(0);
  await page.evaluate(keepNotice, { words, uid });
  await page.goto(`${cloud.url}/photographs`);
  await note.getByText(words).waitFor();
  await expectAccessible(page, THEMES);
  await note.getByRole('button', { name: 'Dismiss' }).click();
  await note.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Where are my photographs' }).waitFor();
  expect(await note.count()).toBe(0);
});
