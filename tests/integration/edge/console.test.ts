import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startEdge } from '../../support/servers/edge';
import type { EdgeProcess } from '../../support/servers/edge';
import { makeOp, newId, pairedClient, photograph, surveyOp } from '../../support/servers/edge-client';
import type { EdgeClient } from '../../support/servers/edge-client';
import { newSealPair } from '../../support/servers/drive';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PERSON = { uid: newId(), first: 'Sigourney', last: 'Quillfeather', email: 'sigourney@quillfeather.example' };
let edge: EdgeProcess;
let client: EdgeClient;

beforeAll(async () => {
  edge = await startEdge({
    home: mkdtempSync(path.join(os.tmpdir(), 'reef-edge-ottoline-')),
    env: {
      EDGE_NAME: 'Box 03',
      EDGE_ADMIN_TOKEN: 'the-admin-token-of-the-test',
      GPS_URL: 'gpsd://captain-quill.lan:2947',
    },
  });
  client = await pairedClient(edge);
  await client.send('profile', {
    op: makeOp(
      'profile',
      { uid: PERSON.uid, name: { first: PERSON.first, last: PERSON.last }, email: PERSON.email },
      { by: PERSON.uid as never },
    ),
  });
  const survey = surveyOp(PERSON.uid);
  await client.send('survey', { op: survey });
  await client.photograph(survey.docId, photograph(5000));
});
afterAll(async () => {
  client.close();
  await edge.remove();
});

const basic = `Basic ${Buffer.from('anyone:the-admin-token-of-the-test').toString('base64')}`;
const ask = async (
  method: string,
  place: string,
  headers: Record<string, string> = {},
  form?: Record<string, string>,
) => {
  const answer = await fetch(edge.url + place, {
    method,
    redirect: 'manual',
    headers: { authorization: basic, ...headers },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};
const asBridge = (body: object) =>
  fetch(`${edge.url}/edge/bridge`, {
    method: 'POST',
    headers: { authorization: 'Bearer the-admin-token-of-the-test', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then((answer) => answer.json() as Promise<Record<string, unknown>>);
const word = (html: string): string => /name="form" value="([^"]+)"/.exec(html)?.[1] ?? '';

describe('protocol, Edge HTTP: the console', () => {
  it('protocol: the console lists what is owed by survey, since when, and the last bridge report', async () => {
    const before = (await ask('GET', '/edge/console')).text;
    expect(before).toContain('No bridge has connected yet');
    expect(before).toContain('owes the shore 1 photograph.');
    expect(before).toContain('Agincourt Reef');
    expect(before).toContain('2 records');
    expect(before).toContain('1 profile of people');
    expect(before).toMatch(/Oldest<\/dt><dd>\d+ s old/);
    expect(before).not.toContain('href="/edge/export"');
    expect(before).not.toContain('<script');
    const report = {
      at: new Date().toISOString(),
      state: 'no-link',
      words: 'No answer from the cloud <b>since</b> Tuesday.',
      owed: { ops: 3, images: 1, bytes: 5000 },
      sentToday: 400_000_000,
      dailyLimit: 1e9,
      doneAt: '2027-01-02T03:04:05.000Z',
      clockDriftMs: -7_200_000,
      verified: { at: '2026-11-20T10:00:00.000Z', asked: 12, missing: 1 },
    };
    await asBridge({ action: 'report', report });
    const after = (await ask('GET', '/edge/console')).text;
    for (const words of [
      'No link to shore',
      'No answer from the cloud &#60;b&#62;since',
      '400 MB; 1.0 GB a day may go',
      'about Sat 2 Jan 2027, 03:04 UTC',
      '1 of 12 photographs is missing there',
      'The box’s clock is 2 h ahead of the cloud.',
    ])
      expect(after).toContain(words);
  });

  it('protocol: console text shows no raw identifiers and a unit on every number', async () => {
    const [shown = '', forStaff = ''] = (await ask('GET', '/edge/console')).text.split('For support ashore');
    for (const raw of [edge.nodeId, edge.storeEpoch, client.deviceId]) expect(shown).not.toContain(raw);
    expect(forStaff).toContain(edge.nodeId);
    expect(shown).toMatch(
      /data-of="Sent"><div>0<\/div><\/td><td role="cell" class="count" data-of="With the cloud’s receipt"><div>0<\/div>/,
    );
    expect(shown).toMatch(/<dt>In all<\/dt><dd>\d+ KB</);
  });

  it('3§2: the console keeps the theme chosen on it or in the app', async () => {
    expect((await ask('GET', '/edge/console')).text).toContain('<html lang="en">');
    for (const place of ['/edge/console', '/edge/trust']) {
      const chosen = await ask('GET', `${place}?theme=deck`);
      expect([chosen.text.includes('<html lang="en" data-theme="deck">'), chosen.headers.get('set-cookie')]).toEqual([
        true,
        expect.stringMatching(/^reef-theme=deck; Path=\/edge; /),
      ]);
      expect((await ask('GET', place, { cookie: 'a=b; reef-theme=dark' })).text).toContain('data-theme="dark"');
      const none = await ask('GET', `${place}?theme=%22%3E%3Cscript%3E`);
      expect([none.status, none.text.includes('<script'), none.headers.get('set-cookie')]).toEqual([200, false, null]);
    }
  });

  it('protocol: buttons pause, resume and request a comparison, from the console page alone', async () => {
    const page = await ask('GET', '/edge/console');
    const form = word(page.text);
    expect(
      await ask(
        'POST',
        '/edge/console',
        { 'sec-fetch-site': 'same-origin', origin: edge.url },
        { action: 'pause', form },
      ),
    ).toMatchObject({ status: 303 });
    expect(await asBridge({ action: 'status' })).toMatchObject({ paused: true });
    const paused = (await ask('GET', '/edge/console')).text;
    expect(paused).toContain('Paused here');
    for (const [headers, sent] of [
      [{ 'sec-fetch-site': 'cross-site' }, { action: 'resume', form }],
      [{ origin: 'https://evil.example' }, { action: 'resume', form }],
      [{}, { action: 'resume', form: '' }],
      [{}, { action: 'resume', form: form.slice(1) }],
    ] as const) {
      expect((await ask('POST', '/edge/console', headers, sent)).status).toBe(403);
    }
    expect((await ask('POST', '/edge/console', { authorization: '' }, { action: 'resume', form })).status).toBe(401);
    expect((await ask('POST', '/edge/console', {}, { action: 'burn', form })).status).toBe(400);
    expect(await asBridge({ action: 'status' }), 'still').toMatchObject({ paused: true });
    await ask('POST', '/edge/console', {}, { action: 'verify', form });
    await ask('POST', '/edge/console', {}, { action: 'resume', form });
    expect(await asBridge({ action: 'status' })).toMatchObject({
      paused: false,
      verifyRequestedAt: expect.stringContaining('T') as string,
    });
    expect((await ask('GET', '/edge/console')).text).toContain('at the next link');
  });

  it('protocol: the console password opens downloads from its own page and no other address', async () => {
    const { recipient } = await newSealPair();
    await fetch(`${edge.url}/edge/reference/cloud-seal-key`, {
      method: 'PUT',
      headers: { authorization: 'Bearer the-admin-token-of-the-test', 'content-type': 'application/json' },
      body: JSON.stringify({ recipient }),
    });
    expect((await ask('GET', '/edge/console')).text).toContain('href="/edge/export"');
    const bundle = await ask('GET', '/edge/export', { 'sec-fetch-site': 'same-origin' });
    expect([bundle.status, bundle.headers.get('content-disposition')]).toEqual([
      200,
      'attachment; filename="box-03-1-3.reef"',
    ]);
    expect((await ask('GET', '/edge/export', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await ask('GET', '/edge/changes')).status).toBe(401);
  });

  it('protocol: diagnostics contain versions, counts, settings and log lines, and no names', async () => {
    // Log entries that name people in likely ways.
    await asBridge({
      action: 'report',
      report: {
        at: new Date().toISOString(),
        state: 'refused',
        words: `Refused for ${PERSON.first} ${PERSON.last} at 10.1.2.3`,
        owed: { ops: 0, images: 0, bytes: 0 },
        sentToday: 0,
        dailyLimit: null,
        doneAt: null,
        clockDriftMs: null,
        verified: null,
      },
    });
    const { status, text, headers } = await ask('GET', '/edge/diagnostics');
    expect([status, headers.get('content-disposition')]).toEqual([
      200,
      expect.stringContaining('attachment; filename="box-03-'),
    ]);
    const found = JSON.parse(text) as {
      box: object;
      counts: object;
      owed: object;
      settings: object;
      log: { msg?: string }[];
      bridge: { report: { words: string } };
    };
    expect(found).toMatchObject({
      box: { nodeId: edge.nodeId, storeEpoch: edge.storeEpoch },
      counts: { surveys: 1, images: 1 },
      owed: { owed: 3 },
      settings: { gps: 'gpsd', adminTokenGiven: true },
    });
    expect(found.log.map(({ msg }) => msg)).toContain('listening');
    expect(found.bridge.report.words).toBe('Refused for <name> <name> at <address>');
    for (const secret of [
      PERSON.uid,
      PERSON.first,
      PERSON.last,
      PERSON.email,
      'the-admin-token-of-the-test',
      edge.home,
      'captain-quill',
      client.deviceId,
      'Test tablet',
      edge.code,
    ])
      expect(text).not.toContain(secret);
  });
});
