/**
 * Recorder of one version's cloud for later versions. `scripts/record-version.mjs` copies this file into a checkout of
 * that version and runs it there, so all its imports are that version's. It writes into the given folder: the database
 * (`cloud.sql.gz`), the home (`cloud-home.json.gz`) and the facts that must hold later (`cloud-expected.json`). It
 * needs Debian's PostgreSQL for `pg_dump`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { decodeProtectedHeader } from 'jose';
import { AUTH_LIMITS } from '../../../cloud-sync/api/accounts/auth-limits';
import { canonicalJson } from '../../../src/domain/canonical';
import type { ProviderId } from '../../../src/protocol/accounts';
import { PROVIDERS } from '../../../src/protocol/accounts';
import { STAFF_TOKEN, TestCloud } from '../servers/cloud';
import { debianPrograms } from '../postgres/debian-postgres';
import { imageOp, newId, photograph, sha256, surveyOp } from '../servers/edge-client';
import { codeIn, linkIn, outboxMails } from '../servers/mail';
import { mailedCode, signIn, signInStaff } from '../servers/people';
import { ownServer } from '../postgres/postgres';
import type { Double } from '../doubles/providers';
import { providerEnvironment, startProvider } from '../doubles/providers';

const out = process.argv[2] ?? '';
const SITE = 'https://reef.example';
const PHOTOGRAPH_BYTES = 3_000;
/** Slightly more than a voyage: the second key signs by the end of the recording, and a third one is published. */
const VOYAGE_MS = AUTH_LIMITS.keyPublishedAheadMs + 24 * 3_600_000;

type Reply = Record<string, unknown> & { readonly token: string; readonly session: string };

function write(name: string, content: string): void {
  writeFileSync(path.join(out, name), name.endsWith('.gz') ? gzipSync(content, { level: 9 }) : `${content}\n`);
}

function filesUnder(folder: string, base = folder): { path: string; base64: string }[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory()
      ? filesUnder(file, base)
      : [{ path: path.relative(base, file), base64: readFileSync(file).toString('base64') }];
  });
}

/** Whole database as statements that any client can run, for servers of the dump's version and newer. */
function dumpOf(url: string): string {
  const program = path.join(debianPrograms() ?? '', 'pg_dump');
  return execFileSync(program, ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=1000', url], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
    .split('\n')
    .filter((line) => !/^(\\(un)?restrict |SET transaction_timeout )/.test(line))
    .join('\n');
}

async function record(): Promise<void> {
  mkdirSync(out, { recursive: true });
  const recordedAt = Date.now();
  let ahead = -VOYAGE_MS;
  const server = await ownServer('debian');
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-cloud-'));
  const doubles = await Promise.all(PROVIDERS.map(startProvider));
  const cloud = await TestCloud.start({
    home,
    databaseUrl: server.url,
    hooks: { clock: () => Date.now() + ahead },
    env: { PUBLIC_URL: SITE, ...providerEnvironment(doubles) },
  });
  const post = async (route: string, body: object, token: string | null = null): Promise<Reply> => {
    const { status, body: reply } = await cloud.post<Reply>(route, body, token);
    if (status !== 200) throw new Error(`POST ${route}: ${status} ${JSON.stringify(reply)}`);
    return reply;
  };
  const get = async <Body>(route: string, token: string | null): Promise<Body> => {
    const { status, body } = await cloud.get<Body & Record<string, unknown>>(route, token);
    if (status !== 200) throw new Error(`GET ${route}: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const edgeToken = async (session: string) => {
    const { token } = await get<{ token: string }>('/api/auth/edge-token', session);
    return { token, kid: decodeProtectedHeader(token).kid ?? '', at: Date.now() + ahead };
  };
  const start = (id: ProviderId, mode: 'sign-in' | 'link', session: string | null) =>
    post(`/api/auth/providers/${id}/start`, { mode, origin: SITE }, session) as Promise<unknown> as Promise<{
      readonly url: string;
      readonly state: string;
    }>;
  /** Follows a provider sign-in up to the ticket of the popup's page. */
  const ticket = async (id: ProviderId, person: Double, session: string | null = null): Promise<string> => {
    const { url } = await start(id, session === null ? 'sign-in' : 'link', session);
    const double = doubles.find((one) => one.id === id);
    if (double === undefined) throw new Error(`${id} has no double`);
    double.person = person;
    const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '');
    const page = await (await fetch(new URL(back.pathname + back.search, cloud.url))).text();
    const message = /data-message="([^"]*)"/
      .exec(page)?.[1]
      ?.replace(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
    return (JSON.parse(message ?? '{}') as { ticket: string }).ticket;
  };
  const device = async (session: string): Promise<{ id: string; credential: string }> => {
    const id = newId();
    const { credential } = await post('/api/devices', { device: { id, name: 'Tablet of version 1' } }, session);
    return { id, credential: String(credential) };
  };

  // A voyage ago: the first keys, and a person with a password, a linked provider and a tablet.
  const ana = { email: 'ana@example.org', password: 'turtle seagrass 7', google: { subject: '1001', verified: true } };
  const name = { first: 'Ana', last: 'Tui' };
  const { token: anaProof } = await post('/api/fn/create-account', { email: ana.email, password: ana.password, name });
  const anaSession = (await post('/api/auth/custom-token', { token: anaProof })).session;
  await post(
    '/api/auth/providers/google/finish',
    { ticket: await ticket('google', ana.google, anaSession) },
    anaSession,
  );
  const earlyToken = await edgeToken(anaSession);
  const tablet = await device(anaSession);
  const revoked = await device(anaSession);
  await post('/api/devices/revoke', { device: { id: revoked.id } }, anaSession);

  // Now: the second key signs.
  ahead = 0;
  const lateToken = await edgeToken(anaSession);
  const { token: shortToken } = await get<{ token: string }>('/api/auth/token', anaSession);
  const me = await get<{ user: { uid: string } }>('/api/me', anaSession);
  const ben = await signInStaff(cloud, 'ben@example.org');
  const eve = await signIn(cloud, 'eve@example.org');
  const dan = await signIn(cloud, 'dan@example.org');
  await post(`/api/admin/users/${eve.user.uid}/roles`, { admin: true, isExpert: true, verified: true }, ben.session);
  await post(`/api/admin/users/${dan.user.uid}/roles`, { disabled: true }, ben.session);
  const { body: eveNow } = await cloud.get<{ user: unknown }>('/api/me', eve.session);
  const guest = await post('/api/auth/custom-token', { token: (await post('/api/fn/sign-in-anonymously', {})).token });
  const github = { subject: '2002', email: 'fay@example.org', verified: true };
  const fay = await post('/api/auth/providers/github/finish', { ticket: await ticket('github', github) });
  const fayOpened = await post('/api/auth/custom-token', { token: fay.token });

  // Records and a photograph, delivered by the tablet.
  const survey = surveyOp(me.user.uid);
  const content = photograph(PHOTOGRAPH_BYTES);
  const image = imageOp(survey.docId, content);
  const ofAna = { ...image.body, user: { uid: me.user.uid } };
  await cloud.upload(content, tablet.credential);
  const results = await cloud.ops(
    [survey, { ...image, by: me.user.uid, body: ofAna, sha256: sha256(canonicalJson(ofAna)) }],
    undefined,
    tablet.credential,
  );
  if (results.some((result) => !('receipt' in result && result.receipt.accepted)))
    throw new Error(JSON.stringify(results));
  const box = await cloud.post<{ token: string }>('/api/fleet/boxes', { name: 'Box of version 1' }, STAFF_TOKEN);

  // Each of these is pending and still unused.
  const code = await mailedCode(cloud, 'gus@example.org');
  await post('/api/fn/send-password-reset', { email: eve.user.email });
  const resetCode = codeIn(outboxMails(cloud.outbox), eve.user.email);
  await post('/api/fn/sendauthenticationlink', { email: 'hal@example.org' });
  const link = new URL(linkIn(outboxMails(cloud.outbox), 'hal@example.org'));
  const custom = await post('/api/fn/sign-in-with-password', { email: ana.email, password: ana.password });
  const pending = await start('google', 'sign-in', null);
  const pendingTicket = await ticket('twitter', { subject: '3003' });

  const expected = {
    recordedAt,
    changes: await cloud.changes(0, anaSession),
    site: SITE,
    jwks: await get('/api/auth/jwks', null),
    edgeTokens: [earlyToken, lateToken],
    shortToken,
    people: {
      ana: { ...ana, session: anaSession, user: me.user },
      ben: { session: ben.session, user: ben.user },
      eve: { session: eve.session, user: eveNow.user },
      dan: { session: dan.session, uid: dan.user.uid },
      guest: { session: guest.session, user: guest['user'] },
      fay: { session: fayOpened.session, user: fayOpened['user'], github },
    },
    devices: { tablet, revoked },
    boxToken: box.body.token,
    photograph: sha256(content),
    pending: {
      code: { email: 'gus@example.org', verificationCode: code },
      reset: { email: eve.user.email, verificationCode: resetCode },
      link: Object.fromEntries(new URLSearchParams(link.hash.slice(1))),
      customToken: custom.token,
      provider: { query: new URL(pending.url).search, state: pending.state },
      ticket: { provider: 'twitter', subject: '3003', ticket: pendingTicket },
    },
  };
  await cloud.stop();
  write('cloud.sql.gz', dumpOf(server.url));
  write(
    'cloud-home.json.gz',
    JSON.stringify({
      files: ['blobs', 'keys'].flatMap((folder) => filesUnder(path.join(home, 'cloud', folder), home)),
    }),
  );
  write('cloud-expected.json', JSON.stringify(expected, null, 2));
  await Promise.all(doubles.map((double) => double.close()));
  await server.stop();
  rmSync(home, { recursive: true, force: true });
}

await record();
