import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exportToDrive, parseExportArguments } from '../../../edge-server/drive/export-to-drive';
import type { EdgeSettings } from '../../../edge-server/settings';
import { readSettings } from '../../../edge-server/settings';
import { canonicalJson } from '../../../src/domain/canonical';
import type { Json } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';
import type { ChangesPage } from '../../../src/protocol/changes';
import { blobOf } from '../../../src/protocol/receipt';
import type { Disk } from '../../../src/server/files/disk';
import { realDisk } from '../../../src/server/files/disk';
import { newSealPair, openBundle, tarOf } from '../../support/servers/drive';
import type { SealPair } from '../../support/servers/drive';
import { startEdge } from '../../support/servers/edge';
import type { EdgeProcess } from '../../support/servers/edge';
import { imageOp, newId, pairedClient, photograph, sha256, surveyOp } from '../../support/servers/edge-client';
import type { EdgeClient } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-drive-'));
const cloud = { ...generateKeyPairSync('ed25519'), storeEpoch: newId(), seq: 0 };
let edge: EdgeProcess;
let client: EdgeClient;
let pair: SealPair;
let settings: EdgeSettings;

beforeAll(async () => {
  edge = await startEdge({ env: { EDGE_NAME: 'Box 03' } });
  client = await pairedClient(edge);
  pair = await newSealPair();
  settings = readSettings({ REEF_HOME: edge.home, EDGE_NAME: 'Box 03' });
});
afterAll(async () => {
  client.close();
  await edge.remove();
  rmSync(folder, { recursive: true, force: true });
});

const asAdmin = (place: string, method = 'GET', body?: unknown) =>
  fetch(edge.url + place, {
    method,
    headers: {
      authorization: `Bearer ${edge.adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const exported = async (place: string): Promise<string> => {
  const answer = await asAdmin(place);
  expect(
    answer.status,
    await answer
      .clone()
      .text()
      .then((text) => text.slice(0, 200)),
  ).toBe(200);
  const file = path.join(folder, `${newId()}.reef`);
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  expect(Number(answer.headers.get('content-length'))).toBe(readFileSync(file).length);
  return file;
};
const linesOf = async (file: string): Promise<{ op: Op; by?: string }[]> => {
  const lines: { op: Op; by?: string }[] = [];
  for await (const line of (await openBundle(file, pair, folder)).lines()) lines.push(JSON.parse(line) as { op: Op });
  return lines;
};
const cloudReceipt = (op: Op) => {
  const blob = blobOf(op);
  const unsigned = {
    v: 1,
    stage: 'cloud',
    nodeId: 'Cloud00000000001',
    storeEpoch: cloud.storeEpoch,
    opId: op.opId,
    kind: op.kind,
    docId: op.docId,
    sha256: op.sha256,
    ...(blob === undefined ? {} : { blob }),
    accepted: true,
    seq: ++cloud.seq,
    storedAt: new Date().toISOString(),
    kid: 'cloud-1',
  };
  return {
    ...unsigned,
    sig: sign(null, Buffer.from(canonicalJson(unsigned as unknown as Json)), cloud.privateKey).toString('base64url'),
  };
};

describe('protocol, Sealed bundle: export', () => {
  const survey = surveyOp();
  const contents = [photograph(300_000), photograph(1000)];

  it('protocol, Sealed bundle: an export without the cloud key, or with nothing owed, is refused', async () => {
    const none = await asAdmin('/edge/export');
    expect([none.status, await none.json()]).toMatchObject([
      404,
      { error: { message: expect.stringContaining('does not have the cloud’s key for sealing') as string } },
    ]);
    expect((await asAdmin('/edge/reference/cloud-seal-key', 'PUT', { recipient: 'age1nonsense' })).status).toBe(400);
    expect((await asAdmin('/edge/reference/cloud-seal-key', 'PUT', { recipient: pair.recipient })).status).toBe(200);
    expect(await (await asAdmin('/edge/export')).json()).toMatchObject({
      error: { message: expect.stringContaining('nothing to carry ashore') as string },
    });
    expect((await asAdmin('/edge/export?since=x')).status).toBe(400);
  });

  it('protocol, Sealed bundle: an export has ops in feed order and bytes once, sealed and signed', async () => {
    await client.send('survey', { op: survey });
    for (const content of contents) expect(await client.photograph(survey.docId, content)).toMatchObject({ ok: true });
    const again = imageOp(survey.docId, contents[0]!);
    await client.send('image:path', {
      surveyId: survey.docId,
      imageId: again.docId,
      path: '2.jpg',
      bytes: contents[0]!.length,
      sha256: sha256(contents[0]!),
      type: 'image/jpeg',
    });
    expect(await client.send('image:record', { op: again })).toMatchObject({ ok: true });

    const file = await exported('/edge/export');
    expect(readFileSync(file).includes(survey.docId), 'nothing can be read without the key').toBe(false);
    const bundle = await openBundle(file, pair, folder);
    expect(bundle.manifest).toMatchObject({
      node: edge.nodeId,
      name: 'Box 03',
      storeEpoch: edge.storeEpoch,
      fromSeq: 0,
      toSeq: 4,
      all: false,
      ops: { count: 4 },
      blobs: { count: 2, bytes: 301_000 },
      withoutBytes: 0,
    });
    const feed = (await (await asAdmin('/edge/changes')).json()) as ChangesPage;
    expect(await linesOf(file)).toEqual(
      feed.entries.map(({ op, by }) => ({ op, ...(by === undefined ? {} : { by }) })),
    );
    for (const content of contents) {
      const hash = createHash('sha256');
      for await (const part of bundle.readBlob(sha256(content))) hash.update(part as Buffer);
      expect(hash.digest('hex')).toBe(sha256(content));
    }
    const { keys } = (await (await asAdmin('/edge/keys')).json()) as {
      keys: { kid: string; x: string; for: string }[];
    };
    expect(keys.find(({ for: use }) => use === 'bundle')).toMatchObject({
      kid: bundle.signature.kid,
      x: bundle.signature.x,
    });
    const tar = await tarOf(file, pair);
    expect(tar.subarray(0, 13).toString(), 'a plain tar').toBe('manifest.json');
  });

  it('protocol, Sealed bundle: a running box exports the same bundle and renames it once whole', async () => {
    const drive = path.join(folder, 'drive');
    rmSync(drive, { recursive: true, force: true });
    await expect(
      exportToDrive(settings, '1.0.0', parseExportArguments([path.join(drive, 'x.reef')]), () => undefined),
    ).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('Is the drive connected') as string,
    });
    const place = mkdtempSync(path.join(folder, 'drive-'));
    const [done] = await exportToDrive(settings, '1.0.0', parseExportArguments([place]), () => undefined);
    expect(readdirSync(place)).toEqual(['box-03-1-4.reef']);
    expect(await linesOf(done!.file)).toEqual(await linesOf(await exported('/edge/export')));

    const parts = mkdtempSync(path.join(folder, 'parts-'));
    const several = await exportToDrive(
      settings,
      '1.0.0',
      parseExportArguments([parts, '--part-gb', '0.00001']),
      () => undefined,
    );
    expect(readdirSync(parts).sort()).toEqual([
      'box-03-1-1.reef',
      'box-03-2-2.reef',
      'box-03-3-3.reef',
      'box-03-4-4.reef',
    ]);
    expect((await Promise.all(several.map((one) => linesOf(one.file)))).flat()).toEqual(await linesOf(done!.file));
    await expect(
      exportToDrive(
        settings,
        '1.0.0',
        parseExportArguments([path.join(place, 'one.reef'), '--part-gb', '0.00001']),
        () => undefined,
      ),
    ).rejects.toMatchObject({ message: expect.stringContaining('several files') as string });
  });

  it('protocol, Sealed bundle: a full or removed drive leaves no partial file and an error', async () => {
    const failing = (code: string, left: number): Disk => ({
      ...realDisk,
      async write(fd, buffers, at) {
        if (at >= left) throw Object.assign(new Error(code), { code });
        return realDisk.write(fd, buffers, at);
      },
    });
    for (const [code, word] of [
      ['ENOSPC', 'full'],
      ['EFBIG', 'FAT32'],
      ['EIO', 'was removed'],
      ['EROFS', 'cannot be written'],
    ] as const) {
      const place = mkdtempSync(path.join(folder, 'full-'));
      await expect(
        exportToDrive(settings, '1.0.0', parseExportArguments([place]), () => undefined, failing(code, 0)),
      ).rejects.toMatchObject({ message: expect.stringContaining(word) as string });
      expect(readdirSync(place)).toEqual([]);
    }
    const place = mkdtempSync(path.join(folder, 'small-'));
    const small: Disk = { ...realDisk, statfs: async () => ({ free: 1000, size: 2000 }) };
    await expect(
      exportToDrive(settings, '1.0.0', parseExportArguments([place]), () => undefined, small),
    ).rejects.toMatchObject({
      code: 'storage-full',
      message: expect.stringContaining('Nothing was written') as string,
    });
    expect(readdirSync(place)).toEqual([]);
  });

  it('protocol, Sealed bundle: an export omits a damaged photograph and marks its record waiting', async () => {
    const content = photograph(2000);
    await client.photograph(survey.docId, content);
    const hash = sha256(content);
    const stored = path.join(edge.home, 'edge', 'blobs', hash.slice(0, 2), hash.slice(2, 4), hash);
    expect(existsSync(stored)).toBe(true);
    writeFileSync(stored, Buffer.alloc(2000, 7));
    const place = mkdtempSync(path.join(folder, 'broken-'));
    const [done] = await exportToDrive(settings, '1.0.0', parseExportArguments([place]), () => undefined);
    expect(done!.manifest).toMatchObject({ ops: { count: 5 }, blobs: { count: 2 }, withoutBytes: 1 });
    await expect(
      asAdmin('/edge/export').then((answer) => answer.arrayBuffer()),
      'cut off, never whole',
    ).rejects.toThrow();
    expect((await openBundle(await exported('/edge/export'), pair, folder)).manifest).toMatchObject({
      blobs: { count: 2 },
      withoutBytes: 1,
    });
  });

  it('protocol, Sealed bundle: an export omits receipted ops unless all or a cursor is requested', async () => {
    const { x } = cloud.publicKey.export({ format: 'jwk' });
    await asAdmin('/edge/reference/cloud-keys', 'PUT', { keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: 'cloud-1' }] });
    const [first, second] = await linesOf(await exported('/edge/export'));
    const { receipts } = (await (
      await asAdmin('/edge/ops', 'POST', { receipts: [cloudReceipt(first!.op), cloudReceipt(second!.op)] })
    ).json()) as { receipts: object };
    expect(receipts).toEqual({ added: 2, errors: [] });
    const owed = await openBundle(await exported('/edge/export'), pair, folder);
    expect(owed.manifest).toMatchObject({ ops: { count: 3 }, toSeq: 7 });
    expect((await openBundle(await exported('/edge/export?all=1'), pair, folder)).manifest).toMatchObject({
      ops: { count: 5 },
      blobs: { count: 2 },
      all: true,
    });
    expect((await openBundle(await exported('/edge/export?since=3'), pair, folder)).manifest).toMatchObject({
      fromSeq: 3,
      ops: { count: 2 },
    });
  });
});

describe('protocol, Sealed bundle: the export command', () => {
  it('protocol, Sealed bundle: invalid arguments print the usage', () => {
    expect(parseExportArguments(['/drive', '--all', '--since', '4', '--part-gb', '3.9'])).toMatchObject({
      target: '/drive',
      all: true,
      since: 4,
      partBytes: 3.9e9,
    });
    for (const args of [
      [],
      ['--all'],
      ['a', 'b'],
      ['a', '--since'],
      ['a', '--since', '-1'],
      ['a', '--seal-key', 'age1'],
      ['a', '--fast'],
    ])
      expect(() => parseExportArguments(args)).toThrow('npm run edge -- export');
  });
});
