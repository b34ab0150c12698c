import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { canonicalJson } from '../../../src/domain/canonical';
import type { Json } from '../../../src/domain/json';
import { reissuedOp } from '../../../src/domain/op/reissued-op';
import type { Op } from '../../../src/domain/op/op';
import { parseNodeTrace } from '../../../src/protocol/node-trace';
import type { EdgeProcess } from '../../support/servers/edge';
import { startEdge } from '../../support/servers/edge';
import {
  EdgeClient,
  imageOp,
  makeOp,
  newId,
  pairedClient,
  photograph,
  surveyOp,
} from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let edge: EdgeProcess;
let client: EdgeClient;
beforeAll(async () => {
  edge = await startEdge();
  client = await pairedClient(edge);
});
afterAll(async () => {
  client.close();
  await edge.remove();
});

const ask = async (method: string, place: string, body?: unknown, headers: Record<string, string> = {}) => {
  const answer = await fetch(edge.url + place, {
    method,
    headers: {
      authorization: `Bearer ${edge.adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
};
const json = (bytes: Buffer) => JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;

describe('protocol, Edge HTTP', () => {
  it('protocol: a node trace is signed over the caller’s nonce with a key for nothing else', async () => {
    const plain = parseNodeTrace((await ask('GET', '/edge/trace')).bytes.toString());
    expect(plain).toMatchObject({ network: 'edge', node: edge.nodeId, storeEpoch: edge.storeEpoch });
    expect(plain?.sig).toBeUndefined();
    const nonce = randomBytes(16).toString('base64url');
    const text = (await ask('GET', `/edge/trace?nonce=${nonce}`)).bytes.toString();
    const lines = text.split('\n');
    expect(lines.map((line) => line.split('=')[0])).toEqual([
      'network',
      'node',
      'storeEpoch',
      'time',
      'nonce',
      'kid',
      'sig',
    ]);
    const trace = parseNodeTrace(text);
    expect(trace?.nonce).toBe(nonce);
    const { keys } = json((await ask('GET', '/edge/keys')).bytes) as {
      keys: { kid: string; x: string; for: string }[];
    };
    const key = keys.find(({ kid }) => kid === trace?.kid);
    expect(key?.for).toBe('trace');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key!.x }, format: 'jwk' });
    expect(
      verify(null, Buffer.from(lines.slice(0, -1).join('\n')), publicKey, Buffer.from(trace!.sig!, 'base64url')),
    ).toBe(true);
    expect((await ask('GET', '/edge/trace?nonce=a%0Anetwork=www')).status).toBe(400);
    expect((await ask('GET', '/edge/trace?nonce=a&nonce=b')).status).toBe(400);
  });

  it('protocol: the bridge puts reference data, and tablets fetch it only when it changes', async () => {
    expect((await ask('GET', '/edge/reference/regions')).status).toBe(404);
    expect((await ask('PUT', '/edge/reference/regions', [{ id: 'gbr' }])).status).toBe(200);
    const tablet = { authorization: `Bearer ${client.session}` };
    const first = await ask('GET', '/edge/reference/regions', undefined, tablet);
    expect(JSON.parse(first.bytes.toString())).toEqual([{ id: 'gbr' }]);
    expect(
      (
        await ask('GET', '/edge/reference/regions', undefined, {
          ...tablet,
          'if-none-match': first.headers.get('etag')!,
        })
      ).status,
    ).toBe(304);
    expect((await ask('PUT', '/edge/reference/jwks', { keys: 'none' })).status).toBe(400);
    expect((await ask('PUT', '/edge/reference/..%2Fx', {})).status).toBe(400);
  });

  it('protocol: the bridge submits ops, receipts or both, and a bad one never blocks the next', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const x = publicKey.export({ format: 'jwk' }).x!;
    const storeEpoch = newId();
    let seq = 0;
    const receiptFor = (op: Op, key = privateKey) => {
      const blob =
        op.kind === 'image' ? { blob: { sha256: op.body['sha256'] as string, bytes: op.body['bytes'] as number } } : {};
      const unsigned = {
        v: 1,
        stage: 'cloud',
        nodeId: 'Cloud00000000001',
        storeEpoch,
        opId: op.opId,
        kind: op.kind,
        docId: op.docId,
        sha256: op.sha256,
        ...blob,
        accepted: true,
        seq: ++seq,
        storedAt: new Date().toISOString(),
        kid: 'cloud-1',
      };
      return {
        ...unsigned,
        sig: sign(null, Buffer.from(canonicalJson(unsigned as unknown as Json)), key).toString('base64url'),
      };
    };
    const survey = surveyOp();
    const imageBytes = photograph(100);
    const image = imageOp(survey.docId, imageBytes);
    const unvouched = imageOp(survey.docId, photograph(100));
    expect(
      json((await ask('POST', '/edge/ops', { ops: [{ op: survey, receipt: receiptFor(survey) }] })).bytes),
    ).toMatchObject({ results: [{ error: { code: 'receipt-mismatch' } }] });
    expect(
      (await ask('PUT', '/edge/reference/cloud-keys', { keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'cloud-1' }] }))
        .status,
    ).toBe(200);

    const forged = receiptFor(image, generateKeyPairSync('ed25519').privateKey);
    const answer = json(
      (
        await ask('POST', '/edge/ops', {
          ops: [
            { nonsense: true },
            survey,
            unvouched,
            { op: image, receipt: forged },
            { op: image, receipt: receiptFor(image) },
          ],
          receipts: [receiptFor(survey), { v: 1 }],
        })
      ).bytes,
    );
    expect(answer).toMatchObject({
      ok: true,
      results: [
        { opId: null, error: { code: 'bad-message' } },
        { opId: survey.opId, receipt: { accepted: true } },
        { error: { code: 'incomplete' } },
        { error: { code: 'receipt-mismatch' } },
        { opId: image.opId, receipt: { accepted: true } },
      ],
      receipts: { added: 2, errors: [{ error: { code: 'bad-message' } }] },
    });
    expect(json((await ask('GET', '/edge/meta')).bytes)).toMatchObject({ owed: 0 });
    const verified = await client.verify({ session: client.session });
    expect(verified['cloudKeys']).toEqual([{ kty: 'OKP', crv: 'Ed25519', x, kid: 'cloud-1' }]);
    const again = json((await ask('POST', '/edge/ops', { ops: [survey], receipts: [receiptFor(survey)] })).bytes) as {
      results: { receipt: object }[];
    };
    expect(again.results[0]?.receipt).toEqual((answer['results'] as { receipt: object }[])[1]?.receipt);
    expect((await ask('POST', '/edge/ops', { ops: 'none' })).status).toBe(400);

    const images = async () =>
      (JSON.parse((await ask('GET', '/edge/surveys')).bytes.toString()) as { id: string; images: object }[]).find(
        ({ id }) => id === survey.docId,
      )?.images;
    expect(await images(), 'known aboard, with its bytes only ashore').toEqual({ total: 1, here: 0, ashore: 1 });
    const { uploadId } = (await client.send('image:path', {
      surveyId: survey.docId,
      imageId: image.docId,
      path: '1.jpg',
      bytes: 100,
      sha256: image.body['sha256'],
      type: 'image/jpeg',
    })) as unknown as { uploadId: string };
    expect(await client.send('image:binary', { uploadId, offset: 0 }, imageBytes)).toMatchObject({ ok: true });
    expect(await client.send('image:record', { op: image })).toMatchObject({ ok: true });
    expect(await images(), 'a tablet sent them after all').toEqual({ total: 1, here: 1, ashore: 1 });

    const freed = imageOp(survey.docId, photograph(120));
    const word = receiptFor(freed);
    const bring = (receipt?: object) =>
      client.send('image:record', { op: freed, ...(receipt === undefined ? {} : { receipt }) });
    expect(await bring(), 'without the cloud’s word').toMatchObject({
      ok: false,
      error: { code: 'incomplete', offset: 0 },
    });
    expect(await bring(receiptFor(freed, generateKeyPairSync('ed25519').privateKey))).toMatchObject({
      ok: false,
      error: { code: 'bad-message', field: 'receipt.sig' },
    });
    expect(await bring({ ...word, kid: 'cloud-2' }), 'a key that has not arrived yet').toMatchObject({
      ok: false,
      error: { code: 'incomplete', field: 'receipt.kid', retryable: true },
    });
    expect(await bring(receiptFor(image)), 'for another record').toMatchObject({
      ok: false,
      error: { code: 'bad-message', field: 'receipt.opId' },
    });
    expect(await bring({ ...word, blob: { ...word.blob, bytes: 119 } })).toMatchObject({
      ok: false,
      error: { code: 'bad-message', field: 'receipt.blob' },
    });
    const { sig: _sig, ...past } = { ...word, storeEpoch: newId() };
    expect(
      await bring({
        ...past,
        sig: sign(null, Buffer.from(canonicalJson(past as unknown as Json)), privateKey).toString('base64url'),
      }),
      'of another life of the cloud',
    ).toMatchObject({ ok: false, error: { code: 'incomplete', field: 'receipt.storeEpoch', retryable: true } });
    expect(await images(), 'nothing of it was stored').toEqual({ total: 1, here: 1, ashore: 1 });
    const taken = (await bring(word)) as { receipt?: { accepted: boolean; blob?: object } };
    expect(taken).toMatchObject({ ok: true, receipt: { accepted: true } });
    expect(taken.receipt?.blob, 'the box vouches for the record alone').toBeUndefined();
    expect(await images()).toEqual({ total: 2, here: 1, ashore: 2 });
    expect(await bring(word), 'again').toEqual(taken);
    expect((await ask('GET', `/edge/blobs/${String(freed.body['sha256'])}`)).status).toBe(404);
    const edit = makeOp('image', { ...freed.body, keptAsIs: true }, { lc: 2, over: { keptAsIs: [freed.opId] } });
    expect(
      await client.send('image:record', { op: edit }),
      'an edit of it needs no proof from the cloud',
    ).toMatchObject({ ok: true });

    const owed = async () => (json((await ask('GET', '/edge/meta')).bytes) as { owed: number }).owed;
    const before = await owed();
    const under = surveyOp();
    const renewed = reissuedOp(under, surveyOp().opId, new Map());
    for (const op of [under, renewed]) expect(await client.send('survey', { op })).toMatchObject({ ok: true });
    expect(await owed()).toBe(before + 2);
    await ask('POST', '/edge/ops', { ops: [], receipts: [receiptFor(renewed)] });
    expect(await owed(), 'a write that was issued again is ashore with its new name').toBe(before);
  });

  it('protocol: the feed gives a tablet its own person’s profiles alone, the bridge all', async () => {
    const mine = newId();
    const theirs = newId();
    const profile = (uid: string) => makeOp('profile', { uid, name: 'x' }, { by: uid as never });
    const signedIn = (await (
      await fetch(`${edge.url}/edge/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          email: 'a@example.org',
          name: { first: 'A', last: 'B' },
          device: { id: mine, name: 'x' },
          code: edge.code,
        }),
      })
    ).json()) as { session: string; user: { uid: string } };
    const tablet = await EdgeClient.connect(edge.url, {}, mine);
    await tablet.verify({ session: signedIn.session });
    await tablet.send('profile', { op: profile(signedIn.user.uid) });
    await client.send('profile', { op: profile(theirs) });
    const seen = (
      (await tablet.send('query', { name: 'changes' })) as unknown as { data: { entries: { op?: Op }[] } }
    ).data.entries.filter(({ op }) => op?.kind === 'profile');
    expect(seen.map(({ op }) => op?.docId)).toEqual([signedIn.user.uid]);
    const all = (
      json((await ask('GET', '/edge/changes?since=0&limit=1000')).bytes) as unknown as { entries: { op?: Op }[] }
    ).entries.map(({ op }) => op?.docId);
    expect(all).toEqual(expect.arrayContaining([signedIn.user.uid, theirs]));
    expect(json((await ask('GET', '/edge/changes?since=x')).bytes)).toMatchObject({
      error: { code: 'bad-message', field: 'since' },
    });
    tablet.close();
  });

  it('protocol: a subscriber is notified after each commit until it unsubscribes', async () => {
    const watcher = await pairedClient(edge);
    const updates: { name: string; data: { entries?: { op?: Op }[]; totals?: { surveys: number } } }[] = [];
    watcher.socket.on('update', (update: (typeof updates)[number]) => updates.push(update));
    const start = (await watcher.send('query', { name: 'changes', subscribe: true })) as unknown as {
      data: { entries: unknown[] };
    };
    expect(start.data.entries.length).toBeGreaterThan(0);
    await watcher.send('query', { name: 'meta', subscribe: true });
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    while (updates.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(updates.find(({ name }) => name === 'changes')?.data.entries?.map(({ op }) => op?.opId)).toEqual([
      survey.opId,
    ]);
    expect(updates.find(({ name }) => name === 'meta')?.data.totals?.surveys).toBeGreaterThan(0);
    expect(await watcher.send('unsubscribe', { name: 'changes' })).toEqual({ ok: true });
    await client.send('survey', { op: surveyOp() });
    while (updates.filter(({ name }) => name === 'meta').length < 2)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(updates.filter(({ name }) => name === 'changes')).toHaveLength(1);
    watcher.close();
  });

  it('protocol: previews of 800, 2000 and 4000 px are upright and made once, if decodable', async () => {
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    const content = await sharp({ create: { width: 1600, height: 1000, channels: 3, background: '#4cc5c6' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const sent = (await client.photograph(survey.docId, content)) as unknown as { receipt: { docId: string } };
    const broken = (await client.photograph(survey.docId, content.subarray(0, 2000))) as unknown as {
      receipt: { docId: string };
    };
    const { data } = (await client.send('query', { name: 'changes' })) as unknown as {
      data: { entries: { op?: Op; owned?: { token: string; url: string } }[] };
    };
    const link = (id: string) => data.entries.find(({ op }) => op?.docId === id)!.owned!;
    const picture = (size: number | string, { token, url }: { token: string; url: string }) =>
      ask('GET', `/cache/${size}/${token}/${url}`, undefined, { authorization: '' });
    const { token, url } = link(sent.receipt.docId);
    const both = await Promise.all([picture(800, { token, url }), picture(800, { token, url })]);
    for (const { status, headers, bytes } of both) {
      expect([status, headers.get('content-type')]).toEqual([200, 'image/webp']);
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'webp', width: 500, height: 800 });
    }
    expect(
      await sharp((await picture(4000, { token, url })).bytes).metadata(),
      'never larger than it is',
    ).toMatchObject({ width: 1000, height: 1600 });
    expect((await picture(801, { token, url })).status).toBe(404);
    expect((await picture(800, { token: token.replace(/^./, (c) => (c === 'A' ? 'B' : 'A')), url })).status).toBe(404);
    expect((await picture(800, { token, url: '..%2f..%2fx.webp' })).status).toBe(404);
    for (let n = 0; n < 2; n++) {
      const refused = await picture(800, link(broken.receipt.docId));
      expect([refused.status, (json(refused.bytes)['error'] as { code: string }).code]).toEqual([
        415,
        'unsupported-media',
      ]);
    }
    expect((await ask('GET', '/healthz')).status).toBe(200);

    // Tablet with the record but no bytes: requests by image id with its own session.
    const preview = (id: string, authorization: string) =>
      ask('GET', `/edge/previews/${id}`, undefined, { authorization });
    const seen = await preview(sent.receipt.docId, `Bearer ${client.session}`);
    expect([seen.status, await sharp(seen.bytes).metadata()]).toMatchObject([
      200,
      { format: 'webp', width: 500, height: 800 },
    ]);
    expect((await preview(sent.receipt.docId, '')).status).toBe(401);
    expect((await preview('NoSuchImage00001', `Bearer ${client.session}`)).status).toBe(404);
    expect((await preview(broken.receipt.docId, `Bearer ${client.session}`)).status).toBe(415);
  });

  it('protocol: the console needs the admin token and shows the code; the trust page is public', async () => {
    const open = (authorization: string) => ask('GET', '/edge/console', undefined, { authorization });
    const stranger = await open('');
    expect([stranger.status, stranger.headers.get('www-authenticate')?.split(' ')[0]]).toEqual([401, 'Basic']);
    const page = await open(`Basic ${Buffer.from(`crew:${edge.adminToken}`).toString('base64')}`);
    expect(page.status).toBe(200);
    expect(page.bytes.toString()).toContain(`${edge.code.slice(0, 4)} ${edge.code.slice(4)}`);
    expect(page.bytes.toString()).not.toContain('<script');
    expect(
      (
        await ask(
          'POST',
          '/edge/bridge',
          { action: 'pause' },
          { authorization: `Basic ${Buffer.from(`x:${edge.adminToken}`).toString('base64')}` },
        )
      ).status,
    ).toBe(401);
    expect((await ask('GET', '/edge/trust', undefined, { authorization: '' })).status).toBe(200);
  });

  it('protocol: the bridge is paused, resumed and asked to verify, also after a restart', async () => {
    expect(json((await ask('POST', '/edge/bridge', { action: 'pause' })).bytes)).toMatchObject({
      paused: true,
      verifyRequestedAt: null,
    });
    expect(json((await ask('POST', '/edge/bridge', { action: 'verify' })).bytes)).toMatchObject({ paused: true });
    expect(json((await ask('POST', '/edge/bridge', { action: 'explode' })).bytes)).toMatchObject({
      error: { code: 'bad-message', field: 'action' },
    });
    await edge.restart('SIGKILL');
    expect(json((await ask('POST', '/edge/bridge', { action: 'status' })).bytes)).toMatchObject({
      paused: true,
      verifyRequestedAt: expect.any(String) as string,
    });
    expect(json((await ask('POST', '/edge/bridge', { action: 'resume' })).bytes)).toMatchObject({ paused: false });
  });

  it('protocol: health and metrics name no person, headers are strict, unknown paths 404', async () => {
    expect(json((await ask('GET', '/healthz')).bytes)).toMatchObject({
      ok: true,
      node: edge.nodeId,
      storageFull: false,
    });
    expect((await ask('GET', '/metrics', undefined, { authorization: '' })).status).toBe(401);
    const metrics = (await ask('GET', '/metrics')).bytes.toString();
    expect(metrics).toContain('reef_edge_http_requests_total');
    expect(metrics).not.toContain('example.org');
    const root = await ask('GET', '/', undefined, { authorization: '' });
    const csp = root.headers.get('content-security-policy') ?? '';
    // Own files and the page's inline scripts, by hash; nothing else.
    expect(csp).toMatch(/script-src 'self'( 'sha256-[\w+/]{43}=')*;/);
    expect(csp).not.toContain('unsafe');
    expect(csp).toContain("worker-src 'self' blob:;");
    expect(csp).not.toContain('upgrade-insecure-requests');
    expect((await ask('GET', '/edge/nothing')).status).toBe(404);
    expect(json((await ask('POST', '/nothing', {})).bytes)).toMatchObject({ ok: false, error: { code: 'not-found' } });
    expect((await ask('GET', `/edge/blobs/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await ask('GET', '/tiles/base/1/2/3')).status).toBe(404);
    for (const [method, place, status, code] of [
      ['PUT', '/edge/socket/x', 404, 'not-found'],
      ['GET', '/edge/socket?EIO=4&transport=pigeon', 400, 'bad-message'],
      ['POST', '/edge/socket?EIO=4&transport=polling', 400, 'bad-message'],
      ['GET', '/edge/socket/?EIO=4&transport=polling&sid=x', 404, 'not-found'],
    ] as const) {
      const answer = await ask(method, place);
      expect([place, answer.status, (json(answer.bytes)['error'] as { code: string }).code]).toEqual([
        place,
        status,
        code,
      ]);
    }
    const polling = await EdgeClient.connect(edge.url, { transports: ['polling'] });
    expect(await polling.verify({ code: edge.code })).toMatchObject({ ok: true });
    polling.close();
  });
});
