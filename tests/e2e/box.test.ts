import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import decodeQR from 'qr/decode.js';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { parseClockCode } from '../../src/domain/survey/camera-clock';
import type { TestTablet } from '../support/browser/browser';
import { openTablet } from '../support/browser/shared-browser';
import type { SessionsReply } from '../../src/protocol/edge-http';
import { request } from '../independent/wire';
import { expectAccessible, keepAccount } from '../support/browser/sign-in-page';
import { hashOnBox } from '../support/servers/client';
import { EdgeClient, newId, surveyOp } from '../support/servers/edge-client';
import { startEdge, type TestEdge } from '../support/servers/edge';
import { startReceiver } from '../support/doubles/nmea-receiver';
import { makePicture } from '../support/pictures';
import { runSeed, seeded } from '../support/seed';
import {
  addPhotographs,
  enterPerson,
  installApp,
  pairTablet,
  startSurvey,
  untilCustody,
} from '../support/browser/tablet-page';

vi.setConfig({ testTimeout: 300_000 });
const random = seeded(runSeed());
const folder = mkdtempSync(path.join(tmpdir(), 'reef-box-'));
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let edge: TestEdge;
/** Tablet with the app installed, without a person and a box at first. */
let tablet: TestTablet;

beforeAll(async () => {
  console.log(`seed ${random.seed}`);
  receiver = await startReceiver([{ lat: -16.8647, lng: 146.2233 }]);
  edge = await startEdge({ tls: 'shared', env: { EDGE_NAME: 'Box 03', GPS_URL: receiver.url } });
  tablet = await openTablet({ trusts: [edge.certificate], installs: true, charts: true });
  await installApp(tablet.page, edge.origin);
});
beforeEach(async () => {
  if (!edge.running) await edge.restart();
});
afterAll(async () => {
  await tablet.close();
  await edge.remove();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Page of an empty tablet. */
async function emptyTablet(): Promise<Page> {
  const { page, close } = await openTablet({ trusts: [edge.certificate] });
  onTestFinished(close);
  return page;
}

test('1§4 Edge: a tablet captures without a server, then pairs by code; each mistake is named', async () => {
  const { page } = tablet;
  await edge.stop();
  await page.reload();
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await startSurvey(page, 'Milln Reef');
  const picture = await makePicture(folder, 'alone.jpg', random, 900);
  await addPhotographs(page, [picture]);
  await untilCustody(page, 1, ['tablet']);

  await page.getByRole('link', { name: 'Box', exact: true }).click();
  await page.getByRole('heading', { name: 'No box yet' }).waitFor();
  // Chart without land: its graticule and the reefs that come with the app.
  const chart = page.getByRole('region', { name: 'Where the box is' });
  await chart
    .getByText(/^\d+° S$/)
    .first()
    .waitFor();
  await chart.getByText('GBRMPA', { exact: false }).waitFor();

  const form = page.getByRole('form', { name: 'Pair with a box' });
  const type = async (address: string, code: string): Promise<void> => {
    await form.getByLabel('Address of the box').fill(address);
    await form.getByLabel('Code').fill(code);
    await form.getByRole('button', { name: 'Pair', exact: true }).click();
  };
  await type('ana@example.org', edge.code);
  await form.getByText('An address looks like').waitFor();
  await type('reef-box-9.local', edge.code);
  await form.getByText('This app belongs to another box').waitFor();
  await type(`box.lan:${edge.port}`, edge.code);
  await form.getByText(`Nothing answers at box.lan:${edge.port}`).waitFor();
  await edge.restart();
  await type(`  BOX.lan:${edge.port}/box `, edge.code === 'K7QF22MD' ? 'K7QF22MC' : 'K7QF-22MD');
  await form.getByText('The box shows a different code now', { exact: false }).waitFor();
  await type(`  BOX.lan:${edge.port}/box `, `${edge.code.slice(0, 4).toLowerCase()}-${edge.code.slice(4)}`);
  await page.getByRole('heading', { name: 'Box 03 is working' }).waitFor();
  await page.getByText('Who is sending').waitFor();

  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('link', { name: /Milln Reef/ }).click();
  await untilCustody(page, 1, ['box']);
  expect(await hashOnBox(edge.audited, picture.sha256)).toBe(picture.sha256);
});

test('1§3 Edge stats: with the box away, chart and last facts survive a restart, with their time', async () => {
  const { page, complaints } = tablet;
  // A box at another address is a complaint of the browser, too: that is another test.
  const before = complaints.length;
  await page.getByRole('link', { name: 'Box', exact: true }).click();
  const first = page.getByRole('heading', { name: 'No box yet' });
  await first.or(page.getByRole('heading', { name: 'Box 03 is working' })).waitFor();
  if (await first.isVisible()) await pairTablet(page, edge.code);
  const chart = page.getByRole('region', { name: 'Where the box is' });
  await chart.getByText('16° 51.9′ S 146° 13.4′ E').waitFor();
  await chart.getByText(/^fix \d+ s old, GPS aboard/).waitFor();
  await page.getByRole('button', { name: 'Manage' }).click();
  await page.getByText(/MB, downloaded .* It works without the box\./).waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();

  await edge.kill();
  await page.reload();
  await page.getByRole('heading', { name: 'Box 03 is not in reach' }).waitFor();
  await page.getByText('Cannot reach the box').waitFor();
  await chart.getByText('16° 51.9′ S 146° 13.4′ E').waitFor();
  await chart.getByText(/^last fix/).waitFor();
  await page.getByText(/^As of .*tablets? (is|are) sending/).waitFor();
  await chart.locator('canvas').waitFor();
  await chart.getByText('Land: Natural Earth', { exact: false }).waitFor();
  expect(
    complaints.slice(before).filter((text) => !/Failed to load resource|net::ERR_|WebSocket connection to/.test(text)),
  ).toEqual([]);
});

test('1§4 Edge: leaving the page during pairing stays on the new screen', async () => {
  const page = await emptyTablet();
  await page.addInitScript(() => {
    const first = globalThis.fetch;
    const held = new Promise<void>((resolve) => Object.assign(globalThis, { goOn: resolve }));
    globalThis.fetch = async (...args) => {
      if (String(args[0]).includes('/edge/keys')) await held;
      return first(...args);
    };
  });
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await page.getByRole('link', { name: 'Box', exact: true }).click();
  await page.getByLabel('Code').fill(edge.code);
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  await page.getByRole('link', { name: 'Surveys', exact: true }).click();
  await page.getByRole('heading', { name: 'Surveys' }).waitFor();
  await page.evaluate(() => (globalThis as unknown as { goOn: () => void }).goOn());
  await page.getByText('Box in reach').waitFor();
  expect(new URL(page.url()).pathname).toBe('/surveys');
});

test('protocol, EDGE_PAIRING: a scanned link fills in the code; a paired tablet shows the next', async () => {
  const page = await emptyTablet();
  const code = `${edge.code.slice(0, 4)}-${edge.code.slice(4)}`;
  await page.goto(`${edge.origin}/box?pair=${code}`);
  const form = page.getByRole('form', { name: 'Pair with a box' });
  await form.waitFor();
  expect((await form.getByLabel('Code').inputValue()).replace(' ', '-')).toBe(code);
  await form.getByRole('button', { name: 'Pair', exact: true }).click();
  await page.getByRole('heading', { name: 'Box 03 is working' }).waitFor();
  await form.waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');

  const shown = await qrOf(page, 'Address of the box, to scan with another tablet');
  expect(shown).toBe(`${edge.origin}/box?pair=${code}`);
});

test('2§2 aboard the profile has name and organisation, and no place, which only the shore can search', async () => {
  const page = await emptyTablet();
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Nia', last: 'Wolf', email: 'nia@example.org' });
  await pairTablet(page, edge.code);
  await page.getByRole('link', { name: 'You', exact: true }).click();
  await page.getByRole('button', { name: 'Your profile' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
  const form = page.getByRole('form', { name: 'Profile' });
  await form.getByRole('combobox', { name: /Organisation/ }).waitFor();
  await form.getByLabel('First name').waitFor();
  expect(await form.getByRole('combobox', { name: 'Location' }).count()).toBe(0);
});

test('3§3 Image: the clock page shows the box’s time as a camera-readable code', async () => {
  const page = await emptyTablet();
  await page.goto(edge.origin);
  await enterPerson(page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await page.goto(`${edge.origin}/box/clock`);
  await page.getByText('The box does not answer: this is the tablet’s own clock.', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'Back to the box' }).click();
  await page.getByLabel('Code').fill(edge.code);
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  await page.getByRole('heading', { name: 'Box 03 is working' }).waitFor();
  await page.getByRole('link', { name: 'The box’s clock, for cameras' }).click();
  await page.getByText('The clock of Box 03', { exact: false }).waitFor();
  const before = Date.now();
  const seen = parseClockCode(await readQr(await page.screenshot()));
  // Box, tablet and test share this machine's clock: the code was drawn in the second that began before the picture.
  expect(seen).not.toBeNull();
  expect(seen ?? 0).toBeGreaterThan(before - 30_000);
  expect(seen ?? 0).toBeLessThanOrEqual(Date.now());
  expect((seen ?? 1) % 1000).toBe(0);
  const again = page.locator('[data-utc]');
  const first = await again.getAttribute('data-utc');
  await expect.poll(() => again.getAttribute('data-utc'), { timeout: 20_000 }).not.toBe(first);
});

test('protocol: an admin unpairs a tablet on the box’s page; it sends, sees nothing and pairs with the new code', async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const asAdmin = { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' };
  const call = (method: string, place: string, body?: object) =>
    request(edge.url + place, {
      method,
      headers: asAdmin,
      ca: edge.ca,
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'cloud-1', alg: 'EdDSA' };
  expect((await call('PUT', '/edge/reference/jwks', { keys: [jwk] })).status).toBe(200);
  const lost = await EdgeClient.connect(edge.url, { rejectUnauthorized: false });
  onTestFinished(() => lost.close());
  await lost.verify({ code: edge.code, device: { id: lost.deviceId, name: 'Lost tablet' } });

  const page = await emptyTablet();
  await page.goto(edge.origin);
  const uid = newId();
  await enterPerson(page, { first: 'Ada', last: 'Reef', email: 'admin@example.org' });
  await pairTablet(page, edge.code);
  const edgeToken = await new SignJWT({
    sub: uid,
    aud: 'edge',
    email: 'admin@example.org',
    name: 'Ada Reef',
    admin: true,
  })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'cloud-1' })
    .setIssuedAt()
    .setExpirationTime('120d')
    .sign(privateKey);
  await page.evaluate(keepAccount, { uid, edgeToken });
  await page.reload();
  const row = page.getByRole('listitem', { name: 'Lost tablet' });
  await row.getByRole('button', { name: 'Unpair' }).click();
  await row.getByText('Unpaired aboard: it only sends').waitFor();
  await expectAccessible(page, ['light', 'deck']);

  const again = await EdgeClient.connect(edge.url, { rejectUnauthorized: false }, lost.deviceId);
  onTestFinished(() => again.close());
  expect(await again.verify({ session: lost.session })).toMatchObject({ ended: 'unpaired', user: null });
  expect(await again.send('query', { name: 'surveys' })).toMatchObject({ error: { code: 'forbidden' } });
  expect(await again.send('survey', { op: surveyOp() })).toMatchObject({ ok: true, receipt: { accepted: true } });

  // The admin's own tablet is unpaired by the console: it says why, and asks for the code, which has changed twice.
  const { sessions } = JSON.parse((await call('GET', '/edge/sessions')).body.toString('utf8')) as SessionsReply;
  const own = sessions.find(({ ended, person }) => ended === null && person === 'Ada Reef');
  expect((await call('POST', '/edge/sessions/end', { id: own?.id, unpair: true })).status).toBe(200);
  await page.getByText('This tablet was unpaired aboard.', { exact: false }).waitFor();
  const form = page.getByRole('form', { name: 'Pair with a box' });
  await form.getByLabel('Code').fill(edge.code);
  await form.getByRole('button', { name: 'Pair', exact: true }).click();
  await form.getByText('The box shows a different code now', { exact: false }).waitFor();
  const { code } = JSON.parse((await call('GET', '/edge/pairing')).body.toString('utf8')) as { code: string };
  await form.getByLabel('Code').fill(code);
  await form.getByRole('button', { name: 'Pair', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'Who has access' }).waitFor();
});

async function qrOf(page: Page, name: string): Promise<string> {
  return readQr(await page.getByRole('img', { name }).screenshot());
}

async function readQr(png: Buffer): Promise<string> {
  const { data, info } = await sharp(png)
    .flatten({ background: '#ffffff' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return decodeQR({ width: info.width, height: info.height, data: new Uint8ClampedArray(data) });
}
