import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import { actAndClose } from '../support/browser/sign-in-page';
import type { ReefResult } from '../../src/domain/results/reef-result';
import { DEMO_CONTENT } from '../../edge-server/demo/demo-content';
import { byDepth } from '../support/depth';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { killPart, processesOf, startAll, startHome, type Started } from '../support/servers/start';
import {
  addPhotographs,
  enterPerson,
  hashesOnTablet,
  pairTablet,
  savedRows,
  startSurvey,
  untilCustody,
} from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 120_000 });

const random = seeded(runSeed());
const folder = mkdtempSync(path.join(tmpdir(), 'reef-e2e-'));
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function home(): string {
  const { folder: own, remove } = startHome();
  cleanUp.push(remove);
  return own;
}

/** All demo photographs of the first survey, or of all: each is rendered, sent twice and shrunk in six ways. */
const DEMO: Readonly<Record<string, string>> = byDepth({ commit: { DEMO_SURVEYS: '1' }, release: {} });
const DEMO_PHOTOGRAPHS = DEMO_CONTENT.surveys
  .slice(0, Number(DEMO['DEMO_SURVEYS'] ?? DEMO_CONTENT.surveys.length))
  .reduce((sum, { habitats }) => sum + habitats.length, 0);

function start(at: string, env: Readonly<Record<string, string>> = {}): Started {
  const started = startAll(at, { ...DEMO, ...env });
  cleanUp.push(() => started.end('SIGTERM'));
  return started;
}

async function tablet(url: string): Promise<TestTablet> {
  const browser = await openTablet({ installs: true, charts: true });
  cleanUp.push(() => browser.close());
  // A killed box is restarting.
  await expect
    .poll(() =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  await browser.page.goto(url);
  return browser;
}

/** Printed text, as a person reads it. */
async function welcomed(started: Started): Promise<{ aboard: string; ashore: string; code: string }> {
  await started.says(/is up\.[\s\S]*Ctrl-C stops all of it/);
  const [, aboard = ''] = await started.says(/Aboard +(\S+)/);
  const [, ashore = ''] = await started.says(/Ashore +(\S+)/);
  const [, first = '', second = ''] = await started.says(/Pair with +(\w{4}) (\w{4})/);
  return { aboard, ashore, code: `${first}${second}` };
}

/** Signs in ashore with the code that the terminal shows, as a visitor would. */
async function signedIn(started: Started, ashore: string, email: string): Promise<string> {
  const post = async (place: string, body: unknown): Promise<Record<string, string>> =>
    (await (
      await fetch(`${ashore}${place}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()) as Record<string, string>;
  const before = started.printed().length;
  await post('/api/fn/send-user-login-code', { email, path: '/' });
  await started.says(new RegExp(`^[\\s\\S]{${before},}login code was asked for ashore: (\\d+)`));
  const code = /ashore: (\d+)/.exec(started.printed().slice(before))?.[1];
  const { token } = await post('/api/fn/verify-user-login-code', { email, verificationCode: code });
  return (await post('/api/auth/custom-token', { token }))['session'] ?? '';
}

/** Sets up the second step of staff with the code that the terminal shows. */
async function setUpSecondStep(started: Started, ashore: string, session: string): Promise<void> {
  const post = async (place: string, body: unknown): Promise<number> =>
    (
      await fetch(`${ashore}/api/account/second-factor/codes${place}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${session}` },
        body: JSON.stringify(body),
      })
    ).status;
  await post('', {});
  const [, code] = await started.says(/second step of staff: (\d{6})/);
  expect(await post('/confirm', { code })).toBe(200);
}

async function noneLeft(at: string): Promise<void> {
  for (let i = 0; processesOf(at).length > 0; i++) {
    if (i > 600) throw new Error(`still running: ${processesOf(at).join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Opens the survey's page from wherever the tablet is. */
async function openSurvey(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('listitem').getByText(name).first().click();
}

/** Waits until so many photographs of the open survey show as pictures, and none as broken. */
async function untilPictures(page: Page, count: number): Promise<void> {
  const shown = () =>
    page
      .locator('li[data-sha256] img')
      .evaluateAll(
        (images) =>
          images.filter((image) => (image as HTMLImageElement).complete && (image as HTMLImageElement).naturalWidth > 0)
            .length,
      );
  await expect.poll(shown, { timeout: 150_000 }).toBe(count);
}

test('protocol: npm start alone carries a whole voyage in browsers through kills of each part', async () => {
  const at = home();
  const first = start(at);
  const { aboard, ashore, code } = await welcomed(first);
  const { page } = await tablet(aboard);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(page, code);
  await startSurvey(page, 'Moore Reef 16-071');
  const pictures = await Promise.all(
    Array.from({ length: 4 }, (_, i) => makePicture(folder, `${i}.jpg`, random, 1000)),
  );
  await addPhotographs(page, pictures);
  // At least one light is on: the box goes away during the rest.
  await expect.poll(async () => (await savedRows(page)).length, { timeout: 150_000 }).toBeGreaterThan(0);
  await killPart(at, 'edge');
  await untilCustody(page, 4, ['box', 'shore'], 240_000);

  // Another person's tablet shows them from the box and adds one, while bridge and cloud are killed.
  const { page: second } = await tablet(aboard);
  await enterPerson(second, { first: 'Tomas', last: 'Reyes', email: 'tomas@example.org' });
  await pairTablet(second, code);
  await openSurvey(second, 'Moore Reef 16-071');
  await killPart(at, 'bridge');
  const fifth = await makePicture(folder, 'fifth.jpg', random, 1000);
  await addPhotographs(second, [fifth]);
  await killPart(at, 'cloud');
  for (const one of [page, second]) {
    await untilCustody(one, 5, ['shore'], 240_000);
    await untilPictures(one, 5);
  }

  const token = readFileSync(path.join(at, 'bridge', 'token'), 'utf8').trim();
  expect(statSync(path.join(at, 'bridge', 'token')).mode & 0o777).toBe(0o600);
  const inTheCloud = async (): Promise<string[]> =>
    Promise.all(
      [...pictures, fifth].map(async ({ sha256 }) => {
        const answer = await fetch(`${ashore}/api/blobs/${sha256}`, { headers: { authorization: `Bearer ${token}` } });
        return createHash('sha256')
          .update(Buffer.from(await answer.arrayBuffer()))
          .digest('hex');
      }),
    );
  expect(await inTheCloud()).toEqual([...pictures, fifth].map(({ sha256 }) => sha256));

  // Mara signs in to the cloud at the address from the box and frees space.
  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in ashore' }).click();
  const card = page.getByRole('dialog');
  await card.getByText(`says the shore is ${new URL(ashore).host}`).waitFor();
  expect(await card.getByLabel('Address of the shore').count(), 'no address is asked for').toBe(0);
  const opening = page.waitForEvent('popup');
  await card.getByRole('button', { name: 'Continue at the shore' }).click();
  const window = await opening;
  const before = first.printed().length;
  await window.getByLabel('Your email address').press('Enter');
  await window.getByLabel('Verification code').waitFor();
  await first.says(new RegExp(`^[\\s\\S]{${before},}login code was asked for ashore: (\\d+)`));
  await window.getByLabel('Verification code').fill(/ashore: (\d+)/.exec(first.printed().slice(before))?.[1] ?? '');
  await actAndClose(window, () => window.getByLabel('Verification code').press('Enter'));
  await card.getByRole('heading', { name: 'Your profile' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Signed in ashore' }).waitFor();
  await page.getByRole('link', { name: 'Photographs', exact: true }).click();
  const space = page.getByRole('region', { name: 'Free up space' });
  await space.getByText('of 4 photographs that the shore has too').waitFor();
  await space.getByRole('button', { name: /^Free / }).click();
  await space.getByText(/4 originals are ashore/).waitFor();
  expect(await hashesOnTablet(page)).toEqual([]);
  expect(await inTheCloud()).toEqual([...pictures, fifth].map(({ sha256 }) => sha256));
  await openSurvey(page, 'Moore Reef 16-071');
  await untilCustody(page, 5, ['shore']);
  await untilPictures(page, 5);

  // The demo was added as well and shows on the same tablet.
  await first.says(new RegExp(`Demo content is there: ${DEMO_PHOTOGRAPHS} made photographs`), 420_000);
  await openSurvey(page, 'Moore Reef, front crest (demo)');
  // Their bytes were never on this tablet: the box shows them.
  await page.locator('li[data-sha256] img').nth(9).waitFor();
  await untilCustody(page, 10, ['shore'], 240_000);
  // Anyone finds its reef on the map, with a cover.
  const map = `${ashore}/cdn/map/gbr`;
  const published = async (): Promise<readonly ReefResult[]> =>
    ((await (await fetch(`${map}/results.json`)).json()) as { results: ReefResult[] }).results;
  await expect
    .poll(async () => (await published()).find(({ photographs }) => photographs === 10), { timeout: 420_000 })
    .toMatchObject({
      featureId: DEMO_CONTENT.surveys[0]?.reef.id,
      datasetId: 'grc6',
      analysts: 3,
      covers: expect.any(Object),
    });
  expect((await fetch(`${map}/features.json`)).status).toBe(200);

  // The printed staff sign-in opens the fleet; no other sign-in does.
  const staff = await signedIn(first, ashore, 'staff@demo.invalid');
  await setUpSecondStep(first, ashore, staff);
  const volunteer = await signedIn(first, ashore, 'volunteer@demo.invalid');
  const fleet = (session: string) => fetch(`${ashore}/api/fleet`, { headers: { authorization: `Bearer ${session}` } });
  expect([(await fleet(staff)).status, (await fleet(volunteer)).status]).toEqual([200, 403]);

  await first.end('SIGKILL');
  await noneLeft(at);
  const again = start(at, { EDGE_PORT: new URL(aboard).port });
  expect((await welcomed(again)).code).toBe(code);
  await again.says(/The demo content is there already/);
  await openSurvey(page, 'Moore Reef 16-071');
  await addPhotographs(page, [await makePicture(folder, 'last.jpg', random)]);
  await untilCustody(page, 6, ['shore'], 240_000);
  expect(await again.end('SIGINT')).toBe(0);
  expect(again.printed()).toContain('Stopped.');
  await noneLeft(at);
});

test('protocol: npm start names a taken port in one line and starts nothing', async () => {
  const at = home();
  const taken = net.createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => new Promise((resolve) => taken.close(resolve)));
  const { port } = taken.address() as { port: number };
  for (const name of ['EDGE_PORT', 'CLOUD_PORT']) {
    const started = start(at, { [name]: String(port) });
    expect(await started.ended).toBe(1);
    expect(started.printed().trim().split('\n')).toHaveLength(1);
    expect(started.printed()).toMatch(new RegExp(`Port ${port} is in use .*${name}=`));
  }
  expect(processesOf(at)).toEqual([]);
});

test('protocol: npm start names a wrong setting and stops what it started', async () => {
  const at = home();
  const started = start(at, { EDGE_PAIRING: 'maybe', DEMO: '0' });
  expect(await started.ended).toBe(1);
  expect(started.printed()).toContain('EDGE_PAIRING: must be "required" or "open"');
  expect(started.printed()).toContain('Stopped.');
  await noneLeft(at);
});
