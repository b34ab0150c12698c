import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startEdge } from '../../support/servers/edge';
import { EdgeClient, pairedClient, photograph, sha256, surveyOp } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Children of a process, by pid. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter((entry) => entry !== '')
    .map(Number);
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('protocol: the edge as a process', () => {
  it('protocol: the server ends cleanly during open sockets, a partial message and an upload', async () => {
    const edge = await startEdge();
    undo.push(() => edge.remove());
    const client = await pairedClient(edge);
    const polling = await EdgeClient.connect(edge.url, { transports: ['polling'] });
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    await client.send('query', { name: 'changes', subscribe: true });
    const content = photograph(900_000);
    const { uploadId } = (await client.send('image:path', {
      surveyId: survey.docId,
      imageId: 'Image00000000001',
      path: '1.jpg',
      bytes: content.length,
      sha256: sha256(content),
      type: 'image/jpeg',
    })) as unknown as { uploadId: string };
    const upload = fetch(`${edge.url}/edge/uploads/${uploadId}`, {
      method: 'PATCH',
      duplex: 'half',
      headers: {
        authorization: `Bearer ${client.session}`,
        'content-type': 'application/partial-upload',
        'upload-offset': '0',
      },
      body: new ReadableStream({ start: (stream) => stream.enqueue(content.subarray(0, 500_000)) }),
    } as RequestInit).catch(() => 'cut off');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await edge.stop()).toEqual({ code: 0, signal: null });
    expect(edge.output).toContain('"msg":"ended"');
    expect(await upload).toBe('cut off');
    client.close();
    polling.close();
    await edge.restart();
    const again = await EdgeClient.connect(edge.url, {}, client.deviceId);
    undo.push(() => again.close());
    await again.verify({ session: client.session });
    const go = await again.send('image:path', {
      surveyId: survey.docId,
      imageId: 'Image00000000001',
      path: '1.jpg',
      bytes: content.length,
      sha256: sha256(content),
      type: 'image/jpeg',
    });
    expect(go, 'bytes from before the end are stored').toMatchObject({ ok: true, uploadId, offset: 500_000 });
  });

  it.each([
    ['EDGE_PORT', 'x'],
    ['EDGE_PAIRING', 'sometimes'],
  ])('protocol, settings: a wrong %s ends it with code 2 and one clear line, also supervised', async (name, value) => {
    for (const supervised of [false, true]) {
      const home = mkdtempSync(path.join(os.tmpdir(), 'reef-edge-'));
      undo.push(() => rmSync(home, { recursive: true, force: true }));
      const failed = (await startEdge({ home, supervised, env: { [name]: value } }).catch(
        (error: unknown) => error,
      )) as Error;
      expect(failed.message).toContain('(2)');
      expect(failed.message).toMatch(new RegExp(`\\n${name}: [^\\n]+\\.\\n$`));
    }
  });

  it('protocol: two boxes never share one home', async () => {
    const edge = await startEdge();
    undo.push(() => edge.remove());
    await expect(startEdge({ home: edge.home })).rejects.toThrow('Another process is working on');
    expect((await fetch(`${edge.url}/healthz`)).status).toBe(200);
  });

  it('protocol: the supervisor restarts the server after a crash with its receipts', async () => {
    const edge = await startEdge({ supervised: true });
    undo.push(() => edge.remove());
    const client = await pairedClient(edge);
    const survey = surveyOp();
    const { receipt } = await client.send('survey', { op: survey });
    client.close();
    const [server] = childrenOf(edge.pid);
    process.kill(server!, 'SIGKILL');
    await edge.listensAgain();
    const again = await EdgeClient.connect(edge.url, {}, client.deviceId);
    expect(await again.verify({ session: client.session })).toMatchObject({ ok: true });
    expect((await again.send('survey', { op: survey }))['receipt']).toEqual(receipt);
    again.close();
    expect(await edge.stop()).toEqual({ code: 0, signal: null });
  });

  it('protocol: a killed supervisor leaves no orphan on the port and lock', async () => {
    const edge = await startEdge({ supervised: true });
    undo.push(() => edge.remove());
    const client = await pairedClient(edge);
    const [server] = childrenOf(edge.pid);
    await edge.kill('SIGKILL');
    await until(() => !lives(server!));
    client.close();
    await edge.restart();
    expect((await fetch(`${edge.url}/healthz`)).status).toBe(200);
  });

  it('protocol: keys and tokens are readable by the box alone', async () => {
    const edge = await startEdge({ tls: true });
    undo.push(() => edge.remove());
    for (const name of ['admin-token', 'keys/receipts.json', 'keys/traces.json', 'tls/ca.json', 'tls/server.json']) {
      expect((statSync(path.join(edge.home, 'edge', name)).mode & 0o777).toString(8), name).toBe('600');
    }
    expect((statSync(path.join(edge.home, 'edge')).mode & 0o777).toString(8)).toBe('700');
  });
});

describe('protocol, Origins and certificates', () => {
  const get = (url: string, ca?: string) =>
    new Promise<{ status: number; body: Buffer; type: string }>((resolve, reject) => {
      https
        .get(
          url,
          {
            ca,
            servername: new URL(url).hostname === 'box.lan' ? 'box.lan' : '',
            lookup: (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
            agent: false,
          },
          (response) => {
            const parts: Buffer[] = [];
            response.on('data', (part: Buffer) => parts.push(part));
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                body: Buffer.concat(parts),
                type: response.headers['content-type'] ?? '',
              }),
            );
          },
        )
        .on('error', reject);
    });

  it('protocol: a box makes its own CA, and a client that trusts it connects by name and address', async () => {
    const edge = await startEdge({ tls: true });
    undo.push(() => edge.remove());
    await expect(get(`${edge.url}/healthz`)).rejects.toThrow(/certificate|issuer|signed/);
    expect((await get(`${edge.url}/healthz`, edge.ca)).status).toBe(200);
    expect((await get(`${edge.origin}/healthz`, edge.ca)).status).toBe(200);
    const trust = await get(`${edge.url}/edge/trust`, edge.ca);
    expect(trust.body.toString()).toContain(edge.caFingerprint);
    expect(trust.body.toString()).not.toContain('<script');
    const download = await get(`${edge.url}/edge/trust/ca.crt`, edge.ca);
    expect(download.type).toBe('application/x-x509-ca-cert');
    const file = path.join(edge.home, 'ca.crt');
    writeFileSync(file, download.body);
    const profile = await get(`${edge.url}/edge/trust/box.mobileconfig`, edge.ca);
    expect(profile.type).toBe('application/x-apple-aspen-config');
    expect(/<data>([^<]*)<\/data>/.exec(profile.body.toString())?.[1], 'the same certificate').toBe(
      download.body.toString('base64'),
    );
    const text = execFileSync(
      'openssl',
      ['x509', '-inform', 'DER', '-in', file, '-noout', '-text', '-fingerprint', '-sha256'],
      { encoding: 'utf8' },
    );
    expect(text).toContain(edge.caFingerprint);
    expect(text).toContain('X509v3 Name Constraints: critical');

    const { certificate, caFingerprint } = edge;
    await edge.restart();
    expect([edge.certificate, edge.caFingerprint]).toEqual([certificate, caFingerprint]);
    await edge.restart('SIGTERM', { PUBLIC_URL: 'https://192.168.7.7' });
    expect(edge.certificate, 'a new address needs a new certificate').not.toBe(certificate);
    expect(
      edge.caFingerprint,
      'under the CA that tablets trust already: local networks are among those it may vouch for',
    ).toBe(caFingerprint);
    await edge.restart('SIGTERM', { PUBLIC_URL: 'https://second.lan' });
    expect(edge.caFingerprint, 'a name that it does not serve is beyond it').not.toBe(caFingerprint);
  });

  it('protocol: EDGE_TLS_CERT and EDGE_TLS_KEY set a real certificate', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-cert-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    const [cert, key] = [path.join(folder, 'c.pem'), path.join(folder, 'k.pem')];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '2',
        '-subj',
        '/CN=real',
        '-addext',
        'subjectAltName=IP:127.0.0.1',
      ],
      { stdio: 'ignore' },
    );
    const edge = await startEdge({ env: { EDGE_TLS_CERT: cert, EDGE_TLS_KEY: key } });
    undo.push(() => edge.remove());
    expect(edge.url).toMatch(/^https:/);
    expect((await get(`${edge.url}/healthz`, readFileSync(cert, 'utf8'))).status).toBe(200);
    expect((await get(`${edge.url}/edge/trust/ca.crt`, readFileSync(cert, 'utf8'))).status).toBe(404);
  });
});
