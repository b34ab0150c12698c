import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import { afterEach, expect, test, vi } from 'vitest';
import { replaceReferenceDocuments } from '../../../cloud-sync/api/reference/reference-documents';
import { makeProfile, openBrowser } from '../../support/browser/browser';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { providerEnvironment, startProvider } from '../../support/doubles/providers';
import {
  expectAccessible,
  overlay,
  signOut,
  uidHere,
  unsentHere,
  withNotice,
} from '../../support/browser/sign-in-page';
import { startSurvey } from '../../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000 });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const EMAIL = 'ana@example.org';
/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));

/** Records each text that a page shows from now on, also for a moment. */
async function recordTexts(page: Page): Promise<void> {
  await page.evaluate(() => {
    const texts = new Set<string>();
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes)
        for (const node of [target, ...addedNodes]) texts.add(node.textContent ?? '');
    }).observe(document, { subtree: true, childList: true, characterData: true });
    Object.assign(window, { texts });
  });
}

/** Checks that the page showed a text since {@link recordTexts}. */
async function expectShown(page: Page, text: string): Promise<void> {
  const texts = await page.evaluate(() => [...(window as unknown as { texts: Set<string> }).texts]);
  expect(texts.filter((shown) => shown.endsWith(text))).not.toEqual([]);
}

/** Signs in by code, from the button shown while no one is signed in. */
async function signIn(page: Page, cloud: TestCloud): Promise<void> {
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await overlay(page).getByLabel('Email').fill(EMAIL);
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await overlay(page).getByText(`You've got mail! We have sent an email with a code to ${EMAIL}`).waitFor();
  await overlay(page)
    .getByLabel('Verification code')
    .fill(codeIn(outboxMails(cloud.outbox), EMAIL));
  await overlay(page).getByRole('button', { name: 'Login' }).click();
}

test('1§2 2§2 2§4 2§8 3§2 3§4 3§8 sign-up, code and reset work; person and work survive a restart', async () => {
  const google = await startProvider('google');
  closers.push(() => google.close());
  google.person = { subject: '1001', email: 'cleo@example.org', verified: true };
  const env: Record<string, string> = providerEnvironment([google]);
  const cloud = await startCloud({ hooks: { appFolder: APP }, env });
  closers.push(() => cloud.close());
  env['PUBLIC_URL'] = cloud.url;
  await cloud.restart();
  const profile = await makeProfile();
  closers.push(() => profile.remove());
  let browser = await openBrowser({ profile: profile.folder, charts: false });
  closers.push(() => browser.kill());
  let { page } = browser;
  await page.goto(cloud.url);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await recordTexts(page);
  await signIn(page, cloud);

  // 3§4: no name is made up; the form opens automatically.
  const form = overlay(page).getByRole('form', { name: 'Profile' });
  await form.waitFor();
  await expectShown(page, 'One moment...');
  // The sign-in has asked for the name: no further page of the session asks, but the dashboard.
  await page.goto(`${cloud.url}/surveys`);
  await page.getByText('Shore in reach').waitFor();
  for (const name of ['Analyse', 'You', 'Surveys'])
    await page.getByRole('link', { name, exact: true }).click({ timeout: 20_000 });
  await page.getByRole('button', { name: 'New survey', exact: true }).waitFor();
  expect(await overlay(page).count()).toBe(0);
  await page.goto(`${cloud.url}/dashboard`);
  await recordTexts(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Please enter your name before saving.').waitFor();
  await form.getByLabel('First name').fill('Ana');
  await form.getByLabel('Last name').fill('Lee');
  await expectAccessible(page);
  await withNotice(page, 'Your profile has been updated successfully!', () =>
    form.getByRole('button', { name: 'Save' }).click(),
  );
  await expectShown(page, 'Saving...');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('button', { name: 'New survey', exact: true }).waitFor();
  const uid = await uidHere(page);
  await expect
    .poll(async () => (await cloud.cloud.context.store.document('profile', uid as never))?.folded.doc['name'], {
      timeout: 60_000,
    })
    .toEqual({ first: 'Ana', last: 'Lee' });
  // The tablet has its receipts too, or it would count this record among the unsent ones later.
  await expect.poll(() => unsentHere(page), { timeout: 60_000 }).toBe(0);

  // The network fails, and the tablet is restarted.
  await cloud.stop();
  await browser.kill();
  browser = await openBrowser({ profile: profile.folder, charts: false });
  ({ page } = browser);
  await page.goto(`${cloud.url}/you`);
  await page.getByRole('heading', { name: 'Ana Lee' }).waitFor();
  await page.getByRole('heading', { name: 'Signed in ashore' }).waitFor();
  expect(await page.getByRole('button', { name: 'Sign in to get started' }).count()).toBe(0);
  const id = await startSurvey(page, 'Elford Reef');

  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  const question = page.getByRole('alertdialog');
  await recordTexts(page);
  await question.getByText(/1 record is not sent yet\./).waitFor();
  await expectAccessible(page);
  await withNotice(page, 'You have been signed out successfully.', () =>
    question.getByRole('button', { name: 'Sign out anyway' }).click(),
  );
  await expectShown(page, 'Signing out...');
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByText('1 survey of others who used this tablet is stored and sent.').waitFor();
  expect(await page.getByRole('link', { name: /Elford Reef/ }).count()).toBe(0);
  // Its address does not open it either: the page names neither owner nor content.
  await page.goto(`${cloud.url}/surveys/${id}`);
  await page.getByText('This survey belongs to someone else').waitFor();
  expect(await page.getByText(/Elford/).count()).toBe(0);
  await page.getByRole('link', { name: 'Back to the surveys' }).click();

  await cloud.restart();
  await expect
    .poll(async () => (await cloud.cloud.context.store.document('survey', id as never))?.folded.doc['name'], {
      timeout: 120_000,
    })
    .toMatch(/^Elford Reef/);

  // Back again, everything is there.
  await signIn(page, cloud);
  await overlay(page).getByRole('heading', { name: 'Your profile' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: /Elford Reef/ }).waitFor();
  await signOut(page);

  // 2§2 the sign-up screen: an existing address is offered a code, a new one gets an account at once.
  await page.goto(`${cloud.url}/analysis`);
  await page.getByRole('link', { name: 'Sign up', exact: true }).click();
  const screen = page.getByRole('form', { name: 'Sign up' });
  const go = screen.getByRole('button', { name: 'Continue', exact: true });
  await screen.getByLabel('First Name').fill('Ben');
  await screen.getByLabel('Email').fill('ben@example');
  expect(await go.isDisabled()).toBe(true);
  await screen.getByLabel('Email').fill(` ${EMAIL} `);
  await go.click();
  const exists = page.getByRole('alert').filter({ hasText: 'Account already exists with given email' });
  await exists.getByRole('button', { name: 'Email me a code' }).click();
  await overlay(page).getByText(`You've got mail! We have sent an email with a code to ${EMAIL}`).waitFor();
  await page.keyboard.press('Escape');
  await screen.getByLabel('Email').fill('ben@example.org');
  await withNotice(page, 'Account is created successfully!', () => go.click());
  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('heading', { name: 'Ben', exact: true }).waitFor();
  const ben = await uidHere(page);
  await expect
    .poll(async () => (await cloud.cloud.context.store.document('profile', ben as never))?.folded.doc, {
      timeout: 60_000,
    })
    .toMatchObject({ name: { first: 'Ben', last: '' } });
  await signOut(page);

  // 2§4 a wrong password, then a new one by a mailed code.
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await overlay(page).getByLabel('Email').fill('ben@example.org');
  await overlay(page).getByRole('button', { name: 'Use a password' }).click();
  await overlay(page).getByLabel('Password').fill('guessed');
  await overlay(page).getByLabel('Password').press('Enter');
  await overlay(page).getByText('The password is incorrect. Please try again or reset it.').waitFor();
  await overlay(page).getByRole('button', { name: 'Set a new password' }).click();
  await overlay(page).getByLabel('Verification code').waitFor();
  const resetCode = codeIn(outboxMails(cloud.outbox), 'ben@example.org');
  await overlay(page)
    .getByLabel('Verification code')
    .fill(resetCode === '000000' ? '111111' : '000000');
  await overlay(page).getByRole('button', { name: 'Continue' }).click();
  await overlay(page).getByLabel('Verification code').and(page.locator('[aria-invalid=true]')).waitFor();
  await overlay(page).getByLabel('Verification code').fill(resetCode);
  // An error goes when its cause is gone.
  await overlay(page).getByLabel('Verification code').and(page.locator(':not([aria-invalid=true])')).waitFor();
  await overlay(page).getByRole('button', { name: 'Continue' }).click();
  await overlay(page).getByLabel('New password').fill('coral and sand');
  await overlay(page).getByLabel('New password').press('Enter');
  await overlay(page).getByRole('heading', { name: 'Your profile' }).waitFor();
  await page.keyboard.press('Escape');
  await signOut(page);

  // 2§8 another service, in its own window; 1§6: the event whose address was opened goes with it.
  await replaceReferenceDocuments(cloud.cloud.context.database.pool, 'events', [{ id: 'event', handle: 'reef-week' }]);
  await page.goto(`${cloud.url}/signup?handle=reef-week`);
  await page.getByRole('button', { name: 'I already have an account' }).click();
  await withNotice(page, 'Signed in with Google successfully!', () =>
    overlay(page).getByRole('button', { name: 'Sign in with Google' }).click(),
  );
  await overlay(page).getByText('cleo@example.org').waitFor();
  const { people } = cloud.cloud.context.accounts;
  expect((await people.byEmail('cleo@example.org'))?.domains).toContain('reef-week');
});
