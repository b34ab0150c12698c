import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../../src/domain/limits';
import type { EdgeProcess } from '../../support/servers/edge';
import { startEdge } from '../../support/servers/edge';
import {
  EdgeClient,
  imageOp,
  makeOp,
  newId,
  pairedClient,
  photograph,
  sha256,
  surveyOp,
} from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let edge: EdgeProcess;
let client: EdgeClient;
let surveyId: string;

beforeAll(async () => {
  edge = await startEdge();
  client = await pairedClient(edge);
  const survey = surveyOp();
  surveyId = survey.docId;
  expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true });
});
afterAll(async () => {
  client.close();
  await edge.remove();
});

const feedEnd = async (): Promise<number> => {
  const page = (await (
    await fetch(`${edge.url}/edge/changes`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
  ).json()) as { next: number };
  return page.next;
};

/** Expects an error that changes no stored data and leaves the box serving; returns it. */
async function refused(code: string, event: string, ...args: unknown[]): Promise<Record<string, unknown>> {
  const before = await feedEnd();
  const reply = await client.send(event, ...args);
  expect(reply, `${event} gets ${code}`).toMatchObject({ ok: false, error: { code } });
  expect(reply.error?.message.length).toBeGreaterThan(10);
  expect(await feedEnd()).toBe(before);
  expect((await fetch(`${edge.url}/healthz`)).status).toBe(200);
  return reply.error ?? {};
}

const notice = (content: Uint8Array, more: object = {}) => ({
  surveyId,
  imageId: newId(),
  path: 'DCIM/1.jpg',
  bytes: content.length,
  sha256: sha256(content),
  type: 'image/jpeg',
  ...more,
});
const begin = async (message: object): Promise<string> => {
  const reply = await client.send('image:path', message);
  expect(reply).toMatchObject({ ok: true });
  return String(reply['uploadId']);
};

describe('protocol: bad input gets its named error, and nothing stored changes', () => {
  it('protocol: an empty file is refused', async () => {
    expect(await refused('bad-message', 'image:path', notice(Buffer.alloc(0)))).toMatchObject({ field: 'bytes' });
  });

  it.each([
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>'],
    ['HTML', '<!doctype html><html><body>no photograph</body></html>'],
  ])('protocol: %s named .jpg is refused as a photograph', async (_name, text) => {
    const content = Buffer.from(text);
    const uploadId = await begin(notice(content));
    await refused('unsupported-media', 'image:binary', { uploadId, offset: 0 }, content);
    const again = await begin(notice(content));
    const answer = await fetch(`${edge.url}/edge/uploads/${again}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${client.session}`,
        'content-type': 'application/partial-upload',
        'upload-offset': '0',
      },
      body: content,
    });
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
      415,
      'unsupported-media',
    ]);
  });

  it('protocol: truncated and HEIC photographs are accepted unchanged as evidence', async () => {
    const heic = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0mif1heic'), photograph(5000)]);
    expect(await client.photograph(surveyId, heic)).toMatchObject({ ok: true, receipt: { accepted: true } });
    expect(await client.photograph(surveyId, photograph(70))).toMatchObject({ ok: true, receipt: { accepted: true } });
  });

  it.each([
    ['NUL', 'a\0b.jpg'],
    ['a line break', 'a\nb.jpg'],
    ['steps upwards', '../../edge/census.sqlite'],
    ['steps upwards, the other way', '..\\x.jpg'],
    ['4 KB of Unicode', '🪸'.repeat(1024)],
    ['half a character', '\ud800.jpg'],
  ])('protocol: a display path with %s is refused', async (_name, name) => {
    const before = readdirSync(edge.home, { recursive: true }).length;
    const { field } = await refused('bad-message', 'image:path', notice(photograph(100), { path: name }));
    expect(String(field)).toContain('path');
    expect(readdirSync(edge.home, { recursive: true }).length).toBe(before);
  });

  it('protocol: a display path creates no path on the box', async () => {
    const content = photograph(100);
    await begin(notice(content, { path: '/etc/Größe..Ä🪸.jpg' }));
    for (const name of readdirSync(edge.home, { recursive: true }) as string[])
      expect(path.basename(name)).toMatch(/^[\w.-]+$/);
  });

  it('protocol: a wrong offset, excess bytes, an empty chunk and a large chunk are refused', async () => {
    const content = photograph(LIMITS.chunkBytesMax * 3);
    const uploadId = await begin(notice(content));
    expect(await client.send('image:binary', { uploadId, offset: 0 }, content.subarray(0, 1000))).toMatchObject({
      ok: true,
      offset: 1000,
    });
    expect(
      await refused('offset-mismatch', 'image:binary', { uploadId, offset: 0 }, content.subarray(0, 1000)),
    ).toMatchObject({ offset: 1000, retryable: true });
    expect(
      await refused('offset-mismatch', 'image:binary', { uploadId, offset: 2000 }, content.subarray(0, 1000)),
    ).toMatchObject({ offset: 1000 });
    await refused('bad-message', 'image:binary', { uploadId, offset: 1000 }, Buffer.alloc(0));
    await refused('bad-message', 'image:binary', { uploadId, offset: 1000 });
    await refused('bad-message', 'image:binary', { uploadId, offset: 1000 }, 'text');
    await refused(
      'too-large',
      'image:binary',
      { uploadId, offset: 1000 },
      content.subarray(0, LIMITS.chunkBytesMax + 1),
    );
    await refused(
      'too-large',
      'image:binary',
      { uploadId, offset: 1000 },
      content.subarray(0, LIMITS.chunkBytesMax * 2),
    );
    await refused('not-found', 'image:binary', { uploadId: 'f'.repeat(32), offset: 0 }, content.subarray(0, 10));
    const small = photograph(100);
    const other = await begin(notice(small));
    await refused('bad-message', 'image:binary', { uploadId: other, offset: 0 }, photograph(101));
    const empty = await fetch(`${edge.url}/edge/uploads/${other}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${client.session}`,
        'content-type': 'application/partial-upload',
        'upload-offset': '0',
      },
    });
    expect([empty.status, ((await empty.json()) as { error: { code: string } }).error.code]).toEqual([
      400,
      'bad-message',
    ]);
  });

  it('protocol: a wrong hash restarts the partial', async () => {
    const content = photograph(5000);
    const uploadId = await begin(notice(content, { sha256: sha256('something else') }));
    expect(await refused('hash-mismatch', 'image:binary', { uploadId, offset: 0 }, content)).toMatchObject({
      offset: 0,
    });
    expect(
      await refused('offset-mismatch', 'image:binary', { uploadId, offset: 10 }, content.subarray(10)),
    ).toMatchObject({ offset: 0 });
  });

  it('protocol: a record before its bytes, or an image before its survey, is refused', async () => {
    const content = photograph(3000);
    const image = imageOp(surveyId, content);
    expect(await refused('incomplete', 'image:record', { op: image })).toMatchObject({ offset: 0 });
    const uploadId = await begin(notice(content, { imageId: image.docId }));
    await client.send('image:binary', { uploadId, offset: 0 }, content.subarray(0, 1234));
    expect(await refused('incomplete', 'image:record', { op: image })).toMatchObject({ offset: 1234 });
    expect(await refused('unknown-survey', 'image:path', notice(content, { surveyId: newId() }))).toMatchObject({
      retryable: true,
    });
    await refused('unknown-survey', 'image:record', { op: imageOp(newId(), content) });
  });

  it('protocol: a record with the hash of other bytes is refused', async () => {
    const content = photograph(3000);
    const image = imageOp(surveyId, content);
    const uploadId = await begin(notice(content, { imageId: image.docId }));
    expect(await client.send('image:binary', { uploadId, offset: 0 }, content)).toMatchObject({ ok: true });
    const other = imageOp(surveyId, photograph(3000), image.docId);
    await refused('hash-mismatch', 'image:record', { op: other });
    await refused('hash-mismatch', 'image:record', { op: makeOp('image', { ...image.body, bytes: 2999 }) });
    await refused('bad-message', 'image:record', { op: makeOp('image', { ...image.body, sha256: 'no' }) });
  });

  it('1§5: a duplicate image id and a survey without a user get the exact texts', async () => {
    const content = photograph(3000);
    const image = imageOp(surveyId, content);
    const uploadId = await begin(notice(content, { imageId: image.docId }));
    await client.send('image:binary', { uploadId, offset: 0 }, content);
    expect(await client.send('image:record', { op: image })).toMatchObject({ ok: true });
    const other = photograph(100);
    expect(await refused('image-exists', 'image:path', notice(other, { imageId: image.docId }))).toMatchObject({
      message: 'Image Id already exists for this survey. Please try again',
    });
    await refused('image-exists', 'image:record', { op: imageOp(surveyId, other, image.docId) });
    expect(
      await refused('unlinked-survey', 'survey', { op: makeOp('survey', { id: newId(), user: { org: null } }) }),
    ).toMatchObject({ message: 'Survey not Linked to any user. Please try again' });
  });

  it('protocol: ops with a wrong hash, kind, id or form are refused', async () => {
    const survey = surveyOp();
    await refused('hash-mismatch', 'survey', { op: { ...survey, sha256: sha256('x') } });
    expect(await refused('bad-message', 'profile', { op: survey })).toMatchObject({ field: 'op.kind' });
    expect(await refused('bad-message', 'survey', { op: { ...survey, docId: newId() } })).toMatchObject({
      field: 'op.docId',
    });
    expect(await refused('bad-message', 'survey', { op: { ...survey, v: 2 } })).toMatchObject({ field: 'op.v' });
    expect(await refused('bad-message', 'survey', {})).toMatchObject({ field: 'op' });
    await refused('bad-message', 'survey', null);
    await refused('bad-message', 'survey', 'text');
    await refused('bad-message', 'no:such:event', {});
    await refused('bad-message', 'query', { name: 'everything' });
    await refused('bad-message', 'query', { name: 'changes', params: { since: -1 } });
    await refused('too-large', 'survey', {
      op: makeOp('survey', { ...survey.body, notes: 'x'.repeat(LIMITS.messageBytesMax) }),
    });
    await refused('too-large', 'survey', { op: { ...survey, unknown: 'x'.repeat(LIMITS.messageBytesMax) } });
    await refused('too-large', 'survey', {
      op: { ...survey, over: { date: Array.from({ length: 100_000 }, (_, n) => `${survey.docId}-${n + 1}`) } },
    });
  });

  it('1§6: a person writes only their own profile; `admin: true` is stored and grants nothing', async () => {
    const uid = newId();
    await refused('forbidden', 'profile', { op: makeOp('profile', { uid, name: 'Ada' }, { by: newId() as never }) });
    const op = makeOp(
      'profile',
      { uid, name: { first: 'Ada', last: '' }, admin: true, isExpert: true },
      { by: uid as never },
    );
    expect(await client.send('profile', { op })).toMatchObject({ ok: true, receipt: { accepted: true } });
    const { entries } = (await (
      await fetch(`${edge.url}/edge/changes`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
    ).json()) as { entries: { op?: { opId: string; body: object } }[] };
    expect(entries.find(({ op: stored }) => stored?.opId === op.opId)?.op?.body).toEqual(op.body);
    expect(await client.verify({ session: client.session })).toMatchObject({ ok: true, user: null });
    expect(
      (await fetch(`${edge.url}/edge/console`, { headers: { authorization: `Bearer ${client.session}` } })).status,
    ).toBe(403);
  });

  it('protocol: 64 KB of JSON nested 1,000 deep is refused over socket and HTTP', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(1000)}"${'x'.repeat(58_000)}"${'}'.repeat(1000)}`) as object;
    await refused('bad-message', 'survey', { op: { ...surveyOp(), body: deep } });
    await refused('bad-message', 'survey', deep);
    await refused('bad-message', 'verify', {
      protocol: { min: 1, max: 1 },
      app: { version: '1' },
      device: { id: newId(), name: 'x' },
      extra: deep,
    });
    const ask = (place: string, method: string, body: unknown) =>
      fetch(edge.url + place, {
        method,
        headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (const [place, method] of [
      ['/edge/sign-in', 'POST'],
      ['/edge/reference/regions', 'PUT'],
      ['/edge/bridge', 'POST'],
    ] as const) {
      const answer = await ask(place, method, deep);
      expect([place, answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
        place,
        400,
        'bad-message',
      ]);
    }
    const ops = (await (
      await ask('/edge/ops', 'POST', { ops: [{ ...surveyOp(), body: deep }, surveyOp()] })
    ).json()) as { results: object[] };
    expect(ops.results).toMatchObject([{ error: { code: 'bad-message' } }, { receipt: { accepted: true } }]);
  });

  it('protocol: invalid or overlong JSON bodies are refused over HTTP', async () => {
    const post = async (body: string, type = 'application/json') => {
      const answer = await fetch(`${edge.url}/edge/sign-in`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
      return [answer.status, ((await answer.json()) as { error: { code: string } }).error.code];
    };
    expect(await post('{"a":')).toEqual([400, 'bad-message']);
    expect(await post('{"__proto__": {"admin": true}}')).toEqual([400, 'bad-message']);
    expect(await post('a=1', 'application/x-www-form-urlencoded')).toEqual([400, 'bad-message']);
    expect(await post(`{"email":"${'x'.repeat(LIMITS.messageBytesMax)}"}`)).toEqual([413, 'too-large']);
  });

  it('protocol: an unverified socket, or a message without an acknowledgement, is refused', async () => {
    const stranger = await EdgeClient.connect(edge.url);
    for (const event of [
      'profile',
      'survey',
      'image:path',
      'image:binary',
      'image:record',
      'analysis',
      'query',
      'unsubscribe',
    ]) {
      expect(await stranger.send(event, {}), event).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
    }
    stranger.socket.emit('verify');
    stranger.socket.emit('nothing', 1, 2, 3);
    expect(await stranger.verify({ code: edge.code })).toMatchObject({ ok: true });
    stranger.close();
  });

  it('protocol: past and future protocol versions are refused', async () => {
    const verify = (protocol: object) =>
      client.send('verify', {
        protocol,
        app: { version: '1' },
        device: { id: client.deviceId, name: 'x' },
        session: client.session,
      });
    for (const protocol of [
      { min: 0, max: 0 },
      { min: 2, max: 9 },
    ]) {
      expect(await verify(protocol)).toMatchObject({
        ok: false,
        error: { code: 'unsupported-version', supported: { min: 1, max: 1 } },
      });
    }
    expect(await verify({ min: 2, max: 1 })).toMatchObject({ ok: false, error: { code: 'bad-message' } });
    expect(await verify({ min: 0, max: 99 })).toMatchObject({ ok: true, protocol: 1 });
  });

  it('protocol: a foreign Origin is refused over socket and HTTP', async () => {
    const from = (origin: string) => EdgeClient.connect(edge.url, { extraHeaders: { origin } });
    await expect(from('https://evil.example')).rejects.toMatchObject({ data: { code: 'forbidden' } });
    await expect(from('null')).rejects.toMatchObject({ data: { code: 'forbidden' } });
    const own = await from(`http://localhost:${edge.port}`);
    expect(await own.verify({ code: edge.code })).toMatchObject({ ok: true });
    own.close();
    const foreign = await fetch(`${edge.url}/edge/meta`, {
      headers: { origin: 'https://evil.example', authorization: `Bearer ${client.session}` },
    });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const home = await fetch(`${edge.url}/edge/meta`, {
      headers: { origin: edge.url, authorization: `Bearer ${client.session}` },
    });
    expect([home.status, home.headers.get('access-control-allow-origin')]).toEqual([200, edge.url]);
  });
});
