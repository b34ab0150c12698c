import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { type TestBrowser, makeProfile, openBrowser } from '../support/browser';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import { processesOf, startAll, startHome, type Started } from '../support/start';
import { addPhotographs, enterPerson, pairTablet, startSurvey, untilCustody } from '../support/tablet-page';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

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

function start(at: string, env: Readonly<Record<string, string>> = {}): Started {
  const started = startAll(at, env);
  cleanUp.push(() => started.end('SIGTERM'));
  return started;
}

async function tablet(url: string): Promise<TestBrowser> {
  const profile = await makeProfile();
  const browser = await openBrowser({ profile: profile.folder });
  cleanUp.push(async () => {
    await browser.kill();
    await profile.remove();
  });
  await browser.page.goto(url);
  return browser;
}

/** What it prints for a person, read as a person would. */
async function welcomed(started: Started): Promise<{ aboard: string; ashore: string; code: string }> {
  await started.says(/is up\.[\s\S]*Ctrl-C stops all of it/);
  const [, aboard = ''] = await started.says(/Aboard +(\S+)/);
  const [, ashore = ''] = await started.says(/Ashore +(\S+)/);
  const [, first = '', second = ''] = await started.says(/Pair with +(\w{4}) (\w{4})/);
  return { aboard, ashore, code: `${first}${second}` };
}

/** Signs in ashore with the code that the terminal shows, as a visitor would. */
async function signedIn(started: Started, ashore: string, email: string): Promise<string> {
  const post = async (place: string, body: unknown): Promise<Record<string, string>> => (await (await fetch(`${ashore}${place}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json()) as Record<string, string>;
  const before = started.printed().length;
  await post('/api/fn/send-user-login-code', { email, path: '/' });
  await started.says(new RegExp(`^[\\s\\S]{${before},}login code was asked for ashore: (\\d+)`));
  const code = /ashore: (\d+)/.exec(started.printed().slice(before))?.[1];
  const { token } = await post('/api/fn/verify-user-login-code', { email, verificationCode: code });
  return (await post('/api/auth/custom-token', { token }))['session'] ?? '';
}

async function noneLeft(at: string): Promise<void> {
  for (let i = 0; processesOf(at).length > 0; i++) {
    if (i > 600) throw new Error(`still running: ${processesOf(at).join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('protocol: npm start alone: a survey taken at the edge\'s address is in the cloud, photographs and all, and every light is on; killed outright, it leaves nothing running and goes on', async () => {
  const at = home();
  const first = start(at);
  const { aboard, ashore, code } = await welcomed(first);
  const { page } = await tablet(aboard);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await pairTablet(page, code);
  await startSurvey(page, 'Moore Reef 16-071');
  const pictures = await Promise.all(['1.jpg', '2.jpg', '3.jpg'].map((name) => makePicture(folder, name, random)));
  await addPhotographs(page, pictures);
  await untilCustody(page, 3, ['shore'], 240_000);

  const token = readFileSync(path.join(at, 'bridge', 'token'), 'utf8').trim();
  expect(statSync(path.join(at, 'bridge', 'token')).mode & 0o777).toBe(0o600);
  for (const { sha256 } of pictures) {
    const answer = await fetch(`${ashore}/api/blobs/${sha256}`, { headers: { authorization: `Bearer ${token}` } });
    expect(createHash('sha256').update(Buffer.from(await answer.arrayBuffer())).digest('hex')).toBe(sha256);
  }

  // The demo came beside it, and shows to the same tablet.
  await first.says(/Demo content is there: 41 made photographs/);
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByText('Moore Reef, front crest (demo)').first().click();
  // No byte of them was ever on this tablet: the box shows them.
  await page.locator('li[data-sha256] img').nth(9).waitFor();
  await untilCustody(page, 10, ['shore'], 240_000);

  // The sign-in that it printed for staff lets somebody in who may see the fleet, and nobody else may.
  const staff = await signedIn(first, ashore, 'staff@demo.invalid');
  const volunteer = await signedIn(first, ashore, 'volunteer@demo.invalid');
  const fleet = (session: string) => fetch(`${ashore}/api/fleet`, { headers: { authorization: `Bearer ${session}` } });
  expect([(await fleet(staff)).status, (await fleet(volunteer)).status]).toEqual([200, 403]);

  await first.end('SIGKILL');
  await noneLeft(at);
  const second = start(at, { EDGE_PORT: new URL(aboard).port });
  const again = await welcomed(second);
  expect(again.code).toBe(code);
  await second.says(/The demo content is there already/);
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByText('Moore Reef 16-071').first().click();
  await addPhotographs(page, [await makePicture(folder, '4.jpg', random)]);
  await untilCustody(page, 4, ['shore'], 240_000);
  expect(await second.end('SIGINT')).toBe(0);
  expect(second.printed()).toContain('Stopped.');
  await noneLeft(at);
});

test('protocol: npm start names a port that is taken, in one line, before anything is started', async () => {
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

test('protocol: npm start says what is wrong with a setting and stops what it had started', async () => {
  const at = home();
  const started = start(at, { EDGE_PAIRING: 'maybe', DEMO: '0' });
  expect(await started.ended).toBe(1);
  expect(started.printed()).toContain('EDGE_PAIRING: must be "required" or "open"');
  expect(started.printed()).toContain('Stopped.');
  await noneLeft(at);
});
