import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultEdge, type FaultEdge } from '../faults/edge-process';
import { audit, fetchBlob, tempFolder } from '../support/servers/client';
import { sha256, type Op } from './canonical';
import { IndependentClient } from './client';
import { newId, newState, type ClientState } from './state';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const REAL = path.join(TOP, '..', 'shared', 'data', 'photos');
const folder = tempFolder('independent');
const home = path.join(folder.path, 'home');
let edge: FaultEdge;
let photos: string[];

/** Three largest real photographs if present, else three generated ones of several chunks. */
async function photographs(): Promise<string[]> {
  if (existsSync(REAL)) {
    const real = readdirSync(REAL)
      .filter((name) => name.endsWith('.jpg'))
      .map((name) => path.join(REAL, name));
    if (real.length >= 3) return real.sort((a, b) => statSync(b).size - statSync(a).size).slice(0, 3);
  }
  const made = ['#4cc5c6', '#003556', '#ffeab6'].map(async (background, i) => {
    const file = path.join(folder.path, `made-${i}.jpg`);
    await sharp({
      create: { width: 2400, height: 1600, channels: 3, background, noise: { type: 'gaussian', mean: 128, sigma: 60 } },
    })
      .jpeg({ quality: 92 })
      .toFile(file);
    return file;
  });
  return Promise.all(made);
}

beforeAll(async () => {
  photos = await photographs();
  edge = await startFaultEdge(home);
});
afterAll(async () => {
  await edge.stop();
  folder.remove();
});

/** Adds a person, a survey and the photograph. */
async function fill(client: IndependentClient, photo: string): Promise<void> {
  const uid = newId();
  client.addProfile(uid, 'Ada', 'Reef', 'ada@example.org');
  await client.addPhotograph(client.addSurvey(uid, 'Moore Reef'), photo, uid);
}

describe('a client written from the protocol page alone', () => {
  for (const [index, transport] of (['socket', 'http'] as const).entries()) {
    it(`protocol: the client pairs, sends a photograph over ${transport} and verifies its receipts`, async () => {
      const client = new IndependentClient({ url: edge.url, code: edge.code, transport });
      await fill(client, photos[index]!);
      expect(await client.drain()).toEqual([]);
      expect(client.state.items.map(({ receipt }) => receipt?.accepted)).toEqual([true, true, true]);
      const sent = readFileSync(photos[index]!);
      const back = await fetchBlob(edge, sha256(sent));
      expect(back?.equals(sent)).toBe(true);

      const surveys = await client.query<{ id: string; images: { total: number; here: number } }[]>('surveys');
      expect(surveys.find(({ id }) => id === client.state.items[1]!.op.docId)?.images).toMatchObject({
        total: 1,
        here: 1,
      });
      const pulled = await client.pull(2);
      for (const { op, receipt } of client.state.items)
        expect(pulled).toContainEqual(expect.objectContaining({ op: op as unknown as Op, receipt }));
      expect(await client.pull()).toEqual([]);
      client.stop();
    });
  }

  it('protocol: a resumable transfer over HTTP reports its offset', async () => {
    const client = new IndependentClient({ url: edge.url, code: edge.code });
    const uid = newId();
    const survey = client.addSurvey(uid, 'Halfway');
    expect(await client.drain()).toEqual([]);
    const bytes = readFileSync(photos[0]!);
    const hash = sha256(Buffer.concat([bytes, Buffer.from('another')]));
    const { uploadId } = await client.ask<{ uploadId: string }>('image:path', {
      surveyId: survey.op.docId,
      imageId: newId(),
      path: 'half.jpg',
      bytes: bytes.length + 7,
      sha256: hash,
      type: 'image/jpeg',
    });
    await client.ask('image:binary', { uploadId, offset: 0 }, bytes.subarray(0, 70_000));
    expect(await client.uploadHead(uploadId)).toEqual({ offset: 70_000, length: bytes.length + 7 });
    await expect(client.ask('image:binary', { uploadId, offset: 1 }, bytes.subarray(0, 10))).rejects.toMatchObject({
      code: 'offset-mismatch',
      details: { offset: 70_000 },
    });
    client.stop();
  });

  it('protocol: a wrong code, no code and an unverified socket are refused by name', async () => {
    for (const [code, expected] of [
      ['WRONGWRG', 'pairing-wrong'],
      [undefined, 'pairing-required'],
    ] as const) {
      const client = new IndependentClient({ url: edge.url, ...(code === undefined ? {} : { code }) });
      await expect(client.ensureVerified()).rejects.toMatchObject({ code: expected });
      client.stop();
    }
  });

  it('protocol: after a kill of the box the client resumes and finishes', async () => {
    const state: ClientState = newState();
    let chunks = 0;
    const victim = edge;
    const first = new IndependentClient({
      url: edge.url,
      code: edge.code,
      state,
      chunkBytes: 256 * 1024,
      reconnectStepMs: 50,
      reconnectMaxMs: 100,
      onChunk: () => void (++chunks === 2 && void victim.kill('SIGKILL')),
    });
    await fill(first, photos[2]!);
    void victim.whenExited.then(() => first.stop());
    await first.drain();
    expect(victim.exited?.signal).toBe('SIGKILL');
    expect(first.owed().length).toBe(1);

    edge = await startFaultEdge(home);
    const second = new IndependentClient({
      url: edge.url,
      code: edge.code,
      state,
      chunkBytes: 256 * 1024,
      onChunk: () => void ++chunks,
    });
    expect(await second.drain()).toEqual([]);
    second.stop();
    expect(await audit(edge, state.items, false)).toEqual([]);
    expect(chunks).toBeLessThanOrEqual(Math.ceil(statSync(photos[2]!).size / (256 * 1024)) + 1);
  });

  it('runs from the command line', async () => {
    const place = path.join(folder.path, 'cards');
    mkdirSync(place);
    await sharp({ create: { width: 400, height: 300, channels: 3, background: '#02253b' } })
      .jpeg()
      .toFile(path.join(place, 'one.jpg'));
    await sharp({ create: { width: 400, height: 300, channels: 3, background: '#fc8cac' } })
      .png()
      .toFile(path.join(place, 'two.png'));
    const args = [
      '--import',
      'tsx',
      path.join(TOP, 'tests', 'independent', 'main.ts'),
      '--edge',
      edge.url,
      '--code',
      edge.code,
      '--photos',
      place,
      '--state',
      path.join(folder.path, 'state.json'),
    ];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: TOP });
    expect(stdout).toContain('4 of 4 things receipted, 0 refused');
    const state = JSON.parse(readFileSync(path.join(folder.path, 'state.json'), 'utf8')) as ClientState;
    expect(await audit(edge, state.items, false)).toEqual([]);
  });
});
