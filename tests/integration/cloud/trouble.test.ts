import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Disk } from '../../../src/server/files/disk';
import { realDisk } from '../../../src/server/files/disk';
import type { Receipt } from '../../../src/protocol/receipt';
import { launchPostgres } from '../../../cloud-sync/api/postgres/launcher';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { imageOp, photograph, sha256, surveyOp } from '../../support/servers/edge-client';
import { storedDocuments } from '../../support/stored-documents';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const NODE = 'Box0000000000001';
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Cloud with its own PostgreSQL, which the test may kill. */
async function cloudAlone(): Promise<{ cloud: TestCloud; kill: () => void }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-pgk-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const server = await launchPostgres({ folder });
  undo.push(() => server.stop());
  const cloud = await startCloud({ databaseUrl: server.url });
  undo.push(() => cloud.close());
  return {
    cloud,
    kill() {
      if (server.pid !== undefined) process.kill(server.pid, 'SIGKILL');
    },
  };
}

async function receiptOf(cloud: TestCloud, opId: string): Promise<Receipt> {
  for (;;) {
    const { status, body } = await cloud.get<{ entries: { receipt?: Receipt }[] }>('/api/changes?since=0');
    const found = status === 200 ? body.entries.find(({ receipt }) => receipt?.opId === opId)?.receipt : undefined;
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('protocol: the database goes away during work', () => {
  it('protocol: each op gets its receipt once in the end, without a restart of the service', async () => {
    const { cloud, kill } = await cloudAlone();
    const surveys = Array.from({ length: 60 }, () => surveyOp());
    const receipts = new Map<string, string>();
    for (const [index, survey] of surveys.entries()) {
      if (index % 15 === 7) kill();
      for (;;) {
        const { status, body } = await cloud.post<{
          results?: { receipt?: Receipt; error?: { retryable: boolean } }[];
          error?: { retryable: boolean };
        }>('/api/ops', { node: NODE, ops: [survey] });
        const result = body.results?.[0];
        if (status === 200 && result?.receipt !== undefined) {
          receipts.set(survey.opId, JSON.stringify(result.receipt));
          break;
        }
        expect((result?.error ?? body.error)?.retryable, 'trying again helps').toBe(true);
      }
    }
    expect(receipts.size).toBe(60);
    const again = await cloud.ops(surveys, NODE);
    expect(again.map((result) => JSON.stringify('receipt' in result ? result.receipt : null))).toEqual(
      surveys.map(({ opId }) => receipts.get(opId)),
    );
    expect((await storedDocuments(cloud.cloud.context.store, 'survey')).length).toBe(60);
  });

  it('protocol: bytes received during an outage are stored, then their record is ingested', async () => {
    const { cloud, kill } = await cloudAlone();
    const survey = surveyOp();
    const content = photograph(50_000);
    const image = imageOp(survey.docId, content);
    await cloud.ops([survey, image], NODE);
    const { body } = await cloud.post<{ uploadId: string }>('/api/uploads', {
      sha256: sha256(content),
      bytes: content.length,
      type: 'image/jpeg',
    });
    kill();
    await cloud.cloud.context.blobs.write(body.uploadId, 0, content);
    expect(await receiptOf(cloud, image.opId)).toMatchObject({ accepted: true });
  });

  it('protocol: the service reports readiness and liveness during an outage', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-pgk-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    const server = await launchPostgres({ folder });
    const cloud = await startCloud({ databaseUrl: server.url });
    undo.push(() => cloud.close());
    expect((await cloud.get('/readyz', null)).status).toBe(200);
    await server.stop();
    const away = await cloud.get('/readyz', null);
    expect([away.status, away.body]).toMatchObject([503, { error: { retryable: true } }]);
    for (const token of [null, 'token-that-no-cache-knows'])
      expect((await cloud.get('/healthz', token)).status).toBe(200);
    expect((await fetch(`${cloud.url}/trace?nonce=x`)).status).toBe(200);
    const refused = await cloud.post('/api/ops', { node: NODE, ops: [surveyOp()] });
    expect([refused.status, refused.body]).toMatchObject([503, { error: { retryable: true } }]);
  });
});

describe('protocol: a full disk', () => {
  it('protocol: a full disk refuses photographs with 507 and accepts documents', async () => {
    let full = false;
    const disk: Disk = {
      ...realDisk,
      statfs: async (folder) => ({ ...(await realDisk.statfs(folder)), ...(full ? { free: 0 } : {}) }),
    };
    const cloud = await startCloud({ env: { MIN_FREE_GB: '1' }, hooks: { disk } });
    undo.push(() => cloud.close());
    const content = photograph(20_000);
    const announced = { sha256: sha256(content), bytes: content.length, type: 'image/jpeg' };
    full = true;
    const refused = await cloud.post('/api/uploads', announced);
    expect([refused.status, refused.body]).toMatchObject([507, { error: { code: 'storage-full', retryable: true } }]);
    expect(await cloud.ops([surveyOp()], NODE)).toMatchObject([{ receipt: { accepted: true } }]);
    full = false;
    expect(await cloud.upload(content)).toMatchObject({ ok: true, offset: content.length });
  });
});

describe('protocol: hints', () => {
  it('protocol: a listener gets a hint of new data, and shutdown ends the stream', async () => {
    const cloud = await startCloud();
    undo.push(() => cloud.close());
    const { port, hostname } = new URL(cloud.url);
    expect(
      (
        await fetch(`${cloud.url}/api/changes/stream`, {
          method: 'HEAD',
          headers: { authorization: `Bearer ${cloud.boxToken}` },
        })
      ).status,
    ).toBe(404);
    const socket = net.connect(Number(port), hostname);
    let heard = '';
    socket.setEncoding('utf8').on('data', (text: string) => (heard += text));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`GET /api/changes/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${cloud.boxToken}\r\n\r\n`);
    const until = async (text: string) => {
      while (!heard.includes(text)) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await until('retry: 5000');
    expect(heard).toContain('text/event-stream');
    await cloud.ops([surveyOp()], NODE);
    await until('event: changes');
    await cloud.stop();
    await closed;
  });
});
