import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AUTH_LIMITS } from '../../../../cloud-sync/api/accounts/auth-limits';
import type { Op } from '../../../../src/domain/op/op';
import type { CloudUser } from '../../../../src/protocol/cloud-auth';
import type { RevocationList } from '../../../../src/protocol/revocations';
import { Revocations } from '../../../../src/protocol/revocations';
import { anyone, cloudWithClock } from '../../../support/servers/accounts';
import type { TestCloud } from '../../../support/servers/cloud';
import { makeOp, newId, surveyOp } from '../../../support/servers/edge-client';
import { outboxMails } from '../../../support/servers/mail';
import type { SignedIn } from '../../../support/servers/people';
import { mailedCode, registerDevice, signIn } from '../../../support/servers/people';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { later, start } = cloudWithClock();
let cloud: TestCloud;

beforeAll(async () => void (cloud = await start()));
afterAll(() => cloud.close());

type Refusal = { error: { code: string; auth?: string; message: string; field?: string } };
type Proven = { ok: boolean; token: string } & Partial<Refusal>;

/** Session from the custom token of any sign-in method. */
async function opened(token: string): Promise<SignedIn> {
  const { status, body } = await cloud.post<SignedIn & Partial<Refusal>>('/api/auth/custom-token', { token }, null);
  if (status !== 200) throw new Error(`custom-token: ${status} ${JSON.stringify(body)}`);
  return { session: body.session, user: body.user };
}
async function anonymous(body: object = {}): Promise<SignedIn> {
  return opened((await cloud.post<Proven>('/api/fn/sign-in-anonymously', body, null)).body.token);
}
/** Requests a link and returns the mailed one. */
async function mailedLink(
  email: string,
  path?: string,
): Promise<{ readonly link: URL; readonly token: string; readonly params: URLSearchParams }> {
  expect((await cloud.post('/api/fn/sendauthenticationlink', { email, path }, null)).status).toBe(200);
  const text = outboxMails(cloud.outbox)
    .filter(({ to }) => to === email)
    .at(-1)!.text;
  const link = new URL(/https?:\/\/\S+#\S+/.exec(text)![0]);
  const params = new URLSearchParams(link.hash.slice(1));
  return { link, token: params.get('token')!, params };
}
const verify = (email: string, token: string, session: string | null = null) =>
  cloud.post<Proven>('/api/fn/verify-authentication-link', { email, token }, session);
const byCode = async (email: string, session: string) => {
  const verificationCode = await mailedCode(cloud, email);
  return opened(
    (await cloud.post<Proven>('/api/fn/verify-user-login-code', { email, verificationCode }, session)).body.token,
  );
};
const me = async (session: string) => (await cloud.get<{ user: CloudUser }>('/api/me', session)).body.user;
const seen = async (token: string) =>
  new Set((await cloud.changes(0, token)).entries.flatMap(({ op }) => (op === undefined ? [] : [op.opId as string])));
const accepted = async (token: string, op: object) => {
  const [result] = await cloud.ops([op], undefined, token);
  return result !== undefined && 'receipt' in result && result.receipt.accepted;
};

describe('3§4: sign-in by a mailed link', () => {
  it('3§4: the link opens this site and signs in once', async () => {
    const email = anyone();
    const { link, token, params } = await mailedLink(email, '/reports?reef=1#map');
    expect(link.origin + link.pathname + link.search).toBe('https://reef.example/sign-in');
    expect([params.get('email'), params.get('path')]).toEqual([email, '/reports?reef=1#map']);
    const { user } = await opened((await verify(` ${email.toUpperCase()}`, token)).body.token);
    expect(user).toMatchObject({ email, isEmailVerified: true, anonymous: false });
    const again = await verify(email, token);
    expect(again.status).toBe(400);
    expect(again.body.error).toMatchObject({ code: 'bad-message', field: 'token' });
    expect((await signIn(cloud, email)).user.uid).toBe(user.uid);
  });

  it('3§4: a link expires after use, after an hour, and for any other address', async () => {
    const email = anyone();
    const first = await mailedLink(email);
    const second = await mailedLink(email);
    expect((await verify(anyone(), first.token)).status).toBe(400);
    const statuses = (await Promise.all(Array.from({ length: 4 }, () => verify(email, second.token)))).map(
      ({ status }) => status,
    );
    expect(statuses.sort()).toEqual([200, 400, 400, 400]);
    expect((await verify(email, first.token)).status).toBe(400);
    const old = await mailedLink(email);
    await later(AUTH_LIMITS.linkLifeMs + 1000, async () => expect((await verify(email, old.token)).status).toBe(400));
  });

  it('1§7, 3§7: known and unknown addresses get the same answer, and no link is stored', async () => {
    const [known, unknown] = [anyone(), anyone()];
    await signIn(cloud, known);
    const send = (email: string) => cloud.post('/api/fn/sendauthenticationlink', { email, path: '/' }, null);
    expect(await send(known)).toEqual(await send(unknown));
    expect(await verify(known, 'x'.repeat(43))).toEqual(await verify(anyone(), 'x'.repeat(43)));
    const { token } = await mailedLink(unknown);
    const { rows } = await cloud.cloud.context.database.pool.query<{ all: string }>(
      'SELECT json_agg(l)::text AS all FROM auth.mail_link l',
    );
    expect(rows[0]!.all).toContain(unknown);
    expect(rows[0]!.all).not.toContain(token);
  });

  it('2§8: an address gets a limited number of links, then a wait text', async () => {
    const email = anyone();
    const statuses: number[] = [];
    for (let n = 0; n < 30 && statuses.at(-1) !== 429; n++)
      statuses.push((await cloud.post('/api/fn/sendauthenticationlink', { email }, null)).status);
    expect(statuses.slice(0, -1).every((status) => status === 200)).toBe(true);
    expect(statuses.length).toBeGreaterThan(3);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('1§6: sign-in without an address', () => {
  it('1§6: an anonymous user has no visible address and the domain of an existing handle', async () => {
    await cloud.cloud.context.database.pool.query(
      `INSERT INTO reference_documents (collection, id, doc) VALUES ('organisations', 'org-1', '{"handle": "Reef-School", "name": "Reef School"}')`,
    );
    const one = await anonymous({ handle: ' reef-school ' });
    expect(one.user).toMatchObject({
      email: '',
      anonymous: true,
      isEmailVerified: false,
      staff: false,
      domains: ['reef-school'],
    });
    expect(await me(one.session)).toEqual(one.user);
    expect((await anonymous({ handle: 'nobodys' })).user.domains).toEqual([]);
    expect((await anonymous({ admin: true, staff: true, anonymous: false })).user).toMatchObject({
      anonymous: true,
      staff: false,
    });
  });

  it('1§5: a placeholder address signs no one in', async () => {
    const { user } = await anonymous();
    const { rows } = await cloud.cloud.context.database.pool.query<{ email: string }>(
      'SELECT "email" FROM auth."user" WHERE "id" = $1',
      [user.uid],
    );
    for (const [place, more] of [
      ['send-user-login-code', {}],
      ['sendauthenticationlink', {}],
      ['verify-authentication-link', { token: 'x' }],
    ] as const) {
      const { status, body } = await cloud.post<Refusal>(`/api/fn/${place}`, { email: rows[0]!.email, ...more }, null);
      expect([status, body.error.auth]).toEqual([400, 'auth/invalid-email']);
    }
  });

  it.each(['code', 'link'] as const)(
    '1§6: an anonymous user upgraded by a %s to a free address keeps the uid',
    async (way) => {
      const one = await anonymous({ handle: 'reef-school' });
      const survey = surveyOp(one.user.uid);
      expect(await accepted(one.session, survey)).toBe(true);
      const email = anyone();
      const full =
        way === 'code'
          ? await byCode(email, one.session)
          : await opened((await verify(email, (await mailedLink(email)).token, one.session)).body.token);
      expect(full.user).toMatchObject({ uid: one.user.uid, email, anonymous: false, isEmailVerified: true });
      expect([...full.user.domains].sort()).toEqual(['example.org', 'reef-school']);
      // Previous holder of the session has no access to the account.
      expect((await cloud.get('/api/me', one.session)).status).toBe(401);
      expect(await seen(full.session)).toContain(survey.opId);
      expect((await signIn(cloud, email)).user.uid).toBe(one.user.uid);
    },
  );

  it('1§6: an address in use signs in to its account, which then sees the unchanged earlier work', async () => {
    const owner = await signIn(cloud, anyone());
    const one = await anonymous();
    const tablet = newId();
    const credential = await registerDevice(cloud, one, tablet);
    const written = (n: number, more: Partial<Op> = {}, body = surveyOp(one.user.uid).body) =>
      makeOp('survey', body, { by: one.user.uid as never, ...more, opId: `${tablet}-${n}` as never });
    const before = written(1);
    expect(await accepted(credential, before)).toBe(true);
    expect(await seen(owner.session)).not.toContain(before.opId);

    const joined = await byCode(owner.user.email, one.session);
    expect(joined.user.uid).toBe(owner.user.uid);
    expect(await seen(joined.session)).toContain(before.opId);
    expect((await cloud.cloud.context.store.document('survey', before.docId))?.folded.doc['user']).toMatchObject({
      uid: one.user.uid,
    });
    expect((await cloud.get('/api/me', one.session)).status).toBe(401);

    // Operations from before the upgrade: sent before and after re-registration, and edited since.
    const between = written(2);
    expect(await accepted(credential, between)).toBe(true);
    expect(await seen(joined.session)).toContain(between.opId);
    const answer = await cloud.post<{ credential: string }>(
      '/api/devices',
      { device: { id: tablet, name: 'Tablet' }, before: credential },
      joined.session,
    );
    const late = written(3);
    expect(await accepted(answer.body.credential, late)).toBe(true);
    expect(await seen(joined.session)).toContain(late.opId);
    const on = written(
      4,
      { by: joined.user.uid as never, lc: 2, over: { name: [] } },
      { ...before.body, name: 'Later' },
    );
    expect(await accepted(answer.body.credential, on)).toBe(true);
  });

  it('1§6: the previous user of a tablet reads nothing of the account that absorbed them', async () => {
    const owner = await signIn(cloud, anyone());
    const own = surveyOp(owner.user.uid);
    expect(await accepted(owner.session, own)).toBe(true);
    const one = await anonymous();
    const credential = await registerDevice(cloud, one);
    const joined = await byCode(owner.user.email, one.session);
    expect(await seen(joined.session)).toContain(own.opId);
    expect(await seen(credential)).not.toContain(own.opId);
  });

  it.each(['code', 'link', 'password'] as const)(
    '1§6: an older box token never belongs to the account reached by a %s',
    async (way) => {
      const one = await anonymous();
      const email = anyone();
      const aboard = async (session: string): Promise<Parameters<Revocations['revokesPerson']>[1]> => {
        const { iat = 0, ended } = decodeJwt<{ ended: number }>(
          (await cloud.get<{ token: string }>('/api/auth/edge-token', session)).body.token,
        );
        return { signedAt: iat * 1000, ended };
      };
      const before = await aboard(one.session);
      const ways = {
        code: () => byCode(email, one.session),
        link: async () => opened((await verify(email, (await mailedLink(email)).token, one.session)).body.token),
        password: async () =>
          opened(
            (await cloud.post<Proven>('/api/fn/create-account', { email, password: 'six of it' }, one.session)).body
              .token,
          ),
      };
      const full = await ways[way]();
      expect(full.user.uid).toBe(one.user.uid);
      const told = new Revocations(
        (await cloud.get<RevocationList & Record<string, unknown>>('/api/reference/revocations')).body,
      );
      expect(told.revokesPerson(one.user.uid, before)).toBe(true);
      expect(told.revokesPerson(one.user.uid, await aboard(full.session))).toBe(false);
    },
  );

  it('1§6: a session with a full account neither shares its uid nor absorbs another', async () => {
    const [ana, ben] = [await signIn(cloud, anyone()), await signIn(cloud, anyone())];
    const survey = surveyOp(ana.user.uid);
    expect(await accepted(ana.session, survey)).toBe(true);
    expect((await byCode(ben.user.email, ana.session)).user.uid).toBe(ben.user.uid);
    const other = await byCode(anyone(), ana.session);
    expect([ana.user.uid, ben.user.uid]).not.toContain(other.user.uid);
    expect(await me(ana.session)).toEqual(ana.user);
    expect(await seen(ben.session)).not.toContain(survey.opId);
  });

  it('1§6: concurrent upgrades give one the uid and sign both in', async () => {
    const one = await anonymous();
    const emails = [anyone(), anyone()];
    const tokens = await Promise.all(emails.map(async (email) => ({ email, token: (await mailedLink(email)).token })));
    const people = await Promise.all(
      tokens.map(async ({ email, token }) => opened((await verify(email, token, one.session)).body.token)),
    );
    expect(people.map(({ user }) => user.email).sort()).toEqual([...emails].sort());
    expect(people.filter(({ user }) => user.uid === one.user.uid)).toHaveLength(1);
  });
});
