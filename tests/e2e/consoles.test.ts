import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import { expect, test, vi } from 'vitest';
import { SERVER_PATHS } from '../../src/protocol/server-paths';
import { axeFaults } from '../support/browser/axe';
import { SIZES, THEMES } from '../support/browser/screens';
import { openTablet } from '../support/browser/shared-browser';
import { installApp } from '../support/browser/tablet-page';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import { startEdge } from '../support/servers/edge';
import { fleetReport } from '../support/fleet-report';
import { newId, pairedClient, photograph, surveyOp } from '../support/servers/edge-client';
import { signInStaff } from '../support/servers/people';

vi.setConfig({ testTimeout: 300_000 });

const TITLES = {
  edge: 'Box 03 is working',
  cloud: 'The fleet',
  quarantine: 'Records on hold',
  errors: 'Errors of apps',
} as const;
/** The built app, as the cloud serves it. */
const APP = fileURLToPath(new URL('../../dist/app', import.meta.url));

test('protocol, Edge HTTP and Cloud HTTP: both consoles are accessible and fit in every theme', async () => {
  const edge = await startEdge({ env: { EDGE_NAME: 'Box 03', EDGE_ADMIN_TOKEN: 'the-admin-token-of-the-test' } });
  const cloud = await startCloud({ hooks: { appFolder: APP } });
  // Consoles open for people whose browser has the app installed.
  const browser = await openTablet({
    installs: true,
    httpCredentials: { username: 'a', password: 'the-admin-token-of-the-test', send: 'always', origin: edge.url },
  });
  try {
    const client = await pairedClient(edge);
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    await client.photograph(survey.docId, photograph(4000));
    await fetch(`${edge.url}/edge/bridge`, {
      method: 'POST',
      headers: { authorization: 'Bearer the-admin-token-of-the-test', 'content-type': 'application/json' },
      body: JSON.stringify({
        action: 'report',
        report: {
          at: new Date().toISOString(),
          state: 'no-link',
          words: 'No answer from the cloud since Tuesday. It keeps trying by itself.',
          owed: { ops: 3, images: 1, bytes: 5000 },
          sentToday: 4e8,
          dailyLimit: 1e9,
          doneAt: '2027-01-02T03:04:05.000Z',
          clockDriftMs: -7_200_000,
          verified: { at: '2026-11-20T10:00:00.000Z', asked: 12, missing: 1 },
        },
      }),
    });
    const staff = await signInStaff(cloud, 'staff@example.org');
    const { token } = await cloud.cloud.context.boxes.register('Box 03', null);
    const held = Array.from({ length: 3 }, () => ({ ...surveyOp(staff.user.uid), schema: 99 }));
    await cloud.ops(held, undefined, staff.session);
    await cloud.post(
      '/api/fleet/report',
      fleetReport(newId(), {
        name: 'Box 03',
        owed: { ops: 12, images: 7, bytes: 1e9 },
        disk: { free: 1, size: 100 },
        clockDriftMs: 7_200_000,
      }),
      token,
    );
    await cloud.ops([{ ...surveyOp(), schema: 99 }], undefined, STAFF_TOKEN);
    const stack = `at open (${cloud.url}/assets/index.js:1:2345)`;
    for (const message of [
      `TypeError: Cannot read properties of undefined (reading 'id')\n${stack}`,
      'A storage query failed.',
    ])
      await cloud.post('/api/log', { message, version: '0.1.0', url: `${cloud.url}/surveys` }, null);
    const { context, page } = browser;
    for (const { url } of [edge, cloud]) await installApp(page, url);
    await context.addCookies([{ name: 'reef-console', value: staff.session, url: `${cloud.url}/console` }]);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme === 'dark' ? 'dark' : 'light' });
      // Light and dark follow the device; deck is a choice, stored as the app stores it.
      if (theme === 'deck')
        await context.addCookies([edge, cloud].map(({ url }) => ({ name: 'reef-theme', value: theme, url })));
      for (const [name, url] of [
        ['edge', `${edge.url}/edge/console`],
        ['cloud', `${cloud.url}/console`],
        ['quarantine', `${cloud.url}/console/held`],
        ['errors', `${cloud.url}/console/errors`],
      ] as const) {
        await page.goto(url);
        await page.getByRole('heading', { name: TITLES[name], level: 1 }).waitFor();
        for (const { width, height } of SIZES.slice(0, 2)) {
          await page.setViewportSize({ width, height });
          expect(await axeFaults(page, []), `${name}, ${theme}, ${width}`).toEqual([]);
          expect(
            await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
            `${name}, ${width}`,
          ).toBe(0);
          expect(await smallTargets(page, theme === 'deck' ? 64 : 48), `${name}, ${theme}, ${width}`).toEqual([]);
        }
      }
    }
  } finally {
    await browser.close();
    await edge.remove();
    await cloud.close();
  }
});

test('protocol, Edge HTTP and Cloud HTTP: with the app installed, each path of a server still reaches it', async () => {
  const edge = await startEdge();
  const cloud = await startCloud({ hooks: { appFolder: APP } });
  const { page, close } = await openTablet({ installs: true });
  try {
    const staff = await signInStaff(cloud, 'staff@example.org');
    for (const { url } of [edge, cloud]) {
      await installApp(page, url);
      // The app answers for its own pages, so that the worker is at work.
      expect((await page.goto(`${url}/no-such-page`))?.fromServiceWorker()).toBe(true);
      for (const place of [
        ...SERVER_PATHS,
        'console/held',
        `users/${staff.user.uid}/profile.jpg`,
        'cdn/200/icon/a.svg',
      ]) {
        const reply = await page.goto(`${url}/${place}`);
        expect(reply?.fromServiceWorker(), `${url}/${place}`).toBe(false);
        expect(await reply?.text(), `${url}/${place}`).not.toContain('id="app"');
      }
    }
  } finally {
    await close();
    await edge.remove();
    await cloud.close();
  }
});

test('protocol, Edge HTTP and Cloud HTTP: pages of the servers show the app’s fonts, from their own origin', async () => {
  const edge = await startEdge({ env: { EDGE_ADMIN_TOKEN: 'the-admin-token-of-the-test' } });
  const cloud = await startCloud({ hooks: { appFolder: APP } });
  const { page, close } = await openTablet({
    httpCredentials: { username: 'a', password: 'the-admin-token-of-the-test', send: 'always', origin: edge.url },
  });
  const asked: string[] = [];
  const refused: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => /Content Security Policy/.test(message.text()) && refused.push(message.text()));
  try {
    const { body } = await cloud.post<{ state: string }>('/api/auth/window/start', { origin: cloud.url }, null);
    for (const url of [
      `${edge.url}/edge/console`,
      `${edge.url}/edge/trust`,
      `${cloud.url}/console`,
      `${cloud.url}/api/auth/window?state=${body.state}`,
    ]) {
      asked.length = 0;
      await page.goto(url);
      const families = await page.evaluate(async () => {
        const fonts = await document.fonts.ready;
        return [...fonts].flatMap(({ family, status }) =>
          status === 'loaded' ? [family.replaceAll(/['"]/g, '')] : [],
        );
      });
      expect(new Set(families), url).toEqual(new Set(['Work Sans', 'Poppins']));
      expect(new Set(asked.map((each) => new URL(each).origin)), url).toEqual(new Set([new URL(url).origin]));
      expect(await page.evaluate(() => document.fonts.check("600 17px 'Work Sans'", 'Box')), url).toBe(true);
    }
    expect(refused).toEqual([]);
  } finally {
    await close();
    await edge.remove();
    await cloud.close();
  }
});

/** Touch targets below a minimum height. @param px minimum height */
async function smallTargets(page: Page, px: number): Promise<string[]> {
  const found = await page
    .locator('button, a.button, input:not([type=hidden]), summary, footer a')
    .evaluateAll((elements) =>
      elements.map((element) => ({
        height: element.getBoundingClientRect().height,
        words: element.outerHTML.slice(0, 80),
      })),
    );
  // Nothing is drawn inside a closed disclosure.
  return found.flatMap(({ height, words }) => (height === 0 || height >= px - 0.5 ? [] : [`${height} px: ${words}`]));
}
