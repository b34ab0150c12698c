/** Sign-in steps on a page, as a person takes them. */
import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';
import type { MailServer } from '../servers/mail';
import { codeIn } from '../servers/mail';
import { axeFaults, axeThemeFaults } from './axe';
import type { ScreenTheme } from './screens';
import { SIZES, switchTheme } from './screens';
import { readTabletStore } from './tablet-database';

/** Dialog over the page. */
export const overlay = (page: Page): Locator => page.getByRole('dialog');

/** Expects axe to find no fault on the page, on a tablet and on a phone, and no content wider than the screen. */
export async function expectAccessible(page: Page, themes: readonly ScreenTheme[] = []): Promise<void> {
  for (const { name, width, height } of SIZES.slice(0, 2)) {
    await page.setViewportSize({ width, height });
    for (const [i, theme] of (themes.length === 0 ? [null] : themes).entries()) {
      if (theme !== null) {
        await switchTheme(page, theme);
        await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe(theme);
      }
      const faults = i === 0 ? axeFaults : axeThemeFaults;
      expect(await faults(page), `${name}, ${theme ?? 'as it is'}`).toEqual([]);
    }
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
      `no wider than a ${name}`,
    ).toBe(true);
  }
  if (themes.length > 0) await switchTheme(page, 'light');
  await page.setViewportSize({ width: 1180, height: 820 });
}

/**
 * Acts and waits for a notice, which the page shows for seconds: the page itself watches from before, so that a busy
 * machine misses none.
 */
export async function withNotice(page: Page, text: string, act: () => Promise<unknown>): Promise<void> {
  await page.evaluate((wanted) => {
    const notices = window as { noticeShown?: string };
    delete notices.noticeShown;
    const observer = new MutationObserver(() => {
      if (!document.body.textContent.includes(wanted)) return;
      observer.disconnect();
      notices.noticeShown = wanted;
    });
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  }, text);
  await act();
  await page.waitForFunction((wanted) => (window as { noticeShown?: string }).noticeShown === wanted, text);
}

/** Signs out on the tablet, with or without unsent work. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  const gone = page.getByRole('heading', { name: 'Who is using this tablet?' });
  const allTheSame = page.getByRole('button', { name: 'Sign out anyway' });
  await gone.or(allTheSame).first().waitFor();
  // The profile may or may not be ashore by now.
  if (await allTheSame.isVisible()) await allTheSame.click();
  await gone.waitFor();
}

/** Uid of the current user in the tablet's database; empty if none. */
export function uidHere(page: Page): Promise<string> {
  return page.evaluate(readPersonUid);
}

/** Runs in the page: see {@link uidHere}. */
export function readPersonUid(): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const opening = indexedDB.open('reef-ops');
    opening.onerror = () => reject(new Error('the storage could not be opened'));
    opening.onsuccess = () => {
      const asking = opening.result.transaction('meta').objectStore('meta').get('person');
      asking.onsuccess = () => {
        opening.result.close();
        resolve((asking.result as { value: { uid: string } | null } | undefined)?.value?.uid ?? '');
      };
    };
  });
}

/** Number of operations in the tablet's database without any receipt. */
export async function unsentHere(page: Page): Promise<number> {
  const ops = await readTabletStore<string>(page, 'ops', 'getAllKeys');
  const receipts = await readTabletStore<readonly [opId: string]>(page, 'receipts', 'getAllKeys');
  const sent = new Set(receipts.map(([opId]) => opId));
  return ops.filter((opId) => !sent.has(opId)).length;
}

/** Requested mail, by the label of its button. */
export type Mailed = 'Email me a code' | 'Email me a link instead';

/** Requests it in the open sign-in, and waits until the mail has arrived. */
export async function askForMail(
  page: Page,
  mail: Pick<MailServer, 'mails'>,
  email: string,
  how: Mailed,
): Promise<void> {
  await overlay(page).getByLabel('Email').fill(email);
  const before = mail.mails.length;
  await overlay(page).getByRole('button', { name: how }).click();
  await overlay(page)
    .getByText(`We have sent an email with a ${how === 'Email me a code' ? 'code' : 'link'} to ${email}`)
    .waitFor();
  expect(mail.mails.length).toBe(before + 1);
}

/** Signs in by a mailed code, with the dialog open or closed; enters a missing name. */
export async function enterByCode(
  page: Page,
  mail: Pick<MailServer, 'mails'>,
  email: string,
  name?: string,
): Promise<string> {
  if (!(await overlay(page).isVisible())) await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await askForMail(page, mail, email, 'Email me a code');
  await overlay(page).getByLabel('Verification code').fill(codeIn(mail.mails, email));
  await overlay(page).getByLabel('Verification code').press('Enter');
  await overlay(page).getByRole('heading', { name: 'Your profile' }).waitFor();
  if (name !== undefined) await fillInName(page, name);
  return uidHere(page);
}

/** Fills in a missing name in the open profile. */
export async function fillInName(page: Page, name: string): Promise<void> {
  await overlay(page).getByLabel('First name').fill(name);
  await overlay(page).getByRole('button', { name: 'Save' }).click();
  await overlay(page).getByRole('button', { name: 'Edit' }).waitFor();
}

/** Stores a notice as the tablet stores the box's; how it arrives is tested without a browser. */
export function keepNotice({ words, uid }: { readonly words: string; readonly uid: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('reef-ops');
    opening.onerror = () => reject(new Error('the storage could not be opened'));
    opening.onsuccess = () => {
      const writing = opening.result.transaction('meta', 'readwrite');
      writing.objectStore('meta').put({ key: 'boxNotice', value: { words, uid, isRead: false } });
      writing.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}

/** Stores the account of a person who signed in ashore, with a token for boxes. */
export function keepAccount({ uid, edgeToken }: { readonly uid: string; readonly edgeToken: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('reef-ops');
    opening.onerror = () => reject(new Error('the storage could not be opened'));
    opening.onsuccess = () => {
      const writing = opening.result.transaction('accounts', 'readwrite');
      writing
        .objectStore('accounts')
        .put({
          nodeId: 'CloudOfTheTests01',
          session: 'none',
          uid,
          email: 'admin@example.org',
          edgeToken,
          signedInAt: new Date().toISOString(),
        });
      writing.oncomplete = () => {
        opening.result.close();
        resolve();
      };
    };
  });
}

/**
 * Acts in a window that closes at once, and waits until it has: an action that the closing overtakes is reported as
 * failed, though it was done.
 */
export async function actAndClose(window: Page, act: () => Promise<void>): Promise<void> {
  const closed = window.waitForEvent('close');
  await Promise.any([closed, act()]);
  await closed;
}
