import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FleetBox } from '../../../src/protocol/cloud-http';
import type { Receipt } from '../../../src/protocol/receipt';
import { fleetReport } from '../../support/fleet-report';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { imageOp, makeOp, newId, photograph, sha256, surveyOp } from '../../support/servers/edge-client';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(() => cloud.close());

const staff = <Body>(method: string, place: string, body?: unknown) =>
  cloud.ask<Body & Record<string, unknown>>(method, place, body, STAFF_TOKEN);
const register = async (name: string, node?: string) =>
  (
    await staff<{ token: string; id: string }>('POST', '/api/fleet/boxes', {
      name,
      ...(node === undefined ? {} : { node }),
    })
  ).body;

describe('protocol, Cloud HTTP: the fleet', () => {
  it('protocol: staff register a box, and its token is bound to it from first use', async () => {
    const [node, other] = [newId(), newId()];
    const { token } = await register('Coral Star');
    expect(await cloud.ops([surveyOp()], node, token)).toMatchObject([{ receipt: { accepted: true } }]);
    expect((await cloud.post('/api/ops', { node: other, ops: [surveyOp()] }, token)).status).toBe(403);
    const second = await register('Spare');
    const refused = await cloud.post('/api/ops', { node, ops: [surveyOp()] }, second.token);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.stringContaining('another box')]);
  });

  it('protocol: a box’s report appears with the warnings for staff', async () => {
    const node = newId();
    const { token } = await register('Reef Box');
    const owes = fleetReport(node, {
      owed: { ops: 4, images: 3, bytes: 9 },
      oldestUnsentAt: '2020-01-01T00:00:00.000Z',
      disk: { free: 1, size: 100 },
      clockDriftMs: 600_000,
      paused: 'the daily budget is used up',
    });
    expect((await cloud.post('/api/fleet/report', owes, token)).body).toMatchObject({ ok: true });
    const { body } = await staff<{ boxes: FleetBox[] }>('GET', '/api/fleet');
    const box = body.boxes.find((one) => one.node === node);
    expect(box).toMatchObject({ name: 'Reef Box', revokedAt: null, report: owes });
    expect(box?.warnings.join(' ')).toMatch(/only aboard.*nearly full.*10 min ahead.*Nothing moves: the daily budget/);
  });

  it('protocol: a revoked box is notified, loses nothing and resumes when registered again', async () => {
    const node = newId();
    const { token } = await register('Lost Box');
    const [survey, later] = [surveyOp(), surveyOp()];
    const [first] = await cloud.ops([survey], node, token);
    expect((await staff('POST', `/api/fleet/boxes/${node}/revoke`)).status).toBe(200);
    for (const place of ['/api/ops', '/api/have', '/api/uploads']) {
      const { status, body } = await cloud.post(place, { node, ops: [later] }, token);
      expect([status, body]).toMatchObject([
        403,
        { error: { code: 'forbidden', message: expect.stringContaining('revoked') } },
      ]);
    }
    expect((await cloud.get('/api/changes', token)).status).toBe(403);
    const again = await register('Lost Box', node);
    expect(await cloud.ops([survey, later], node, again.token)).toMatchObject([first, { receipt: { accepted: true } }]);
    expect((await cloud.get('/api/changes', token)).status, 'the old token stays worth nothing').toBe(403);
  });

  it('protocol: an unused registration can be revoked, and an unknown one is not found', async () => {
    const { token, id } = await register('Never came');
    expect(
      (await staff<{ registered: { id: string }[] }>('GET', '/api/fleet')).body.registered.map((one) => one.id),
    ).toContain(id);
    expect((await staff('POST', `/api/fleet/boxes/${id}/revoke`)).status).toBe(200);
    expect((await cloud.post('/api/ops', { ops: [] }, token)).status).toBe(403);
    expect((await staff('POST', `/api/fleet/boxes/${newId()}/revoke`)).status).toBe(404);
  });
});

describe('protocol: quarantine', () => {
  it('protocol: staff see held ops with reasons, and a release sends a new receipt', async () => {
    const node = newId();
    const survey = surveyOp(newId(), { schema: 42 });
    const content = photograph(3000);
    const image = imageOp(survey.docId, content);
    await cloud.upload(content);
    expect(await cloud.ops([survey, image], node)).toMatchObject([
      { receipt: { accepted: false } },
      { receipt: { accepted: false, reason: 'Its survey is on hold until staff review it.' } },
    ]);
    const { body } = await staff<{ items: { op: { opId: string }; reason: string }[] }>('GET', '/api/quarantine');
    expect(body.items.find(({ op }) => op.opId === survey.opId)?.reason).toContain('version 42');
    const released = await staff<{ receipt: Receipt }>('POST', `/api/quarantine/${survey.opId}/release`);
    expect(released.body.receipt).toMatchObject({ accepted: true, opId: survey.opId });
    await staff('POST', `/api/quarantine/${image.opId}/release`);
    const { entries } = await cloud.changes();
    const last = entries.filter(({ receipt }) => receipt?.opId === survey.opId).at(-1);
    expect(last?.receipt).toEqual(released.body.receipt);
    expect((await cloud.cloud.context.store.document('survey', survey.docId))?.owned).toEqual({
      meta: { images: { total: 1 } },
    });
    expect(await cloud.cloud.context.store.recordedBlobs(image.docId)).toEqual([
      { sha256: sha256(content), bytes: content.length },
    ]);
    expect((await staff('POST', '/api/quarantine/Device0000000001-77/release')).status).toBe(404);
  });
});

describe('protocol: quarantine without bytes', () => {
  it('protocol: a photograph record without valid bytes can be released like any other', async () => {
    const node = newId();
    const survey = surveyOp();
    const named = imageOp(survey.docId, photograph(100)).body;
    const odd = [{ bytes: 1.5 }, { bytes: 1e308 }, { sha256: 'a\u0000b' }, { sha256: '../../keys/receipts.json' }].map(
      (wrong) => makeOp('image', { ...named, id: newId(), ...wrong }),
    );
    await cloud.ops([survey, ...odd], node);
    for (const { opId, docId } of odd) {
      expect((await staff<{ receipt: Receipt }>('POST', `/api/quarantine/${opId}/release`)).body.receipt).toMatchObject(
        { accepted: true, opId },
      );
      expect(await cloud.cloud.context.store.recordedBlobs(docId)).toEqual([]);
    }
    expect((await cloud.cloud.context.store.document('survey', survey.docId))?.owned).toEqual({
      meta: { images: { total: 4 } },
    });
  });
});

describe('protocol, Cloud HTTP: reference data and reports', () => {
  it('protocol: staff publish reference data, and anyone fetches it if it changed', async () => {
    const put = await staff<{ etag: string }>('PUT', '/api/reference/events', { events: [1, 2] });
    const answer = await fetch(`${cloud.url}/api/reference/events`);
    expect([await answer.json(), answer.headers.get('etag')]).toEqual([{ events: [1, 2] }, put.body.etag]);
    expect(
      (await fetch(`${cloud.url}/api/reference/events`, { headers: { 'if-none-match': put.body.etag } })).status,
    ).toBe(304);
    expect((await cloud.get('/api/reference/nothing', null)).status).toBe(404);
    expect((await cloud.ask('PUT', '/api/reference/events', {})).status, 'a box may not').toBe(403);
  });

  it('2§7, 3§7: an error report stores only the specified fields; analytics events are accepted', async () => {
    const entry = {
      method: 'error',
      timestamp: '2026-11-22T00:00:00Z',
      message: 'It broke',
      url: '/upload',
      browser: 'x',
      screen: '1x1',
      viewport: '1x1',
      language: 'en',
      device: 'tablet',
      host: 'reef',
      timeZone: 'UTC',
      uid: null,
      version: '0.1.0',
    };
    expect(
      (await cloud.post('/api/log', { ...entry, email: 'mara@example.org', password: 'secret' }, null)).status,
    ).toBe(200);
    const { rows } = await cloud.cloud.context.database.pool.query('SELECT example FROM error_groups');
    expect(rows).toEqual([{ example: entry }]);
    expect((await cloud.post('/api/log', { message: 'x'.repeat(5000) }, null)).status).toBe(400);
    expect(
      await cloud.post('/api/log', { ...entry, message: 'It broke \u0000' }, null),
      'a character that the database has not',
    ).toMatchObject({ status: 400, body: { error: { code: 'bad-message', retryable: false } } });
    expect(
      (await cloud.post('/api/analytics', { name: 'analysis_complete', params: { step: '\u0000' } }, null)).status,
    ).toBe(400);
    expect((await cloud.post('/api/analytics', { name: 'analysis_complete', params: { step: 2 } }, null)).status).toBe(
      200,
    );
    const statuses: number[] = [];
    for (let n = 0; n < 40; n++) statuses.push((await cloud.post('/api/log', entry, null)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await cloud.get('/healthz', null)).status, 'nothing else is held up').toBe(200);
  });
});

describe('protocol: one token for several boxes', () => {
  it('protocol: a store of version 1 with several boxes on one token retains these and admits no further one', async () => {
    const [one, other, third] = [newId(), newId(), newId()];
    const [ofOne, ofOther] = [surveyOp(), surveyOp()];
    const { pool } = cloud.cloud.context.database;
    const { token } = await register('Laptop in the yard');
    const [{ token_hash: hash } = { token_hash: '' }] = (
      await pool.query<{ token_hash: string }>('SELECT token_hash FROM box_tokens ORDER BY created_at DESC LIMIT 1')
    ).rows;
    for (const node of [one, other])
      await pool.query(
        "INSERT INTO boxes (node, token_hash, name, first_seen_at, last_seen_at) VALUES ($1, $2, '', now(), now())",
        [node, hash],
      );
    await cloud.ops([ofOne], one, token);
    await cloud.ops([ofOther], other, token);
    expect((await cloud.post('/api/ops', { node: third, ops: [] }, token)).status).toBe(403);
    const read = (node: string) =>
      cloud.get<{ entries: { receipt: Receipt }[] }>(`/api/changes?since=0&node=${node}`, token);
    expect((await read(one)).body.entries.map(({ receipt }) => receipt.opId)).toEqual([ofOne.opId]);
    expect((await read(other)).body.entries.map(({ receipt }) => receipt.opId)).toEqual([ofOther.opId]);
    const unnamed = await cloud.get('/api/changes?since=0', token);
    expect([unnamed.status, unnamed.body]).toMatchObject([
      403,
      { error: { code: 'forbidden', field: 'node', message: expect.stringContaining('Name the one that reads') } },
    ]);

    // Half a photograph: only the box that started it may continue.
    const content = photograph(9000);
    const announce = (node: string) =>
      cloud.post<{ uploadId: string }>(
        '/api/uploads',
        { sha256: sha256(content), bytes: content.length, type: 'image/jpeg', node },
        token,
      );
    const { uploadId } = (await announce(one)).body;
    await cloud.cloud.context.blobs.write(uploadId, 0, content.subarray(0, 4000));
    expect((await announce(other)).body).toMatchObject({ offset: 0 });
    expect((await announce(one)).body).toMatchObject({ uploadId, offset: 4000 });

    // A token of one box's own ends neither the others' access nor reads as another box.
    const own = await register('Coral Star', one);
    expect((await read(other)).status).toBe(200);
    expect((await cloud.get(`/api/changes?node=${other}`, own.token)).status).toBe(403);
    expect((await cloud.get(`/api/changes?node=${one}`, own.token)).status).toBe(200);
  });
});
