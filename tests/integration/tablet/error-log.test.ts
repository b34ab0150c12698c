import { describe, expect, test } from 'vitest';
import type { ErrorGroup } from '../../../src/protocol/cloud-http';
import { STAFF_TOKEN, startCloud, type TestCloud } from '../../support/servers/cloud';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { signInStaff } from '../../support/servers/people';
import { closers } from '../../support/tablet/closers';
import { tablet, type RealTablet } from '../../support/tablet/real-scene';
import { until } from '../../support/tablet/tablet';
import { SURROUNDINGS } from '../../support/surroundings';

/** Its address has what a report must not. */
const ON_SECRET_PAGE = { ...SURROUNDINGS, url: 'https://census.example/surveys/abc123DEF456?code=1#turn=ABCD' };
const EMAIL = 'ana@example.org';
const STACK = 'TypeError: no\n at open (https://census.example/assets/index.js:1:2)';

async function cloud(): Promise<TestCloud> {
  const started = await startCloud();
  closers.push(() => started.close());
  return started;
}

async function signIn({ repositories: { account } }: RealTablet, { url, outbox }: TestCloud): Promise<void> {
  await account.signIn.pinCloud(url);
  await account.signIn.sendCode(EMAIL);
  await account.signIn.withCode(EMAIL, codeIn(outboxMails(outbox), EMAIL));
}

const groups = async (shore: TestCloud, query = ''): Promise<readonly ErrorGroup[]> =>
  (await shore.get<{ groups: ErrorGroup[] }>(`/api/errors${query}`, STAFF_TOKEN)).body.groups;

const reported = (shore: TestCloud, title: string, count: number): Promise<ErrorGroup> =>
  until(
    async () => (await groups(shore)).find((group) => group.title === title && group.count === count),
    `${count} of "${title}"`,
  );

describe('3§7 error log, from a tablet to staff', () => {
  test('1§7, 3§7 errors of a tablet offline reach the shore scrubbed, and staff close their group', async () => {
    const shore = await cloud();
    const one = await tablet({ reports: () => ON_SECRET_PAGE });
    const { log } = one.host;
    log.note('error', `Mail to ${EMAIL} failed`, {
      file: 'Ana at sea.jpg',
      token: 'eyJhbGciOiJIUzI1NiJ9.eyJ1aWQiOiJ4In0.abcdefg',
    });
    log.note('error', 'Took 12 ms too long', { stack: STACK });
    log.note('warn', 'Not reported.');
    expect(await groups(shore)).toEqual([]);

    await signIn(one, shore);
    const mail = await reported(shore, 'Mail to {email} failed', 1);
    expect(mail.version).toBe('0.1.0');
    expect(mail.example).toMatchObject({
      ...ON_SECRET_PAGE,
      method: 'error',
      url: 'https://census.example/surveys/{id}',
      version: '0.1.0',
    });
    expect(JSON.stringify(await groups(shore))).not.toMatch(/ana@|Ana at sea|eyJhbGci|code=|turn=|abc123|email"/);
    await reported(shore, 'Took {n} ms too long', 1);

    await one.context.connectivity.setOffline(true);
    log.note('error', 'Took 15 ms too long', { stack: STACK });
    const seen = await reported(shore, 'Took {n} ms too long', 1);
    expect((await shore.post('/api/errors/close', { id: seen.id, count: 1 }, STAFF_TOKEN)).body).toEqual({
      ok: true,
      closed: true,
    });
    expect((await groups(shore, '?closed=true')).map(({ title }) => title)).toEqual(['Took {n} ms too long']);
    await one.context.connectivity.setOffline(false);
    const again = await reported(shore, 'Took {n} ms too long', 2);
    expect(again).toMatchObject({
      closedAt: null,
      firstAt: seen.firstAt,
      example: { message: `Took 15 ms too long\n${STACK}` },
    });
    expect(again.lastAt > seen.lastAt).toBe(true);
    expect(
      (await shore.post('/api/errors/close', { id: seen.id, count: 1 }, STAFF_TOKEN)).body,
      'more than seen',
    ).toEqual({ ok: true, closed: false });
  });

  test('3§7 the console shows groups with an example, closes one and says if more arrived', async () => {
    const shore = await cloud();
    const { session } = await signInStaff(shore, 'staff@example.org');
    const page = async (method: string, place: string, form?: Record<string, string>) => {
      const answer = await fetch(shore.url + place, {
        method,
        redirect: 'manual',
        headers: { cookie: `reef-console=${session}` },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    expect((await page('GET', '/console')).text).toContain('No open reports.');
    const report = { message: `<b>It broke</b>\n${STACK}`, version: '0.1.0' };
    for (const version of ['0.1.0', '0.2.0', '0.1.0'])
      expect((await shore.post('/api/log', { ...report, version }, null)).status).toBe(200);
    expect((await page('GET', '/console')).text).toContain('2 errors reported.');
    const shown = (await page('GET', '/console/errors')).text;
    expect(shown).toContain('&#60;b&#62;It broke&#60;/b&#62;');
    expect(shown).toContain('TypeError: no\n at open (https://census.example/assets/index.js:1:2)');
    const group = (await groups(shore)).find(({ count }) => count === 2)!;
    const stale = await page('POST', '/console/errors', { id: group.id, count: '1' });
    expect([stale.status, stale.text.includes('was reported again')]).toEqual([409, true]);
    expect((await page('POST', '/console/errors', { id: group.id, count: '2' })).status).toBe(303);
    expect((await page('GET', '/console/errors')).text).toContain('Closed errors (1)');
    expect((await page('GET', '/console/errors?closed=true')).text).toContain('1 error closed.');
  });
});
