import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountCalls, anyone, cloudWithClock, refusal } from '../support/servers/accounts';
import type { TestCloud } from '../support/servers/cloud';
import { startCloud } from '../support/servers/cloud';
import { codeIn, outboxMails } from '../support/servers/mail';

const BOX = 'https://reef-box.local';
const { clock, later } = cloudWithClock();
let cloud: TestCloud;
const { post, enter } = accountCalls(() => cloud);
beforeAll(async () => {
  cloud = await startCloud({ hooks: { clock }, env: { ALLOWED_ORIGINS: BOX } });
});
afterAll(() => cloud.close());

async function start(origin: string, from = origin): Promise<{ readonly status: number; readonly state: string }> {
  const answer = await fetch(`${cloud.url}/api/auth/window/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: from },
    body: JSON.stringify({ origin }),
  });
  return { status: answer.status, state: ((await answer.json()) as { state?: string }).state ?? '' };
}
async function submit(
  fields: Record<string, string>,
): Promise<{ readonly status: number; readonly html: string; readonly answer: Response }> {
  const answer = await fetch(`${cloud.url}/api/auth/window`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(cloud.url).origin },
    body: new URLSearchParams(fields).toString(),
  });
  return { status: answer.status, html: await answer.text(), answer };
}
/** Message that the last page posts, and to which origin. */
function messageIn(html: string): { readonly ticket: string; readonly origin: string } {
  const text = /data-message="([^"]+)"/.exec(html)?.[1]?.replaceAll(/&(?:quot|#34|#x22);/g, '"') ?? '{}';
  return {
    ticket: (JSON.parse(text) as { ticket?: string }).ticket ?? '',
    origin: /data-origin="([^"]+)"/.exec(html)?.[1] ?? '',
  };
}
const finish = (ticket: string, token?: string) =>
  post('/api/auth/window/finish', { ticket }, token === undefined ? {} : { token });
/** Goes through the page with a mailed code; returns the ticket. */
async function ticketByCode(email: string): Promise<string> {
  const { state } = await start(BOX);
  expect((await submit({ state, step: 'mail', email })).html).toContain(email);
  const code = codeIn(outboxMails(cloud.outbox), email);
  const done = await submit({ state, step: 'code', email, code: `${code.slice(0, 3)} ${code.slice(3)}` });
  expect([done.status, messageIn(done.html).origin]).toEqual([200, BOX]);
  expect((await submit({ state, step: 'start' })).status, 'a used state').toBe(400);
  return messageIn(done.html).ticket;
}

describe('protocol: sign-in on the shore’s own page, for an app that a box served', () => {
  it('a code typed there signs the asking page in, once', async () => {
    const email = anyone();
    const ticket = await ticketByCode(email);
    const { status, body } = await finish(ticket);
    expect(status).toBe(200);
    const { body: signedIn } = await post('/api/auth/custom-token', { token: body.token });
    expect(signedIn.user).toMatchObject({ email, isEmailVerified: true });
    expect((await finish(ticket)).status, 'a used ticket').toBe(401);
  });

  it('a password typed there signs in, and a wrong one is refused on the page', async () => {
    const email = anyone();
    const { user } = await enter(email, 'the first one');
    const { state } = await start(BOX);
    expect((await submit({ state, step: 'use-password', email })).html).toContain('type="password"');
    const wrong = await submit({ state, step: 'password', email, password: 'a wrong one' });
    expect([wrong.status, wrong.html]).toEqual([400, expect.stringContaining('The password is incorrect')]);
    expect(wrong.html).not.toContain('a wrong one');
    const right = await submit({ state, step: 'password', email, password: 'the first one' });
    const { body } = await finish(messageIn(right.html).ticket);
    expect((await post('/api/auth/custom-token', { token: body.token })).body.user.uid).toBe(user.uid);
  });

  it('an anonymous person becomes the account that was proven there', async () => {
    const made = await post('/api/fn/sign-in-anonymously', {});
    const { session, user } = (await post('/api/auth/custom-token', { token: made.body.token })).body;
    const email = anyone();
    const { body } = await finish(await ticketByCode(email), session);
    expect((await post('/api/auth/custom-token', { token: body.token })).body.user).toMatchObject({
      uid: user.uid,
      email,
    });
  });

  it('only an allowed page starts, for itself alone, and a stranger’s page gets no ticket', async () => {
    const evil = 'https://evil.example';
    expect((await start(evil)).status).toBe(403);
    expect((await start(BOX, evil)).status).toBe(403);
    expect((await start(evil, BOX)).status).toBe(403);
    const { state } = await start(BOX);
    for (const claimed of [{ origin: evil }, { 'data-origin': evil }])
      expect((await submit({ state, step: 'start', ...claimed })).html).not.toContain('evil');
  });

  it('guessed, forged, expired and used states and tickets open nothing', async () => {
    for (const state of ['', 'x', 'A'.repeat(43)]) expect((await submit({ state, step: 'start' })).status).toBe(400);
    for (const ticket of ['x', 'A'.repeat(43)]) expect((await finish(ticket)).status).toBe(401);
    const { state } = await start(BOX);
    expect((await finish(state)).status, 'a state is no ticket').toBe(401);
    const ticket = await ticketByCode(anyone());
    expect((await submit({ state: ticket, step: 'start' })).status, 'a ticket is no state').toBe(400);
    await later(6 * 60_000, async () => expect((await finish(ticket)).status).toBe(401));
    await later(16 * 60_000, async () => expect((await submit({ state, step: 'start' })).status).toBe(400));
  });

  it('a ticket of someone else’s window names no one but its own person', async () => {
    const [victim, thief] = [anyone(), anyone()];
    const { session } = await enter(thief, 'of the thief');
    const { body } = await finish(await ticketByCode(victim), session);
    expect((await post('/api/auth/custom-token', { token: body.token })).body.user.email).toBe(victim);
    expect((await cloud.get('/api/me', session)).body, 'the session that finished').toMatchObject({
      user: { email: thief },
    });
  });

  it('the page is framed by no one and sends its forms to the shore alone', async () => {
    const { state } = await start(BOX);
    const answer = await fetch(
      `${cloud.url}/api/auth/window?state=${state}&email=${encodeURIComponent('"><script>@x.org')}`,
    );
    const html = await answer.text();
    expect(answer.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
    expect(answer.headers.get('content-security-policy')).toMatch(/form-action 'self'/);
    expect(answer.headers.get('referrer-policy'), 'else a browser sends the forms without an origin').toBe(
      'same-origin',
    );
    const foreign = await fetch(`${cloud.url}/api/auth/window`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
      body: new URLSearchParams({ state, step: 'start' }).toString(),
    });
    expect(foreign.status).toBe(403);
    expect(html).not.toContain('<script>');
    expect(html).toContain(new URL(BOX).host);
    expect(refusal(await post('/api/auth/window/start', { origin: BOX.replace('https', 'http') }))).toEqual({
      status: 403,
      auth: 'auth/unauthorized-domain',
    });
  });
});
