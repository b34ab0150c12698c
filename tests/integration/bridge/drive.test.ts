import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { importFile } from '../../../cloud-sync/api/bundles/import-file';
import { SealKeys } from '../../../cloud-sync/api/bundles/seal-keys';
import { importReceipts } from '../../../edge-server/drive/import-receipts';
import { exportToDrive, parseExportArguments } from '../../../edge-server/drive/export-to-drive';
import type { EdgeSettings } from '../../../edge-server/settings';
import { readSettings } from '../../../edge-server/settings';
import type { ImportLine } from '../../../src/protocol/bundle';
import type { ChangesPage } from '../../../src/protocol/changes';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { shoreBundle } from '../../support/servers/cloud-process';
import { startEdge } from '../../support/servers/edge';
import type { EdgeProcess } from '../../support/servers/edge';
import { imageOp, makeOp, newId, pairedClient, photograph, sha256, surveyOp } from '../../support/servers/edge-client';
import type { EdgeClient } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const TOP = path.resolve(import.meta.dirname, '..', '..', '..');
const drive = mkdtempSync(path.join(os.tmpdir(), 'reef-drive-'));
const log = pino({ level: 'silent' });
const PERSON = newId();
const survey = surveyOp(PERSON);
const contents = [photograph(400_000), photograph(2_500_000), photograph(900)];
let edge: EdgeProcess;
let client: EdgeClient;
let cloud: TestCloud;
let settings: EdgeSettings;
/** Program of the bridge. */
let bridge: string;

beforeAll(async () => {
  bridge = path.join(await shoreBundle('bridge'), 'server.mjs');
  [edge, cloud] = await Promise.all([startEdge({ env: { EDGE_NAME: 'Box 03' } }), startCloud()]);
  client = await pairedClient(edge);
  settings = { ...readSettings({ REEF_HOME: edge.home, EDGE_NAME: 'Box 03', MIN_FREE_GB: '0' }), port: edge.port };
  await client.send('profile', { op: makeOp('profile', { uid: PERSON, name: { first: 'Mara', last: 'Lind' } }) });
  await client.send('survey', { op: survey });
  for (const content of contents) await client.photograph(survey.docId, content);
});
afterAll(async () => {
  client.close();
  await edge.remove();
  await cloud.close();
  rmSync(drive, { recursive: true, force: true });
});

const asAdmin = async <Body = Record<string, unknown>>(
  method: string,
  place: string,
  body?: unknown,
): Promise<Body> => {
  const answer = await fetch(edge.url + place, {
    method,
    headers: {
      authorization: `Bearer ${edge.adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Body;
};
const exported = async (...words: string[]): Promise<string> =>
  (await exportToDrive(settings, '1.0.0', parseExportArguments([drive, ...words]), () => undefined))[0]!.file;
const bring = async (file: string): Promise<ImportLine[]> => {
  const answer = await fetch(`${cloud.url}/api/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cloud.boxToken}`, 'content-type': 'application/x-reef-bundle' },
    body: readFileSync(file),
  });
  const text = await answer.text();
  expect(answer.status, text.slice(0, 300)).toBe(200);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ImportLine);
};
const receiptsIn = (lines: readonly ImportLine[]) => lines.flatMap((line) => ('receipt' in line ? [line.receipt] : []));

/** Runs the command without blocking: the cloud it calls lives in this process. */
function asyncCommand(...words: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [bridge, 'import', ...words], { cwd: TOP, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()));
  child.stderr.on('data', (part: Buffer) => (stderr += part.toString()));
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, stdout, stderr })));
}

describe('protocol, Sealed bundle: from the box to the cloud and back', () => {
  let first: ImportLine[];
  let file: string;

  it('protocol, Sealed bundle: the cloud serves its public key and retains old private keys', async () => {
    const { body } = await cloud.get<{ recipient: string }>('/api/seal-key', null);
    await asAdmin('PUT', '/edge/reference/cloud-seal-key', body);
    const keys = path.join(cloud.settings.home, 'keys', 'seal.json');
    expect((statSync(keys).mode & 0o777).toString(8)).toBe('600');
    file = await exported();
    await cloud.stop();
    const rotated = await SealKeys.rotate(keys, Date.now);
    expect(rotated.recipient).not.toBe(body.recipient);
    expect(rotated.identities).toHaveLength(2);
    await cloud.restart();
    expect((await cloud.get<{ recipient: string }>('/api/seal-key', null)).body.recipient).toBe(rotated.recipient);
  });

  it('protocol, Sealed bundle: an import stores the bytes and returns receipts in op order', async () => {
    first = await bring(file);
    expect(first[0]).toMatchObject({
      bundle: { node: edge.nodeId, ops: { count: 5 } },
      signer: { known: false, before: null },
    });
    expect(first.at(-1)).toEqual({ done: { receipted: 5, refused: 0, waiting: 0, failed: 0, newBlobs: 3 } });
    const feed = await asAdmin<ChangesPage>('GET', '/edge/changes');
    expect(receiptsIn(first).map(({ opId }) => opId)).toEqual(feed.entries.map(({ op }) => op?.opId));
    expect(receiptsIn(first)).toEqual(
      first.slice(1, -1).map(() => expect.objectContaining({ stage: 'cloud', accepted: true }) as object),
    );
    for (const content of contents) {
      const blob = await fetch(`${cloud.url}/api/blobs/${sha256(content)}`, {
        headers: { authorization: `Bearer ${cloud.boxToken}` },
      });
      expect(sha256(Buffer.from(await blob.arrayBuffer()))).toBe(sha256(content));
    }
    expect(await cloud.cloud.context.store.document('survey', survey.docId)).toMatchObject({
      owned: { meta: { images: { total: 3 } } },
    });
  });

  it('protocol, Sealed bundle: a second import changes nothing and returns the same receipts', async () => {
    const before = await cloud.cloud.context.store.changes({ since: 0, limit: 100 });
    const again = await bring(file);
    expect(again[0]).toMatchObject({ signer: { known: true, before: expect.stringContaining('T') as string } });
    expect(again.slice(1, -1)).toEqual(first.slice(1, -1));
    expect(again.at(-1)).toMatchObject({ done: { receipted: 5, newBlobs: 0 } });
    expect(await cloud.cloud.context.store.changes({ since: 0, limit: 100 })).toEqual(before);
  });

  it('protocol, Sealed bundle: the running box imports receipts once, so nothing is owed', async () => {
    const back = `${file}.receipts.json`;
    writeFileSync(back, first.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await expect(importReceipts(settings, log, back, false)).resolves.toMatchObject({
      added: 0,
      refused: expect.arrayContaining([
        expect.objectContaining({ why: expect.stringContaining('signed with an unknown key') as string }),
      ]) as object,
    });
    const { body } = await cloud.get<{ keys: { kid: string; for: string }[] }>('/api/keys', null);
    await asAdmin('PUT', '/edge/reference/cloud-keys', { keys: body.keys.filter((key) => key.for === 'receipt') });
    expect(await importReceipts(settings, log, back, false)).toEqual({
      receipts: 5,
      added: 5,
      refused: [],
      complete: true,
    });
    expect(await importReceipts(settings, log, back, false)).toMatchObject({ added: 0, refused: [] });
    expect(await asAdmin('GET', '/edge/meta')).toMatchObject({ owed: 0, owedBytes: 0 });
    await expect(exported()).rejects.toThrow('nothing to carry ashore');
    const { data } = (await client.send('query', { name: 'changes' })) as unknown as { data: ChangesPage };
    expect(data.entries.filter(({ receipt }) => receipt?.stage === 'cloud').length).toBeGreaterThanOrEqual(4);
  });

  it('protocol, Sealed bundle: a stopped box imports receipts up to a cut, foreign ones never', async () => {
    const more = photograph(3000);
    await client.photograph(survey.docId, more);
    const lines = await bring(await exported());
    expect(lines.at(-1)).toMatchObject({ done: { receipted: 1, newBlobs: 1 } });
    await edge.stop();
    const back = path.join(drive, 'back.json');
    const texts = lines.map((line) => JSON.stringify(line));
    writeFileSync(back, `${texts[0]}\n${texts[1]?.slice(0, 40)}`);
    expect(await importReceipts(settings, log, back, false)).toEqual({
      receipts: 0,
      added: 0,
      refused: [],
      complete: false,
    });
    writeFileSync(back, `${texts.slice(0, 2).join('\n')}\n`);
    expect(await importReceipts(settings, log, back, false)).toEqual({
      receipts: 1,
      added: 1,
      refused: [],
      complete: false,
    });
    writeFileSync(
      back,
      `${JSON.stringify({ ...lines[0], bundle: { ...(lines[0] as { bundle: object }).bundle, node: newId() } })}\n`,
    );
    await expect(importReceipts(settings, log, back, false)).rejects.toMatchObject({
      code: 'bad-message',
      message: expect.stringContaining('These receipts are for the box') as string,
    });
    for (const text of ['', 'not json at all\nnor this\n', `${texts[1]}\n`]) {
      writeFileSync(back, text);
      await expect(importReceipts(settings, log, back, false)).rejects.toMatchObject({ code: 'bad-message' });
    }
    await edge.restart();
    client.close();
    client = await pairedClient(edge, client.deviceId);
    expect(await asAdmin('GET', '/edge/meta')).toMatchObject({ owed: 0 });
  });

  it('protocol, Sealed bundle: a record without bytes parks ashore until they arrive', async () => {
    const content = photograph(7000);
    await client.photograph(survey.docId, content);
    const hash = sha256(content);
    writeFileSync(path.join(edge.home, 'edge', 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash), 'broken');
    settings = { ...settings, port: edge.port };
    const lost = await exported();
    const lines = await bring(lost);
    expect(lines.slice(1)).toMatchObject([{ needs: [hash] }, { done: { receipted: 0, waiting: 1 } }]);
    await cloud.upload(content);
    expect((await bring(lost)).slice(1)).toMatchObject([
      { receipt: { accepted: true, blob: { sha256: hash } } },
      { done: { receipted: 1 } },
    ]);
  });

  it('protocol, Sealed bundle: the import command works on a running or stopped service', async () => {
    await client.send('survey', { op: surveyOp(PERSON) });
    const bundle = await exported();
    const running = await importFile(cloud.settings, log, '1.0.0', bundle, null);
    expect(running).toMatchObject({ receipts: `${bundle}.receipts.json`, done: { receipted: 2 } });
    const written = readFileSync(running.receipts, 'utf8');
    await cloud.stop();
    const resting = await importFile(cloud.settings, log, '1.0.0', bundle, null);
    expect(resting.done).toEqual(running.done);
    expect(readFileSync(resting.receipts, 'utf8').split('\n').slice(1)).toEqual(written.split('\n').slice(1));
    await cloud.restart();
  });

  it('protocol, Sealed bundle: the bridge command imports from any machine or fails in one line', async () => {
    await client.send('survey', { op: surveyOp(PERSON) });
    const bundle = await exported();
    const command = (...words: string[]) =>
      spawnSync(process.execPath, [bridge, 'import', ...words], {
        cwd: TOP,
        encoding: 'utf8',
        env: { ...process.env, BRIDGE_TOKEN: '' },
      });
    expect(command(bundle, '--cloud', cloud.url)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('BRIDGE_TOKEN: is missing') as string,
    });
    expect(command(`${bundle}.not`, '--cloud', cloud.url, '--token', cloud.boxToken)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no such file') as string,
    });
    expect(command(bundle, '--cloud', 'http://127.0.0.1:1', '--token', cloud.boxToken)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('could not be reached') as string,
    });
    expect(existsSync(`${bundle}.receipts.json`)).toBe(false);
    const run = await asyncCommand(bundle, '--cloud', cloud.url, '--token', cloud.boxToken);
    expect(run, run.stderr).toMatchObject({ status: 0, stdout: expect.stringContaining('has receipted') as string });
    expect(await importReceipts({ ...settings, port: edge.port }, log, `${bundle}.receipts.json`, false)).toMatchObject(
      { refused: [], complete: true },
    );
    expect(await asAdmin('GET', '/edge/meta')).toMatchObject({ owed: 0 });
  });

  it('protocol: an op refused ashore is marked refused, stored aboard and not exported again', async () => {
    const survey2 = surveyOp(PERSON);
    const newer = { ...survey2, schema: 99 };
    await client.send('survey', { op: newer });
    const image = imageOp(newer.docId, contents[2]!);
    await client.send('image:path', {
      surveyId: newer.docId,
      imageId: image.docId,
      path: '1.jpg',
      bytes: 900,
      sha256: sha256(contents[2]!),
      type: 'image/jpeg',
    });
    await client.send('image:record', { op: image });
    const lines = await bring(await exported());
    expect(lines.at(-1)).toMatchObject({ done: { refused: 2, failed: 0 } });
    const back = path.join(drive, 'refused.json');
    writeFileSync(back, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(await importReceipts(settings, log, back, false)).toMatchObject({ refused: [], complete: true });
    await expect(exported()).rejects.toThrow('nothing to carry ashore');
    expect(await asAdmin('GET', '/edge/meta'), 'staff have it on hold; it is not safe there yet').toMatchObject({
      owed: 2,
    });
  });
});
