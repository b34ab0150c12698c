import { fleetReport } from '../../support/fleet-report';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exportToDrive, parseExportArguments } from '../../../edge-server/drive/export-to-drive';
import { readSettings } from '../../../edge-server/settings';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { startEdge } from '../../support/servers/edge';
import { makeOp, newId, pairedClient, photograph, surveyOp } from '../../support/servers/edge-client';
import { codeIn, outboxMails } from '../../support/servers/mail';
import { signIn } from '../../support/servers/people';
import { authenticatorOf } from '../../support/servers/second-factor';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const EMAIL = 'staff@example.org';
let cloud: TestCloud;
let cookie = '';

beforeAll(async () => {
  cloud = await startCloud();
  await signIn(cloud, EMAIL);
  await cloud.cloud.context.accounts.people.setStaff(EMAIL, true);
});
afterAll(() => cloud.close());

const send = async (
  method: string,
  place: string,
  form?: Record<string, string> | FormData,
  headers: Record<string, string> = {},
) => {
  const answer = await fetch(cloud.url + place, {
    method,
    redirect: 'manual',
    headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
    ...(form === undefined ? {} : { body: form instanceof FormData ? form : new URLSearchParams(form) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

describe('the fleet console', () => {
  it('1§6: staff sign in by mailed code with a console cookie, and others are refused', async () => {
    expect((await send('GET', '/console')).text).toContain('Your mail address');
    const asked = await send('POST', '/console/sign-in', { email: EMAIL });
    expect(asked.text).toContain('A code is on its way to');
    const wrong = await send('POST', '/console/sign-in', { email: EMAIL, code: '000000' });
    expect([wrong.status >= 400, wrong.text.includes('role="alert"')]).toEqual([true, true]);
    const signed = await send('POST', '/console/sign-in', {
      email: EMAIL,
      code: codeIn(outboxMails(cloud.outbox), EMAIL),
    });
    expect([signed.status, signed.headers.get('location')]).toEqual([303, '/console']);
    expect(signed.headers.get('set-cookie')).toMatch(/^reef-console=[^;]+; Path=\/console; HttpOnly; SameSite=Strict$/);
    cookie = signed.headers.get('set-cookie')!.split(';')[0]!;
    expect((await send('GET', '/console')).text).toContain('Set up your second step');
    const begun = await send('POST', '/console/second-factor', { step: 'begin' });
    expect(begun.text).toContain('Code to scan with the authenticator app');
    const app = authenticatorOf(/address mono">([A-Z2-7 ]+)</.exec(begun.text)![1]!);
    const mistyped = await send('POST', '/console/second-factor', { step: 'confirm', code: 'x' });
    expect([mistyped.status, mistyped.text.includes('Set it up')]).toEqual([400, true]);
    const set = await send('POST', '/console/second-factor', { step: 'confirm', code: app() });
    expect(set.text.match(/<li>(\w{4}-){2}\w{4}<\/li>/g)).toHaveLength(10);
    const page = await send('GET', '/console');
    expect(page.text).toContain('No box has called yet.');
    expect(page.text).not.toContain('<script');
    expect((await send('GET', '/api/fleet')).status, 'nowhere else').toBe(401);

    const { session } = await signIn(cloud, 'person@example.org');
    const other = await send('GET', '/console', undefined, { cookie: `reef-console=${session}` });
    expect([other.status, other.text.includes('person@example.org is not one of the people')]).toEqual([403, true]);
  });

  it('protocol, fleet: a box is registered, shown with its reports and revoked on confirmation', async () => {
    const made = await send('POST', '/console/boxes', { name: 'Box <3>' });
    expect(made.text).toContain('Box &#60;3&#62; is registered');
    const token = /address mono">([^<]+)</.exec(made.text)![1]!;
    const node = newId();
    await cloud.post(
      '/api/fleet/report',
      fleetReport(node, {
        name: 'Box <3>',
        owed: { ops: 12, images: 7, bytes: 1e9 },
        disk: { free: 1, size: 100 },
        clockDriftMs: 7_200_000,
      }),
      token,
    );
    const page = (await send('GET', '/console')).text;
    for (const words of [
      'Box &#60;3&#62;',
      '7 photographs, 1.0 GB',
      '12 records in all',
      '1 % free',
      'The disk is nearly full',
      'Its clock is 2 h ahead',
      '7 photographs still aboard',
    ])
      expect(page).toContain(words);
    expect(page).not.toContain(token);
    const question = await send('POST', '/console/boxes/revoke', { node });
    expect(question.text).toContain('Revoke it');
    expect((await cloud.get('/api/keys', token)).status).toBe(200);
    expect((await send('POST', '/console/boxes/revoke', { node, sure: 'yes' })).status).toBe(303);
    expect((await cloud.post('/api/fleet/report', {}, token)).status).toBe(403);
    expect((await send('GET', '/console')).text).toContain('This box is revoked');
  });

  it('protocol, bridge: previews of photographs still aboard appear by survey, as WebP only', async () => {
    const node = newId();
    const uid = newId();
    const { body } = surveyOp(uid);
    const survey = makeOp(
      'survey',
      {
        ...body,
        loc: { ...(body['loc'] as object), name: 'Reef <b>' },
        note: 'a character that PostgreSQL has not: \u0000',
      },
      { by: uid as never },
    );
    await cloud.ops([survey], node);
    const picture = (
      await sharp({ create: { width: 320, height: 240, channels: 3, background: '#1d9fa5' } })
        .webp()
        .toBuffer()
    ).toString('base64');
    const [first, second] = ['a', 'b'].map((letter) => letter.repeat(64)) as [string, string];
    const row = { surveyId: survey.docId, madeAt: '2026-11-20T01:02:03.000Z' };
    await cloud.post('/api/fleet/report', {
      node,
      name: 'Box <4>',
      storeEpoch: newId(),
      version: '0.0.0',
      owed: { ops: 2, images: 2, bytes: 1e7 },
      oldestUnsentAt: null,
      disk: null,
      clockDriftMs: null,
      paused: null,
    });
    const refused = await cloud.post('/api/previews', {
      node,
      previews: [{ sha256: first, ...row, picture: Buffer.from('no picture at all').toString('base64') }],
    });
    expect(refused).toMatchObject({ status: 415, body: { error: { code: 'unsupported-media' } } });
    expect(
      (
        await cloud.post('/api/previews', {
          node,
          previews: [
            { sha256: first, ...row, picture },
            { sha256: second, ...row, surveyId: null, picture },
          ],
        })
      ).status,
    ).toBe(200);
    expect(
      (await cloud.post<{ missing: string[] }>('/api/have', { sha256: [first, 'c'.repeat(64)], of: 'previews' })).body
        .missing,
    ).toEqual(['c'.repeat(64)]);
    expect((await send('GET', '/console')).text).toContain(`<a href="/console/aboard/${node}">See 2 previews`);
    const page = (await send('GET', `/console/aboard/${node}`)).text;
    expect(page).toContain('Still aboard Box &#60;4&#62;');
    expect(page).toContain('Reef &#60;b&#62;, 2026-11-20');
    expect(page).toContain('A survey that is not ashore yet');
    const shown = await fetch(`${cloud.url}/console/previews/${first}`, { headers: { cookie } });
    expect(shown.headers.get('content-type')).toBe('image/webp');
    expect(Buffer.from(await shown.arrayBuffer()).toString('base64')).toBe(picture);
    expect((await fetch(`${cloud.url}/console/previews/${first}`)).status, 'for staff alone').toBe(401);
    expect((await send('GET', `/console/aboard/${newId()}`)).status).toBe(404);
    expect((await send('GET', '/console/previews/%00')).status).toBe(400);
  });

  it('protocol, fleet: an unused box token is withdrawn after a confirmation', async () => {
    const token = /address mono">([^<]+)</.exec(
      (await send('POST', '/console/boxes', { name: 'Box lost in the mail' })).text,
    )![1]!;
    const id =
      /name="node" value="([^"]+)"><button class="button line" aria-label="Withdraw the token of Box lost in the mail"/.exec(
        (await send('GET', '/console')).text,
      )![1]!;
    expect((await send('POST', '/console/boxes/revoke', { node: id })).text).toContain(
      'Withdraw the token of Box lost in the mail',
    );
    expect((await send('POST', '/console/boxes/revoke', { node: id, sure: 'yes' })).status).toBe(303);
    expect((await send('GET', '/console')).text).not.toContain('Box lost in the mail');
    expect((await cloud.get('/api/keys', token)).status).toBe(403);
  });

  it('3§2: the console keeps its chosen theme, signed in or not', async () => {
    const chosen = await send('GET', '/console?theme=deck');
    expect([chosen.text.includes('data-theme="deck"'), chosen.headers.get('set-cookie')]).toEqual([
      true,
      expect.stringMatching(/^reef-theme=deck; Path=\/console; /),
    ]);
    const kept = `${cookie}; reef-theme=deck`;
    for (const answer of [
      await send('GET', '/console', undefined, { cookie: kept }),
      await send('GET', '/console', undefined, { cookie: 'reef-theme=deck' }),
      await send('POST', '/console/boxes', { name: ' ' }, { cookie: kept }),
    ])
      expect(answer.text).toContain('data-theme="deck"');
  });

  it('protocol: a held op appears with its reason and can be released', async () => {
    const held = { ...surveyOp(), schema: 99 };
    await cloud.ops([held], undefined, STAFF_TOKEN);
    const page = (await send('GET', '/console')).text;
    expect(page).toContain('version 99');
    expect(page).toContain('<b>Survey Agincourt');
    expect((await send('POST', '/console/quarantine', { opId: held.opId })).status).toBe(303);
    expect((await send('GET', '/console')).text).toContain('every record was accepted');
    expect((await send('POST', '/console/quarantine', { opId: 'Nothing000000001-1' })).text).toContain(
      'That was not done',
    );
  });

  it('1§6: a cross-site request or a missing cookie is refused', async () => {
    const form = { name: 'Box 09' };
    expect((await send('POST', '/console/boxes', form, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await send('POST', '/console/boxes', form, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send('POST', '/console/boxes', form, { cookie: '' })).status).toBe(401);
    expect(
      (await send('POST', '/console/boxes', form, { origin: cloud.url, 'sec-fetch-site': 'same-origin' })).status,
    ).toBe(200);
    expect((await send('POST', '/console/boxes', { name: ' ' })).status).toBe(400);
  });

  it('protocol, Sealed bundle: an import asks to confirm an unknown key and offers receipts', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-console-'));
    const edge = await startEdge({ env: { EDGE_NAME: 'Box 07' } });
    try {
      const client = await pairedClient(edge);
      const survey = surveyOp();
      await client.send('survey', { op: survey });
      await client.photograph(survey.docId, photograph(300_000));
      client.close();
      const { body } = await cloud.get<{ recipient: string }>('/api/seal-key', null);
      const [done] = await exportToDrive(
        readSettings({ REEF_HOME: edge.home, EDGE_NAME: 'Box 07' }),
        '1.0.0',
        parseExportArguments([folder, '--seal-key', body.recipient]),
        () => undefined,
      );
      const form = (confirm: string): FormData => {
        const data = new FormData();
        data.set('confirm', confirm);
        data.set('bundle', new Blob([readFileSync(done!.file)]), 'box-07.reef');
        return data;
      };
      const asked = await send('POST', '/console/import', form(''));
      expect(asked.status).toBe(403);
      const kid = /type the key <b class="mono">([^<]+)</.exec(asked.text)![1]!;
      const imported = await send('POST', '/console/import', form(kid));
      expect([
        imported.status,
        imported.text.includes('The drive of Box 07 was imported'),
        imported.text.includes('2 records with a receipt'),
      ]).toEqual([200, true, true]);
      const link = /href="(\/console\/receipts\/[^"]+)"/.exec(imported.text)![1]!;
      const receipts = await send('GET', link);
      expect(receipts.text.trimEnd().split('\n')).toHaveLength(4);
      expect((await send('GET', '/console')).text).toContain(link);
      expect((await send('GET', '/console/receipts/..%2f..%2fkeys')).status).toBe(404);
      expect((await send('POST', '/console/import', new FormData())).status).toBe(400);
    } finally {
      await edge.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('1§6: sign-out ends the session', async () => {
    expect((await send('POST', '/console/sign-out', {})).status).toBe(303);
    expect((await send('GET', '/console')).text).toContain('Your mail address');
  });
});
