import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exportToDrive, parseExportArguments } from '../../../edge-server/drive/export-to-drive';
import { readSettings } from '../../../edge-server/settings';
import { BUNDLE_MAX, bundleSignedText, bundleSum } from '../../../src/protocol/bundle';
import { parseTarHeader, TAR_BLOCK, tarHeader, tarPadding } from '../../../src/protocol/tar';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import type { TestCloud } from '../../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../../support/servers/cloud';
import { newSealPair, sealed, tarOf } from '../../support/servers/drive';
import type { SealPair } from '../../support/servers/drive';
import { startEdge } from '../../support/servers/edge';
import type { EdgeProcess } from '../../support/servers/edge';
import { newId, pairedClient, photograph, surveyOp } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const drive = mkdtempSync(path.join(os.tmpdir(), 'reef-attacks-'));
let edge: EdgeProcess;
let cloud: TestCloud;
let pair: SealPair;
let recipient: string;
let tar: Buffer;

interface Part {
  name: string;
  content: Buffer;
}

beforeAll(async () => {
  [edge, cloud, pair] = await Promise.all([startEdge({ env: { EDGE_NAME: 'Box 03' } }), startCloud(), newSealPair()]);
  ({ recipient } = (await cloud.get<{ recipient: string }>('/api/seal-key', null)).body);
  const client = await pairedClient(edge);
  const survey = surveyOp();
  await client.send('survey', { op: survey });
  await client.photograph(survey.docId, photograph(70_000));
  await client.photograph(survey.docId, photograph(100_000));
  client.close();
  tar = await tarOf(await exported(pair.recipient), pair);
});
afterAll(async () => {
  await edge.remove();
  await cloud.close();
  rmSync(drive, { recursive: true, force: true });
});

async function exported(key: string): Promise<string> {
  const settings = readSettings({ REEF_HOME: edge.home, EDGE_NAME: 'Box 03' });
  const [done] = await exportToDrive(
    settings,
    '1.0.0',
    parseExportArguments([path.join(drive, `${newId()}.reef`), '--all', '--seal-key', key]),
    () => undefined,
  );
  return done!.file;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly error: { readonly code?: string; readonly message?: string; readonly confirm?: string };
}

async function bring(bytes: Uint8Array, query = '', token = cloud.boxToken): Promise<Reply> {
  const answer = await fetch(`${cloud.url}/api/import${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: Buffer.from(bytes),
  });
  const text = await answer.text();
  return { status: answer.status, text, error: answer.ok ? {} : (JSON.parse(text) as { error: Reply['error'] }).error };
}

/** Token of the fleet console that no box has used. */
async function otherBoxToken(): Promise<string> {
  return (await cloud.post<{ token: string }>('/api/fleet/boxes', { name: 'Another box' }, STAFF_TOKEN)).body.token;
}

const bringTar = async (bytes: Uint8Array): Promise<Reply> => bring(await sealed(bytes, recipient));

/** Expects that nothing was imported: no operation, bytes, key or file. */
async function untouched(): Promise<void> {
  expect((await cloud.cloud.context.store.changes({ since: 0, limit: 10 })).entries).toEqual([]);
  expect(await cloud.cloud.context.bundles.boxKeys.list()).toEqual([]);
  expect(readdirSync(path.join(cloud.settings.home, 'imports'))).toEqual([]);
}

function partsOf(bytes: Buffer): Part[] {
  const parts: Part[] = [];
  for (let at = 0; ;) {
    const header = parseTarHeader(bytes.subarray(at, at + TAR_BLOCK));
    if (header === null) return parts;
    parts.push({
      name: header.name,
      content: Buffer.from(bytes.subarray(at + TAR_BLOCK, at + TAR_BLOCK + header.size)),
    });
    at += TAR_BLOCK + header.size + tarPadding(header.size);
  }
}

function joined(parts: readonly Part[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap(({ name, content }) => [
      tarHeader({ name, size: content.length }, 0),
      content,
      Buffer.alloc(tarPadding(content.length)),
    ]),
    Buffer.alloc(2 * TAR_BLOCK),
  ]);
}

const hex = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** Rebuilds the list of hashes under the original signature. */
function rehashed(parts: readonly Part[]): Part[] {
  const sums = parts
    .slice(0, -2)
    .map(({ name, content }) => bundleSum(name, hex(content)))
    .join('');
  return parts.map((part) => (part.name === 'SHA256SUMS' ? { ...part, content: Buffer.from(sums) } : part));
}

/** Signs parts again with another key, as a forger would. */
async function resigned(parts: readonly Part[], signer: ReceiptSigner): Promise<Buffer> {
  const held = parts.slice(0, -2);
  const sums = held.map(({ name, content }) => bundleSum(name, hex(content))).join('');
  const { kid, x } = signer.publicKey;
  return joined([
    ...held,
    { name: 'SHA256SUMS', content: Buffer.from(sums) },
    {
      name: 'signature.json',
      content: Buffer.from(JSON.stringify({ v: 1, kid, x, sig: signer.sign(bundleSignedText(sums)) })),
    },
  ]);
}

const withManifest = (parts: readonly Part[], change: object): Part[] =>
  parts.map((part, i) =>
    i === 0
      ? {
          name: part.name,
          content: Buffer.from(JSON.stringify({ ...(JSON.parse(part.content.toString()) as object), ...change })),
        }
      : part,
  );

describe('protocol, Sealed bundle: an invalid bundle is reported and imports nothing', () => {
  it('protocol, Sealed bundle: a truncated, altered, foreign or missing bundle is refused', async () => {
    const good = readFileSync(await exported(recipient));
    for (const [bytes, words] of [
      [Buffer.from('hello'), 'not a sealed bundle'],
      [Buffer.alloc(0), 'not a sealed bundle'],
      [Buffer.from(tar), 'not a sealed bundle'],
      [readFileSync(await exported(pair.recipient)), 'sealed for another cloud'],
      [good.subarray(0, 100), 'cut off'],
      [good.subarray(0, good.length - 1), 'cut off or altered'],
      [good.subarray(0, good.length - 70_000), 'cut off or altered'],
      [Buffer.concat([good, good]), 'cut off or altered'],
      [
        Buffer.concat([good.subarray(0, 90_000), Buffer.from([good[90_000]! ^ 1]), good.subarray(90_001)]),
        'cut off or altered',
      ],
    ] as const) {
      const reply = await bring(bytes);
      expect([reply.status, reply.error.code]).toEqual([400, 'bad-message']);
      expect(reply.error.message).toContain(words);
    }
    await untouched();
  });

  it('protocol, Sealed bundle: a signed bundle with missing, extra or reordered parts is refused', async () => {
    const parts = partsOf(tar);
    expect(parts.map(({ name }) => name.slice(0, 13))).toEqual([
      'manifest.json',
      'ops.ndjson',
      `blobs/${parts[2]!.name.slice(6, 13)}`,
      `blobs/${parts[3]!.name.slice(6, 13)}`,
      'SHA256SUMS',
      'signature.jso',
    ]);
    const changed = (i: number, content: Buffer): Part[] =>
      parts.map((part, j) => (i === j ? { ...part, content } : part));
    const flipped = (i: number): Part[] =>
      changed(i, Buffer.concat([parts[i]!.content.subarray(0, -2), Buffer.from('x\n')]));
    const attempts: [string, Buffer][] = [
      ...parts.map((_part, i): [string, Buffer] => [`without part ${i}`, joined(parts.filter((_other, j) => j !== i))]),
      ...parts.map((_part, i): [string, Buffer] => [`part ${i} changed`, joined(flipped(i))]),
      [
        'another time of making, its hashes made again',
        joined(rehashed(withManifest(parts, { createdAt: '2000-01-01T00:00:00.000Z' }))),
      ],
      ['another record, its hashes made again', joined(rehashed(flipped(1)))],
      ['two parts changed places', joined([parts[0]!, parts[1]!, parts[3]!, parts[2]!, parts[4]!, parts[5]!])],
      [
        'a part more',
        joined([...parts.slice(0, 4), { name: 'notes.txt', content: Buffer.from('hi') }, ...parts.slice(4)]),
      ],
      ['a part after the signature', joined([...parts, { name: 'notes.txt', content: Buffer.from('hi') }])],
      ['a part twice', joined([...parts.slice(0, 4), parts[3]!, ...parts.slice(4)])],
      ['cut off in a photograph', tar.subarray(0, 60_000)],
      ['without its end', tar.subarray(0, tar.length - 1024)],
      ['something after its end', Buffer.concat([tar, Buffer.alloc(1024, 1)])],
      ['nothing', Buffer.alloc(0)],
      ['zeros', Buffer.alloc(4096)],
      ['an invalid signature', joined(changed(5, Buffer.from('{"v":1}')))],
      ['an invalid manifest', joined(changed(0, Buffer.from('[]')))],
    ];
    for (const [what, bytes] of attempts) {
      const reply = await bringTar(bytes);
      expect([what, reply.status, reply.error.code]).toEqual([what, 400, 'bad-message']);
    }
    await untouched();
  });

  it('protocol, Sealed bundle: a wrong list of contents or a newer format is refused', async () => {
    const signer = await ReceiptSigner.open(path.join(drive, 'other', 'key.json'));
    const parts = partsOf(tar);
    const manifest = JSON.parse(parts[0]!.content.toString()) as { ops: object; blobs: object };
    for (const change of [
      { ops: { ...manifest.ops, bytes: 3 } },
      { ops: { ...manifest.ops, sha256: '0'.repeat(64) } },
      { blobs: { count: 1, bytes: 170_000 } },
      { blobs: { count: 2, bytes: 1 } },
      { node: '../../x' },
    ]) {
      expect((await bringTar(await resigned(withManifest(parts, change), signer))).error).toMatchObject({
        code: 'bad-message',
      });
    }
    expect((await bringTar(await resigned(withManifest(parts, { version: 2 }), signer))).error).toMatchObject({
      code: 'unsupported-version',
      message: expect.stringContaining('Update the cloud') as string,
    });
    const renamed = parts.map((part, i) => (i === 2 ? { ...part, name: `blobs/${'0'.repeat(64)}` } : part));
    expect((await bringTar(await resigned(renamed, signer))).error.message).toContain('does not match its name');
    const endless = Buffer.concat([parts[1]!.content, Buffer.alloc(BUNDLE_MAX.line + 2 * 1024 * 1024, ' ')]);
    const tooLong = withManifest(parts, { ops: { ...manifest.ops, bytes: endless.length, sha256: hex(endless) } }).map(
      (part, i) => (i === 1 ? { ...part, content: endless } : part),
    );
    expect((await bringTar(await resigned(tooLong, signer))).error.message).toContain('longer than any box writes');
    await untouched();
  });

  it('protocol, Sealed bundle: the first bundle pins the box key; later ones must match it', async () => {
    const stranger = await ReceiptSigner.open(path.join(drive, 'stranger', 'key.json'));
    const good = await bring(readFileSync(await exported(recipient)));
    expect(good.status).toBe(200);
    const before = await cloud.cloud.context.store.changes({ since: 0, limit: 100 });

    const otherKey = await bringTar(await resigned(partsOf(tar), stranger));
    expect(otherKey.error).toMatchObject({
      code: 'forbidden',
      confirm: stranger.kid,
      message: expect.stringContaining('signed with another key before') as string,
    });

    const moved = partsOf(tar);
    const claims = newId();
    const signerOfBox = await ReceiptSigner.open(path.join(edge.home, 'edge', 'keys', 'bundles.json'));
    const claimed = await sealed(
      await resigned(withManifest(moved, { node: claims, name: 'Box 04' }), signerOfBox),
      recipient,
    );
    expect((await bring(claimed, '', await otherBoxToken())).error).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('signed with another box’s key') as string,
    });
    expect(await cloud.cloud.context.store.changes({ since: 0, limit: 100 })).toEqual(before);
    expect((await cloud.cloud.context.bundles.boxKeys.list()).map(({ node, how }) => [node, how])).toEqual([
      [edge.nodeId, 'box'],
    ]);
  });

  it('protocol, Sealed bundle: an old bundle imported again returns the same receipts', async () => {
    const file = readFileSync(await exported(recipient));
    const first = (await bring(file)).text.split('\n').slice(1);
    const before = await cloud.cloud.context.store.changes({ since: 0, limit: 100 });
    expect((await bring(file)).text.split('\n').slice(1)).toEqual(first);
    expect(await cloud.cloud.context.store.changes({ since: 0, limit: 100 })).toEqual(before);
  });

  it('protocol, Sealed bundle: a missing, foreign or revoked box token is refused', async () => {
    const file = readFileSync(await exported(recipient));
    expect((await bring(file, '', 'no-such-token-at-all')).status).toBe(401);
    const other = newId();
    const { token } = await cloud.cloud.context.boxes.register('Box 04', other);
    expect((await bring(file, '', token)).error).toMatchObject({ code: 'forbidden' });
    await cloud.cloud.context.boxes.revoke(edge.nodeId);
    expect((await bring(file)).error).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('revoked') as string,
    });
    expect(readdirSync(path.join(cloud.settings.home, 'imports')).filter((name) => name.endsWith('.tar'))).toEqual([]);
  });

  it('protocol, Sealed bundle: staff confirm an unknown key or revoked box by its name', async () => {
    const { imports, boxKeys } = cloud.cloud.context.bundles;
    const stranger = await ReceiptSigner.open(path.join(drive, 'stranger', 'key.json'));
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield await sealed(
        await resigned(withManifest(partsOf(tar), { node: 'Box0000000000005', name: 'Box 05' }), stranger),
        recipient,
      );
    };
    const begin = (confirmed: string | null) =>
      imports.start(source(), async () => ({ by: 'staff', person: 'Person0000000009', confirmed }));
    await expect(begin(null)).rejects.toMatchObject({ code: 'forbidden', details: { confirm: stranger.kid } });
    await expect(begin('another')).rejects.toMatchObject({ code: 'forbidden' });
    const lines: object[] = [];
    for await (const line of (await begin(stranger.kid)).lines()) lines.push(line);
    expect(lines.at(-1)).toMatchObject({ done: { receipted: 3 } });
    expect((await boxKeys.list()).map(({ node, how }) => [node, how])).toContainEqual(['Box0000000000005', 'staff']);
    for await (const line of (await begin(null)).lines()) void line;

    const revoked = readFileSync(await exported(recipient));
    const again = async function* (): AsyncGenerator<Uint8Array> {
      yield revoked;
    };
    const signer = await ReceiptSigner.open(path.join(edge.home, 'edge', 'keys', 'bundles.json'));
    await expect(
      imports.start(again(), async () => ({ by: 'staff', person: null, confirmed: null })),
    ).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('revoked') as string });
    for await (const line of (
      await imports.start(again(), async () => ({ by: 'staff', person: null, confirmed: signer.kid }))
    ).lines())
      void line;
  });

  it('protocol, Sealed bundle: one forged op spoils no other, and an aborted import cleans up', async () => {
    const { imports } = cloud.cloud.context.bundles;
    const signer = await ReceiptSigner.open(path.join(drive, 'fresh', 'key.json'));
    const parts = partsOf(tar);
    const lines = [
      JSON.stringify({ op: surveyOp() }),
      '{"op":',
      '{"op":{"v":1}}',
      JSON.stringify({ op: { ...surveyOp(), sha256: '0'.repeat(64) } }),
      JSON.stringify({ op: surveyOp(), by: 'x' }),
      'null',
      JSON.stringify({ op: surveyOp() }),
    ];
    const ops = Buffer.from(`${lines.join('\n')}\n`);
    const changed = withManifest(parts, {
      node: 'Box0000000000006',
      ops: { count: lines.length, bytes: ops.length, sha256: hex(ops) },
    }).map((part, i) => (i === 1 ? { ...part, content: ops } : part));
    const bytes = await sealed(await resigned(changed, signer), recipient);
    const source = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes;
    };
    const results: object[] = [];
    for await (const line of (
      await imports.start(source(), async () => ({ by: 'staff', person: null, confirmed: signer.kid }))
    ).lines())
      results.push(line);
    expect(results.at(-1)).toMatchObject({ done: { receipted: 3, failed: 4 } });

    const aborter = new AbortController();
    const sending = fetch(`${cloud.url}/api/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await otherBoxToken()}` },
      duplex: 'half',
      signal: aborter.signal,
      body: new ReadableStream({ start: (stream) => stream.enqueue(bytes.subarray(0, 50_000)) }),
    } as RequestInit).catch(() => 'gone');
    await expect
      .poll(() => readdirSync(path.join(cloud.settings.home, 'imports')).filter((name) => name.endsWith('.tar')))
      .toHaveLength(1);
    aborter.abort();
    expect(await sending).toBe('gone');
    await expect
      .poll(() => readdirSync(path.join(cloud.settings.home, 'imports')).filter((name) => name.endsWith('.tar')))
      .toEqual([]);
  });

  it('protocol, Sealed bundle: a service killed during an import cleans up on restart', async () => {
    const left = path.join(cloud.settings.home, 'imports', 'Import0000000001.tar');
    writeFileSync(left, 'half');
    await cloud.restart();
    expect(readdirSync(path.dirname(left))).not.toContain('Import0000000001.tar');
  });
});
