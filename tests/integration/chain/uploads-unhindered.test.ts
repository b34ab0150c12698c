import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AUTH_LIMITS } from '../../../cloud-sync/api/accounts/auth-limits';
import type { Edge } from '../../../edge-server/app';
import { buildEdge } from '../../../edge-server/app';
import { readSettings } from '../../../edge-server/settings';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { EdgeClient, imageOp, makeOp, newId, photograph, sha256, surveyOp } from '../../support/servers/edge-client';
import { registerDevice, signIn } from '../../support/servers/people';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

/** Photographs per route, five requests each: more than any limit allows in a minute. */
const PHOTOGRAPHS = 30;
const CHUNK = 16 * 1024;

const home = mkdtempSync(path.join(os.tmpdir(), 'reef-unhindered-'));
let cloud: TestCloud;
let edge: Edge;
let box: string;

beforeAll(async () => {
  cloud = await startCloud({ env: { PUBLIC_URL: 'https://reef.example' } });
  edge = await buildEdge(readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0' }), {
    log: pino({ level: 'silent' }),
  });
  box = await edge.listen();
});
afterAll(async () => {
  await edge.close();
  await cloud.close();
  rmSync(home, { recursive: true, force: true });
});

/** Calls share one address: this machine's. */
async function ask(origin: string, place: string, body: unknown, token?: string): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return fetch(`${origin}${place}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Sign-in route, exhausted first and called again beside each photograph. */
class WornOut {
  refused = 0;

  readonly #origin: string;
  readonly #place: string;
  readonly #body: () => unknown;
  readonly #perMinute: number;

  /** @param perMinute requests before it must refuse */
  constructor(origin: string, place: string, body: () => unknown, perMinute: number) {
    this.#origin = origin;
    this.#place = place;
    this.#body = body;
    this.#perMinute = perMinute;
  }

  /** Calls it until it refuses: once, or more often if a slow machine let the minute pass. */
  async exhaust(): Promise<void> {
    for (let n = 0; n <= 2 * this.#perMinute; n++) {
      const { status } = await ask(this.#origin, this.#place, this.#body());
      if (status !== 429) continue;
      this.refused += 1;
      return;
    }
    expect.fail(`${this.#place} never refused`);
  }
}

/** Uploads photographs while every exhausted route is called too and refuses. */
async function bringBeside(worn: readonly WornOut[], bring: (n: number) => Promise<void>): Promise<void> {
  for (let n = 0; n < PHOTOGRAPHS; n++) await Promise.all([bring(n), ...worn.map((one) => one.exhaust())]);
  for (const one of worn) expect(one.refused).toBe(1 + PHOTOGRAPHS);
}

/** Sends bytes in several requests; each must be accepted at once. */
async function sendPieces(origin: string, at: string, content: Uint8Array, token: string): Promise<void> {
  for (let offset = 0; offset < content.length; offset += CHUNK) {
    const answer = await fetch(`${origin}${at}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/partial-upload',
        'upload-offset': String(offset),
      },
      body: content.slice(offset, offset + CHUNK),
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([200, null]);
  }
}

describe('1§7: sign-in limits never delay an upload', () => {
  it('1§7: the cloud accepts uploads while every sign-in from that address is refused', async () => {
    const person = await signIn(cloud, 'sender@example.org');
    const device = await registerDevice(cloud, person);
    const email = () => ({
      email: 'worn-out@example.org',
      password: 'six of it',
      verificationCode: '000000',
      token: newId(),
      path: '/',
    });
    const ways = [
      ['/api/fn/send-user-login-code', AUTH_LIMITS.sendsPerMinute],
      ['/api/fn/verify-user-login-code', AUTH_LIMITS.guessesPerMinute],
      ['/api/fn/sign-in-with-password', AUTH_LIMITS.passwordsPerMinute],
      ['/api/auth/custom-token', AUTH_LIMITS.guessesPerMinute],
    ] as const;
    const worn = ways.map(([place, perMinute]) => new WornOut(cloud.url, place, email, perMinute));
    await Promise.all(worn.map((one) => one.exhaust()));
    const survey = surveyOp(person.user.uid);
    const take = async (op: unknown): Promise<void> => {
      const answer = await ask(cloud.url, '/api/ops', { ops: [op] }, device);
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([200, null]);
      expect(await answer.json()).toMatchObject({ results: [{ receipt: { accepted: true } }] });
    };
    await take(survey);
    await bringBeside(worn, async () => {
      const content = photograph(3 * CHUNK);
      const announced = await ask(
        cloud.url,
        '/api/uploads',
        { sha256: sha256(content), bytes: content.length, type: 'image/jpeg' },
        device,
      );
      expect(announced.status).toBe(200);
      await sendPieces(
        cloud.url,
        `/api/uploads/${((await announced.json()) as { uploadId: string }).uploadId}`,
        content,
        device,
      );
      await take(
        makeOp(
          'image',
          { ...imageOp(survey.docId, content).body, user: { uid: person.user.uid } },
          { by: person.user.uid as never },
        ),
      );
    });
  });

  it('1§7: a box accepts a paired tablet’s uploads while sign-in and pairing are refused', async () => {
    const code = edge.context.pairing.code();
    const first = await EdgeClient.connect(box);
    expect(await first.verify({ code })).toMatchObject({ ok: true });
    const survey = surveyOp();
    expect(await first.send('survey', { op: survey })).toMatchObject({ ok: true });
    first.close();
    const ownSignIn = new WornOut(
      box,
      '/edge/sign-in',
      () => ({ email: 'a@example.org', name: { first: 'A', last: 'B' }, device: { id: newId(), name: 'T' }, code }),
      120,
    );
    await ownSignIn.exhaust();
    // Wrong codes exhaust pairing for that device name; the paired one still connects.
    const guesser = await EdgeClient.connect(box);
    for (let n = 0; n < 9; n++) await guesser.verify({ code: 'AAAAAAAA' });
    expect(await guesser.verify({ code: 'AAAAAAAA' })).toMatchObject({ ok: false, error: { code: 'rate-limited' } });
    guesser.close();

    const client = await EdgeClient.connect(box, {}, first.deviceId);
    expect(await client.verify({ session: first.session })).toMatchObject({ ok: true });
    await bringBeside([ownSignIn], async (n) => {
      const content = photograph(3 * CHUNK);
      const op = imageOp(survey.docId, content);
      if (n % 2 === 0) expect(await client.upload(op, content, CHUNK)).toMatchObject({ ok: true });
      else
        await sendPieces(
          box,
          `/edge/uploads/${String((await client.announce(op, content))['uploadId'])}`,
          content,
          first.session,
        );
      expect(await client.send('image:record', { op })).toMatchObject({ ok: true, receipt: { accepted: true } });
      const analysis = makeOp('analysis', {
        id: newId(),
        version: 2.4,
        image: { id: op.docId },
        survey: { id: survey.docId },
        user: { uid: newId() },
      });
      expect(await client.send('analysis', { op: analysis })).toMatchObject({ ok: true, receipt: { accepted: true } });
    });
    client.close();
  });
});
