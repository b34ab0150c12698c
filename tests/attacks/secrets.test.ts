import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadLocalCertificates } from '../../edge-server/tls/local-certificates';
import type { TestCloud } from '../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import { pairedClient } from '../support/servers/edge-client';
import type { LocalEdge } from '../support/servers/local-edge';
import { startLocalEdge } from '../support/servers/local-edge';
import { codeIn, outboxMails } from '../support/servers/mail';
import { registerDevice, signIn, signInStaff } from '../support/servers/people';

/** Box whose page may call the cloud, on a name of the same site. */
const BOX_PAGE = 'https://box.reef.example';
const METRICS_TOKEN = 'a-token-for-the-collector-of-metrics';
const MANIFEST = '{"src/main.tsx":{"file":"assets/a.js"}}';
const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-secrets-'));
const appFolder = path.join(folder, 'app');
let box: LocalEdge;
let cloud: TestCloud;

beforeAll(async () => {
  mkdirSync(path.join(appFolder, '.vite'), { recursive: true });
  writeFileSync(path.join(appFolder, 'index.html'), '<!doctype html><title>App</title>');
  for (const name of ['manifest.json', 'manifest.json.br', 'manifest.json.gz'])
    writeFileSync(path.join(appFolder, '.vite', name), MANIFEST);
  writeFileSync(path.join(appFolder, 'manifest.webmanifest'), '{"name":"App"}');
  box = await startLocalEdge({ appFolder });
  cloud = await startCloud({
    hooks: { appFolder },
    env: { METRICS_TOKEN, PUBLIC_URL: 'https://reef.example', ALLOWED_ORIGINS: BOX_PAGE },
  });
});
afterAll(async () => {
  await cloud.close();
  await box.close();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (url: string, authorization?: string) =>
  fetch(url, { headers: authorization === undefined ? {} : { authorization } });
const statusOf = async (url: string, authorization?: string): Promise<number> => {
  const answer = await ask(url, authorization);
  await answer.body?.cancel();
  return answer.status;
};
const basic = (password: string) => `Basic ${Buffer.from(`any:${password}`).toString('base64')}`;

describe('a stranger reads no figures of a server', () => {
  it('metrics of a box are for the holder of the admin token', async () => {
    const url = `${box.url}/metrics`;
    const client = await pairedClient(box);
    expect(await statusOf(url)).toBe(401);
    expect(await statusOf(url, 'Bearer wrong')).toBe(401);
    expect(await statusOf(url, basic('wrong'))).toBe(401);
    expect(await statusOf(url, `Bearer ${client.session}`)).toBe(403);
    client.close();
    for (const proof of [`Bearer ${box.adminToken}`, basic(box.adminToken)])
      expect(await (await ask(url, proof)).text()).toContain('reef_edge_http_requests_total');
  });

  it('metrics of the cloud are for staff and for the operator’s token, which opens nothing else', async () => {
    const url = `${cloud.url}/metrics`;
    const person = await signIn(cloud, 'reader@example.org');
    expect(await statusOf(url)).toBe(401);
    expect(await statusOf(url, `Bearer ${METRICS_TOKEN}x`)).toBe(401);
    for (const token of [person.session, await registerDevice(cloud, person), cloud.boxToken])
      expect(await statusOf(url, `Bearer ${token}`)).toBe(403);
    for (const token of [METRICS_TOKEN, STAFF_TOKEN])
      expect(await (await ask(url, `Bearer ${token}`)).text()).toContain('reef_cloud_http_requests_total');
    for (const place of ['/api/changes', '/api/quarantine', '/api/fleet'])
      expect(await statusOf(cloud.url + place, `Bearer ${METRICS_TOKEN}`), place).toBe(403);
  });

  it('without a token of the operator, metrics of the cloud are for staff alone', async () => {
    const other = await startCloud();
    expect(await statusOf(`${other.url}/metrics`, 'Bearer null')).toBe(401);
    expect(await statusOf(`${other.url}/metrics`, `Bearer ${STAFF_TOKEN}`)).toBe(200);
    await other.close();
  });

  it('the build’s manifest is not served, however it is asked for', async () => {
    for (const url of [box.url, cloud.url]) {
      for (const place of [
        '/.vite/manifest.json',
        '/.vite/manifest.json.br',
        '/%2Evite/manifest.json',
        '/.%76ite/manifest.json',
        '/assets/../.vite/manifest.json',
        '//.vite/manifest.json',
      ]) {
        const answer = await ask(url + place);
        expect([place, await answer.text()]).not.toEqual([place, MANIFEST]);
        expect(answer.status, place).not.toBe(200);
      }
      expect(await statusOf(`${url}/manifest.webmanifest`)).toBe(200);
    }
  });
});

describe('a stranger who reads what an app reported', () => {
  it('an error report is stored without them, and only staff read it', async () => {
    const person = await signIn(cloud, 'mara@example.org');
    const report = {
      message: `Mara at sea.jpg of mara@example.org: Bearer ${person.session} at /sign-in?code=123456#turn=ABCD`,
      url: `https://reef.example/surveys/${person.user.uid}?token=a#b`,
      email: 'mara@example.org',
      uid: person.user.uid,
    };
    expect((await cloud.post('/api/log', report, null)).status).toBe(200);
    for (const token of [null, person.session, await registerDevice(cloud, person)])
      for (const place of ['/api/errors', '/console/errors'])
        expect([401, 403], place).toContain(
          (await fetch(cloud.url + place, { headers: token === null ? {} : { authorization: `Bearer ${token}` } }))
            .status,
        );
    const { rows } = await cloud.cloud.context.database.pool.query<{ row: string }>(
      'SELECT t::text AS row FROM error_groups t',
    );
    expect(rows).toHaveLength(1);
    for (const secret of [
      '@example',
      'sea.jpg',
      person.session,
      'code=',
      '123456',
      'turn',
      'token=',
      'surveys/' + person.user.uid,
    ])
      expect(rows[0]!.row, secret).not.toContain(secret);
    expect((await cloud.get<{ open: number }>('/api/errors', STAFF_TOKEN)).body.open).toBe(1);
  });
});

describe('a stranger between browser and server', () => {
  it('https stays https for a year where the public address has it, and nowhere else', async () => {
    const strict = (url: string) => ask(url).then(({ headers }) => headers.get('strict-transport-security'));
    expect(await strict(`${cloud.url}/healthz`)).toBe('max-age=31536000');
    const plain = await startCloud();
    expect(await strict(`${plain.url}/healthz`)).toBeNull();
    await plain.close();
    expect(await strict(`${box.url}/healthz`)).toBeNull();
  });

  it('the console’s cookie is sent over https alone and cannot be planted over http', async () => {
    const email = 'staff@example.org';
    const staff = await signInStaff(cloud, email);
    const post = (fields: Record<string, string>) =>
      fetch(`${cloud.url}/console/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'x-forwarded-for': '198.51.100.7' },
        body: new URLSearchParams(fields),
      });
    await post({ email });
    const signed = await post({ email, code: codeIn(outboxMails(cloud.outbox), email) });
    const cookie = signed.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^__Secure-reef-console=[^;]+; Path=\/console; HttpOnly; SameSite=Strict; Secure$/);
    const page = (name: string, value: string) =>
      fetch(`${cloud.url}/console`, { headers: { cookie: `${name}=${value}` } }).then((answer) => answer.text());
    expect(await page('reef-console', staff.session)).toContain('Your mail address');
    expect(await page('x__Secure-reef-console', staff.session)).toContain('Your mail address');
    expect(await page('__Secure-reef-console', staff.session)).toContain(`Sign out ${email}`);
  });
});

describe('a hostile box’s page on a name of the shore’s own site', () => {
  it('reads nothing of the console by the cookie of staff who visit it', async () => {
    const { session } = await signInStaff(cloud, 'visiting@example.org');
    for (const place of ['/console', '/console/held', '/api/me']) {
      const { headers } = await fetch(cloud.url + place, {
        headers: { origin: BOX_PAGE, cookie: `__Secure-reef-console=${session}` },
      });
      expect([place, headers.get('access-control-allow-origin')]).toEqual([place, BOX_PAGE]);
      expect([place, headers.get('access-control-allow-credentials')]).toEqual([place, null]);
    }
  });
});

describe('a thief of a box’s certificate authority', () => {
  /** Status that a client which trusts the CA gets from a server with a certificate for this name. */
  async function visit(certificate: { cert: string; key: string; ca: { pem: string } }, name: string): Promise<string> {
    const server = https.createServer({ cert: certificate.cert, key: certificate.key }, (_request, response) =>
      response.end('ok'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new Promise<string>((resolve) => {
      https
        .get(
          { host: '127.0.0.1', port, servername: name, headers: { host: name }, ca: certificate.ca.pem, agent: false },
          (answer) => {
            answer.resume();
            resolve(String(answer.statusCode));
          },
        )
        .once('error', (error: Error) => resolve(error.message));
    }).finally(() => server.close());
  }

  it('vouches for the box’s own names and for no other device, though its key signs', async () => {
    const home = path.join(folder, 'tls');
    const own = await loadLocalCertificates(home, 'Reef Box', ['localhost', 'reef-box', 'reef-box.local'], Date.now());
    expect(await visit(own, 'reef-box.local')).toBe('200');
    // The thief's program ignores what the box noted about its CA.
    const file = path.join(home, 'ca.json');
    const stored = JSON.parse(readFileSync(file, 'utf8')) as { constraints: { dns: string[] } };
    stored.constraints.dns.push('local', 'lan', 'internal', 'home.arpa', 'example');
    writeFileSync(file, JSON.stringify(stored));
    for (const name of ['printer.local', 'router.lan', 'bank.internal', 'nas.home.arpa', 'reef.example']) {
      const forged = await loadLocalCertificates(home, 'Reef Box', [name], Date.now());
      expect(forged.ca.pem).toBe(own.ca.pem);
      expect(await visit(forged, name), name).toBe('permitted subtree violation');
    }
  });
});
