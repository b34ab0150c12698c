import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright';
import { afterEach, expect, test, vi } from 'vitest';
import { replaceReferenceDocuments } from '../../../cloud-sync/api/reference/reference-documents';
import { axeFaults } from '../../support/browser/axe';
import { SIZES, THEMES, switchTheme } from '../../support/browser/screens';
import { openTablet } from '../../support/browser/shared-browser';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { makeOp, newId } from '../../support/servers/edge-client';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { signIn } from '../../support/servers/people';

vi.setConfig({ testTimeout: 300_000 });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));
const ADMIN = 'admin@example.org';

/** A shore with ten thousand people, one of them Ana, with a name, a role and a last sign-in. */
async function crowdedShore(): Promise<TestCloud> {
  const cloud = await startCloud({ hooks: { appFolder: APP } });
  closers.push(() => cloud.close());
  const { pool } = cloud.cloud.context.database;
  const { user } = await signIn(cloud, ADMIN);
  await pool.query('UPDATE auth.person SET admin = true WHERE uid = $1', [user.uid]);
  const ana = await signIn(cloud, 'ana@example.org');
  const op = makeOp(
    'profile',
    { uid: ana.user.uid, name: { first: 'Ana', last: 'Reef' } },
    { by: ana.user.uid as never },
  );
  await cloud.ops([op], undefined, ana.session);
  await pool.query('UPDATE auth.person SET verified = true, is_expert = true WHERE uid = $1', [ana.user.uid]);
  await pool.query(
    `INSERT INTO auth."user" ("id", "name", "email", "emailVerified") SELECT 'Many' || lpad(n::text, 12, '0'), '', 'p' || lpad(n::text, 5, '0') || '@many.example', true FROM generate_series(1, 10000) n`,
  );
  await replaceReferenceDocuments(pool, 'organisations', [{ id: newId(), handle: 'reefwatch', name: 'Reef Watch' }]);
  await replaceReferenceDocuments(pool, 'events', [
    { id: newId(), handle: 'reefweek', name: 'Reef Week', regionId: 'gbr', version: '2', timestart: '2026-10-01' },
  ]);
  return cloud;
}

/** Signs the admin in, past the second factor, and opens the page. */
async function openPeople(page: Page, cloud: TestCloud): Promise<void> {
  await page.goto(cloud.url);
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  const overlay = page.getByRole('dialog');
  await overlay.getByLabel('Email').fill(ADMIN);
  await overlay.getByLabel('Email').press('Enter');
  await overlay.getByLabel('Verification code').waitFor();
  await overlay.getByLabel('Verification code').fill(codeIn(outboxMails(cloud.outbox), ADMIN));
  await overlay.getByRole('button', { name: 'Login' }).click();
  await overlay.getByRole('heading', { name: 'Set up your second step' }).waitFor();
  await cloud.cloud.context.database.pool.query('UPDATE auth."session" SET factor_at = now()');
  cloud.cloud.context.accounts.callers.clearCache();
  await page.goto(`${cloud.url}/admin`);
  await rows(page).first().waitFor();
}

const rows = (page: Page): Locator => page.getByRole('list', { name: 'People, by name' }).getByRole('button');
const field = (page: Page): Locator => page.getByRole('searchbox', { name: 'Name or email address' });

async function expectAccessible(page: Page, state: string): Promise<void> {
  for (const { width, height } of SIZES.slice(0, 2)) {
    await page.setViewportSize({ width, height });
    for (const theme of THEMES) {
      await switchTheme(page, theme);
      expect(await axeFaults(page), `${state} ${theme}`).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), state).toBe(true);
  }
  await switchTheme(page, 'light');
  await page.setViewportSize({ width: 1180, height: 820 });
}

test('1§5 an admin pages and searches ten thousand people, and links one by a suggested handle', async () => {
  const cloud = await crowdedShore();
  const browser = await openTablet();
  closers.push(() => browser.close());
  const { page } = browser;
  await openPeople(page, cloud);

  expect(await rows(page).count()).toBe(25);
  await page.getByText('25 people on page 1.').waitFor();
  const pages = page.getByRole('navigation', { name: 'Pages of people' });
  expect(await pages.getByRole('button', { name: 'Previous' }).isDisabled()).toBe(true);
  await pages.getByRole('button', { name: 'Next' }).click();
  await page.getByText('25 people on page 2.').waitFor();
  await rows(page).filter({ hasText: 'p00024@many.example' }).waitFor();
  await expectAccessible(page, 'list');

  // A search begins at the first page; the latest text counts, however fast it was typed.
  await field(page).pressSequentially('p0777');
  await page.getByText('10 people.').waitFor();
  expect(await rows(page).first().textContent()).toContain('p07770@many.example');
  await field(page).fill('%');
  await page.getByText('No name or address begins with “%”.').waitFor();
  expect(await rows(page).count()).toBe(0);
  await expectAccessible(page, 'nothing found');
  await field(page).fill('x'.repeat(4000));
  await page.getByText(`No name or address begins with “${'x'.repeat(200)}”.`).waitFor();

  await field(page).fill('reef a');
  const row = page.getByRole('button', { name: 'Ana Reef' });
  await row.waitFor();
  for (const fact of ['ana@example.org', 'Expert', 'Verified', 'Last sign-in today'])
    expect(await row.textContent()).toContain(fact);
  await row.focus();
  await page.keyboard.press('Enter');
  const title = page.getByRole('heading', { name: 'Ana Reef' });
  await expect.poll(() => title.evaluate((heading) => heading === document.activeElement)).toBe(true);

  // The handle is picked from the suggestions.
  const link = page.getByRole('form', { name: 'Link this person' });
  await link.getByLabel('Handle of the event or organisation').pressSequentially('Reef');
  const options = page.getByRole('option');
  await expect
    .poll(() => options.allTextContents())
    .toEqual(['reefwatchReef Watch, organisation', 'reefweekReef Week, event']);
  await options.filter({ hasText: 'reefweek' }).click();
  await link.getByRole('button', { name: 'Link to it' }).click();
  await page.getByText('Linked to reefweek.').waitFor();
  await expectAccessible(page, 'person');
  await link.getByLabel('Handle of the event or organisation').pressSequentially('zzz');
  await page.getByText('No event or organisation has a handle that begins like this.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'All people' }).click();
  await expect.poll(() => row.evaluate((control) => control === document.activeElement)).toBe(true);
  expect(await field(page).inputValue()).toBe('reef a');
  expect(await row.textContent()).toContain('In reefweek');
});

test('1§5 the list says when the shore does not answer, and closes when the role is gone', async () => {
  const cloud = await crowdedShore();
  const browser = await openTablet();
  closers.push(() => browser.close());
  const { page } = browser;
  await openPeople(page, cloud);
  await page.context().setOffline(true);
  await field(page).fill('ana');
  const problem = page.getByRole('alert').filter({ hasText: 'The list could not be loaded' });
  await problem.getByText('The shore did not answer. Try again when you have a connection.').waitFor();
  await expectAccessible(page, 'no network');
  await problem.getByRole('button', { name: 'Try again' }).click();
  await problem.waitFor();
  await page.context().setOffline(false);
  await problem.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Ana Reef' }).waitFor();

  const { accounts, database } = cloud.cloud.context;
  await database.pool.query('UPDATE auth.person SET admin = false');
  accounts.callers.clearCache();
  await field(page).fill('anab');
  await page.getByText('Only admins can manage accounts').waitFor();
  expect(await page.getByText('ana@example.org').count()).toBe(0);
});
