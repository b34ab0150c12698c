import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fleetReport } from '../fleet-report';
import { STAFF_TOKEN, startCloud } from '../servers/cloud';
import { newId, surveyOp } from '../servers/edge-client';
import { startEdge } from '../servers/edge';
import { signInStaff } from '../servers/people';
import { openTablet } from './shared-browser';
import type { State } from './states';

/** Pages of the servers for staff, and the ways in, which are ashore; by the name of their picture. */
export const SHORE_STATES = [
  'auth-email',
  'auth-create',
  'console-fleet',
  'console-held',
  'console-errors',
  'console-box',
] as const;

const APP = path.join(fileURLToPath(new URL('../../..', import.meta.url)), 'dist', 'app');
const still = async (): Promise<void> => undefined;

export async function* playShore(undo: (() => Promise<unknown>)[]): AsyncGenerator<State> {
  const password = 'the-admin-token-of-these-pictures';
  const edge = await startEdge({ env: { EDGE_NAME: 'Box 03', EDGE_ADMIN_TOKEN: password } });
  undo.push(() => edge.remove());
  const cloud = await startCloud({ hooks: { appFolder: APP } });
  undo.push(() => cloud.close());
  const { page, context, close } = await openTablet({
    httpCredentials: { username: 'a', password, send: 'always', origin: edge.url },
  });
  undo.push(close);

  await page.goto(`${cloud.url}/you`);
  await page.getByRole('button', { name: 'Sign in to get started' }).click();
  await page.getByRole('dialog').getByLabel('Email').waitFor();
  yield { name: 'auth-email', page, show: still, isPlain: false };
  await page.getByRole('button', { name: 'Create an account' }).click();
  yield { name: 'auth-create', page, show: still, isPlain: false };

  const staff = await signInStaff(cloud, 'staff@example.org');
  const { token } = await cloud.cloud.context.boxes.register('Box 03', null);
  await cloud.ops([{ ...surveyOp(staff.user.uid), schema: 99 }], undefined, staff.session);
  await cloud.ops([{ ...surveyOp(), schema: 99 }], undefined, STAFF_TOKEN);
  const report = { name: 'Box 03', owed: { ops: 12, images: 7, bytes: 1e9 }, disk: { free: 1, size: 100 } };
  await cloud.post('/api/fleet/report', fleetReport(newId(), report), token);
  await cloud.post(
    '/api/log',
    { message: 'A storage query failed.', version: '0.1.0', url: `${cloud.url}/surveys` },
    null,
  );
  await context.addCookies([{ name: 'reef-console', value: staff.session, url: `${cloud.url}/console` }]);
  for (const [name, url] of [
    ['console-fleet', `${cloud.url}/console`],
    ['console-held', `${cloud.url}/console/held`],
    ['console-errors', `${cloud.url}/console/errors`],
    ['console-box', `${edge.url}/edge/console`],
  ] as const) {
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    yield { name, page, show: still, isPlain: true };
  }
}
