import { mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startEdge } from '../../support/servers/edge';
import type { EdgeOptions, EdgeProcess } from '../../support/servers/edge';
import {
  EdgeClient,
  imageOp,
  newId,
  pairedClient,
  photograph,
  sha256,
  surveyOp,
} from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

interface Damaged {
  readonly home: string;
  /** Data folder of the box inside it. */
  readonly place: string;
}

/** Stopped box after `first`, with one of its files replaced. */
async function damaged(
  file: string,
  content: string,
  options: EdgeOptions = {},
  first?: (edge: EdgeProcess) => Promise<void>,
): Promise<Damaged> {
  const edge = await startEdge(options);
  undo.push(() => edge.remove());
  await first?.(edge);
  await edge.stop();
  const place = path.join(edge.home, 'edge');
  writeFileSync(path.join(place, file), content);
  return { home: edge.home, place };
}

async function startAgain(home: string, options: EdgeOptions = {}): Promise<EdgeProcess> {
  const edge = await startEdge({ home, ...options });
  undo.push(() => edge.stop());
  return edge;
}

const GARBAGE = 'this is no database and never was. '.repeat(200);

describe('protocol: damaged files of a box', () => {
  it('protocol: damaged tablet data is replaced by an empty file, and the records stay', async () => {
    const survey = surveyOp();
    let before = { deviceId: '', session: '' };
    const { home, place } = await damaged('box.db', GARBAGE, {}, async (first) => {
      const paired = await pairedClient(first);
      expect(await paired.send('survey', { op: survey })).toMatchObject({ ok: true });
      before = { deviceId: paired.deviceId, session: paired.session };
      paired.close();
    });
    const edge = await startAgain(home);
    const [aside, ...others] = readdirSync(place).filter((name) => name.startsWith('box.db.broken-'));
    expect(others).toEqual([]);
    expect(readFileSync(path.join(place, aside ?? ''), 'utf8')).toBe(GARBAGE);
    expect(edge.output).toContain('tablets pair again');
    const client = await EdgeClient.connect(edge.url, {}, before.deviceId);
    undo.push(() => client.close());
    expect(await client.verify({ session: before.session })).toMatchObject({ error: { code: 'unauthorised' } });
    expect(await client.verify()).toMatchObject({ error: { code: 'pairing-required' } });
    expect(await client.verify({ code: edge.code })).toMatchObject({ ok: true });
    expect(await client.send('query', { name: 'surveys' })).toMatchObject({ data: [{ id: survey.docId }] });
  });

  it('protocol, Durable: a truncated photograph is requested again and restored', async () => {
    const survey = surveyOp();
    const content = photograph(9000);
    const image = imageOp(survey.docId, content);
    const hash = sha256(content);
    const deviceId = newId();
    const edge = await startEdge();
    undo.push(() => edge.remove());
    const first = await pairedClient(edge, deviceId);
    expect(await first.send('survey', { op: survey })).toMatchObject({ ok: true });
    await first.upload(image, content);
    const before = await first.send('image:record', { op: image });
    expect(before).toMatchObject({ ok: true });
    first.close();
    await edge.stop();
    truncateSync(path.join(edge.home, 'edge', 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash), 4000);
    const again = await startAgain(edge.home);
    expect(again.output).toContain('not here as it was receipted');
    const client = await EdgeClient.connect(again.url, {}, deviceId);
    undo.push(() => client.close());
    expect(await client.verify({ session: first.session })).toMatchObject({ ok: true });
    const changes = async (lost?: string): Promise<unknown> =>
      (await client.send('query', { name: 'changes', params: { since: 2, ...(lost === undefined ? {} : { lost }) } }))[
        'data'
      ];
    const told = (await changes()) as { entries: unknown[]; lost?: { key: string; sha256: string[] } };
    expect(told, 'the end of the feed tells tablets').toMatchObject({ entries: [], lost: { sha256: [hash] } });
    expect(await changes(told.lost?.key), 'once').not.toHaveProperty('lost');
    expect(await client.announce(image, content), 'its bytes are requested from the first on').toMatchObject({
      ok: true,
      complete: false,
      offset: 0,
    });
    await client.upload(image, content);
    expect(await client.announce(image, content)).toMatchObject({ ok: true, complete: true });
    expect(await client.send('image:record', { op: image }), 'and its receipt is unchanged').toEqual(before);
    expect(await changes(told.lost?.key)).toMatchObject({ entries: [], lost: { key: '', sha256: [] } });
    expect(await changes()).not.toHaveProperty('lost');
  });

  it('protocol: a garbage lock file blocks no start and still admits one process only', async () => {
    const { home } = await damaged('lock', GARBAGE);
    await startAgain(home);
    await expect(startEdge({ home })).rejects.toThrow('Another process is working on');
  });

  it.each([
    ['keys/receipts.json', '{'],
    ['keys/traces.json', '{"v":1,"active":"a","keys":[{"kid":"a","x":"AA","d":"AA"}]}'],
  ])('protocol: an unreadable signing key (%s) is reported and never replaced', async (file, content) => {
    const { home, place } = await damaged(file, content);
    await expect(startEdge({ home })).rejects.toThrow(
      `The signing key in ${path.basename(file)} cannot be read. Put back a copy of it`,
    );
    expect(readFileSync(path.join(place, file), 'utf8')).toBe(content);
  });

  it('protocol: a damaged certificate is reissued, and the trusted CA stays', async () => {
    const { home, place } = await damaged('tls/server.json', '{', { tls: true });
    const edge = await startAgain(home, { tls: true });
    expect(edge.certificate).toContain('BEGIN CERTIFICATE');
    await edge.stop();
    writeFileSync(path.join(place, 'tls', 'ca.json'), '{');
    await expect(startEdge({ home, tls: true })).rejects.toThrow(
      /The certificate authority in \S+ca\.json cannot be read\. Put back a copy of it/,
    );
  });
});

describe('protocol, Commands and settings: files that settings name', () => {
  it('protocol: an invalid home or certificate is a wrong setting: one line, exit code 2', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-damaged-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'file');
    writeFileSync(file, 'x');
    for (const [name, options] of [
      ['REEF_HOME', { home: file }],
      ['EDGE_TLS_CERT', { home: folder, env: { EDGE_TLS_CERT: file, EDGE_TLS_KEY: file } }],
      ['EDGE_TLS_CERT', { home: folder, env: { EDGE_TLS_CERT: path.join(folder, 'nothing'), EDGE_TLS_KEY: file } }],
    ] as const) {
      await expect(startEdge(options)).rejects.toThrow(new RegExp(`\\(2\\)[^\\n]*\\n${name}: [^\\n]+\\n$`));
    }
  });
});
