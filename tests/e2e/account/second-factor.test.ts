import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import { afterEach, expect, test, vi } from 'vitest';
import { axeFaults } from '../../support/browser/axe';
import { switchTheme } from '../../support/browser/screens';
import { openTablet } from '../../support/browser/shared-browser';
import { installApp } from '../../support/browser/tablet-page';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { registerDevice, signIn } from '../../support/servers/people';

vi.setConfig({ testTimeout: 300_000 });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../../dist/app', import.meta.url));
const EMAIL = 'staff@example.org';

test('1§6 staff add a passkey, revoke a tablet, pass at the next sign-in, and remove the passkey', async () => {
  const cloud = await startCloud({ hooks: { appFolder: APP } });
  closers.push(() => cloud.close());
  await signIn(cloud, EMAIL);
  await cloud.cloud.context.accounts.people.setStaff(EMAIL, true);
  const browser = await openTablet();
  closers.push(() => browser.close());
  const { context, page } = browser;
  // An address without a name has no passkeys.
  const site = cloud.url.replace('127.0.0.1', 'localhost');
  const dialog = page.getByRole('dialog');
  const enter = async (title: string): Promise<void> => {
    await page.getByRole('button', { name: 'Sign in to get started' }).click();
    await dialog.getByLabel('Email').fill(EMAIL);
    await dialog.getByLabel('Email').press('Enter');
    await dialog.getByLabel('Verification code').waitFor();
    await dialog.getByLabel('Verification code').fill(codeIn(outboxMails(cloud.outbox), EMAIL));
    await dialog.getByRole('button', { name: 'Login' }).click();
    await dialog.getByRole('heading', { name: title }).waitFor();
  };
  await page.goto(`${site}/you`);
  // Loads axe by a debugging session, whose end would take the authenticator along.
  expect(await axeFaults(page)).toEqual([]);
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasUserVerification: true, isUserVerified: true },
  });
  await enter('Set up your second step');
  await dialog.getByRole('button', { name: 'Set it up' }).click();
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  await dialog.getByLabel('Name of the passkey').fill('My tablet');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.getByRole('button', { name: 'I wrote them down' }).click();
  await dialog.getByRole('button', { name: 'Remove the passkey My tablet' }).waitFor();
  for (const theme of ['light', 'deck'] as const) {
    await switchTheme(page, theme);
    expect(await axeFaults(page)).toEqual([]);
  }
  expect((await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials).toHaveLength(1);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Accounts, roles and who changed them' }).click();
  await expectRevokesTablet(cloud, page);
  await page.getByRole('link', { name: 'You', exact: true }).click();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Who is using this tablet?' }).waitFor();
  await enter('Confirm that it is you');
  await dialog.getByRole('button', { name: 'Use a passkey' }).click();
  await dialog.getByRole('heading', { name: 'Your profile' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Accounts, roles and who changed them' }).waitFor();

  await page.getByRole('button', { name: 'Your profile' }).click();
  await dialog.getByRole('button', { name: 'Account', exact: true }).click();
  await dialog.getByRole('button', { name: 'Remove the passkey My tablet' }).click();
  await dialog.getByText('None yet. Your role counts once you have set one up.').waitFor();
});

/** Staff revoke another person's tablet on the page of accounts; the shore refuses its reads from then on. */
async function expectRevokesTablet(cloud: TestCloud, page: Page): Promise<void> {
  const credential = await registerDevice(cloud, await signIn(cloud, 'ana@example.org'));
  expect((await cloud.get('/api/changes?since=0', credential)).status).toBe(200);
  await page.getByRole('searchbox', { name: 'Name or email address' }).fill('ana@example.org');
  await page
    .getByRole('list', { name: 'People, by name' })
    .getByRole('button', { name: /ana@example\.org/ })
    .click();
  await page.getByRole('button', { name: 'Revoke Tablet' }).click();
  const question = page.getByRole('alertdialog', { name: 'Revoke Tablet of ana@example.org?' });
  await question.waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await question.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText(/^Revoked .+: it only sends$/).waitFor();
  expect(await page.getByRole('button', { name: 'Revoke Tablet' }).count()).toBe(0);
  expect((await cloud.get('/api/changes?since=0', credential)).body).toMatchObject({ error: { field: 'device' } });
}

test('1§6 staff add a passkey at the fleet console, and open it with that the next time', async () => {
  const cloud = await startCloud({ hooks: { appFolder: APP } });
  closers.push(() => cloud.close());
  await signIn(cloud, EMAIL);
  await cloud.cloud.context.accounts.people.setStaff(EMAIL, true);
  const browser = await openTablet({ installs: true });
  closers.push(() => browser.close());
  const { context, page } = browser;
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { protocol: 'ctap2', transport: 'internal', hasUserVerification: true, isUserVerified: true },
  });
  const site = cloud.url.replace('127.0.0.1', 'localhost');
  await installApp(page, site);
  const enter = async (): Promise<void> => {
    const { session } = await signIn(cloud, EMAIL);
    await context.addCookies([{ name: 'reef-console', value: session, domain: 'localhost', path: '/console' }]);
    await page.goto(`${site}/console`);
  };
  await enter();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByLabel('To tell it from others').fill('My laptop');
  await page.getByRole('button', { name: 'Add the passkey' }).click();
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  await page.getByRole('link', { name: 'I wrote them down' }).click();
  await page.getByRole('heading', { name: 'Register a box' }).waitFor();

  await enter();
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByRole('heading', { name: 'Register a box' }).waitFor();
});
