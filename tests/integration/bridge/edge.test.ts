import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Bridge } from '../../../cloud-sync/bridge/bridge';
import { HttpCloud } from '../../../cloud-sync/bridge/link/http-cloud';
import { HttpEdge } from '../../../cloud-sync/bridge/link/http-edge';
import { HttpLink } from '../../../cloud-sync/bridge/link/http-link';
import { systemClock, systemTimers } from '../../../cloud-sync/bridge/runtime';
import { BridgeStateFile } from '../../../cloud-sync/bridge/state/bridge-state-file';
import { ReefError } from '../../../src/domain/errors';
import type { Op } from '../../../src/domain/op/op';
import type { Receipt } from '../../../src/protocol/receipt';
import { realDisk } from '../../../src/server/files/disk';
import { ReceiptSigner } from '../../../src/server/ops/receipt-signer';
import { FakeCloud } from '../../support/doubles/fake-cloud';
import { TestTime } from '../../support/test-time';
import { tempFolder, wholeFeed } from '../../support/servers/client';
import type { EdgeProcess } from '../../support/servers/edge';
import { startEdge } from '../../support/servers/edge';
import type { EdgeClient } from '../../support/servers/edge-client';
import { pairedClient, photograph, sha256, surveyOp } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** In-memory cloud with signed receipts, as a box requires. */
class SigningCloud extends FakeCloud {
  constructor(readonly signer: ReceiptSigner) {
    super(new TestTime());
  }

  override async keys() {
    return { keys: this.signer.publicKeys.map((key) => ({ ...key, for: 'receipt' as const })) };
  }

  override receiptFor(op: Op, accepted = true): Receipt {
    const { sig: _sig, kid: _kid, ...rest } = super.receiptFor(op, accepted);
    return this.signer.signReceipt(rest as Parameters<ReceiptSigner['signReceipt']>[0]);
  }
}

const folder = tempFolder('bridge');
let edge: EdgeProcess;
let client: EdgeClient;
let signer: ReceiptSigner;

beforeAll(async () => {
  edge = await startEdge();
  client = await pairedClient(edge);
  signer = await ReceiptSigner.open(path.join(folder.path, 'cloud-key.json'));
});
afterAll(async () => {
  client.close();
  await edge.remove();
  folder.remove();
});

let bridges = 0;

function bridgeTo(cloud: FakeCloud, token = edge.adminToken): { bridge: Bridge; close: () => void } {
  const link = new HttpLink({ url: new URL(edge.url), token: () => token, silenceMs: 20_000 });
  const state = new BridgeStateFile(realDisk, path.join(folder.path, `bridge-${++bridges}`), (message) => {
    throw new Error(message);
  });
  return {
    bridge: new Bridge({
      edge: new HttpEdge(link),
      cloud,
      state,
      clock: systemClock,
      timers: systemTimers,
      random: Math.random,
    }),
    close: () => link.close(),
  };
}

const step = (bridge: Bridge) => bridge.step(new AbortController().signal);

async function consoleSays(body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(`${edge.url}/edge/bridge`, {
    method: 'POST',
    headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Record<string, unknown>;
}

describe('protocol, the bridge on a real box', () => {
  it('a bridge uploads a box’s photographs byte for byte and stores signed receipts aboard', async () => {
    const cloud = new SigningCloud(signer);
    const { bridge, close } = bridgeTo(cloud);
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    const pictures = [photograph(700_001), photograph(1_500_000), photograph(30_000)];
    for (const picture of pictures) expect(await client.photograph(survey.docId, picture)).toMatchObject({ ok: true });
    await step(bridge);
    await step(bridge);
    for (const picture of pictures)
      expect(Buffer.from(cloud.blobs.get(sha256(picture)) ?? []).equals(picture)).toBe(true);
    const { entries } = await wholeFeed(edge.audited);
    const ashore = entries.flatMap(({ op, receipt }) =>
      op === undefined && receipt !== undefined ? [receipt.opId] : [],
    );
    expect(ashore.sort()).toEqual(entries.flatMap(({ op }) => (op === undefined ? [] : [op.opId])).sort());
    const meta = (await (
      await fetch(`${edge.url}/edge/meta`, { headers: { authorization: `Bearer ${edge.adminToken}` } })
    ).json()) as { owed: number; owedBytes: number };
    expect(meta).toMatchObject({ owed: 0, owedBytes: 0 });
    close();
  });

  it('a receipt with a forged signature is refused, and its record stays owed', async () => {
    const cloud = new SigningCloud(signer);
    const forger = new FakeCloud(new TestTime());
    cloud.receiptFor = (op) => ({ ...forger.receiptFor(op), kid: signer.kid });
    cloud.storeEpoch = 'CloudEpoch000009';
    forger.storeEpoch = cloud.storeEpoch;
    const { bridge, close } = bridgeTo(cloud);
    await client.send('survey', { op: surveyOp() });
    await step(bridge);
    const status = await bridge.status();
    expect(status.heldCount).toBeGreaterThan(0);
    expect(status.held[0]?.code).toBe('receipt-mismatch');
    expect(
      (await wholeFeed(edge.audited)).entries.some(({ receipt }) => receipt?.storeEpoch === 'CloudEpoch000009'),
    ).toBe(false);
    close();
  });

  it('the console pauses and resumes the bridge and shows its last report after a restart', async () => {
    const cloud = new SigningCloud(signer);
    const { bridge, close } = bridgeTo(cloud);
    await consoleSays({ action: 'pause' });
    await step(bridge);
    expect(cloud.calls, 'but that it is paused').toEqual(['report']);
    await consoleSays({ action: 'resume' });
    await step(bridge);
    await step(bridge);
    expect(cloud.ops.size).toBeGreaterThan(0);
    const ask = async (token: string) =>
      fetch(`${edge.url}/edge/bridge`, { headers: token === '' ? {} : { authorization: `Bearer ${token}` } });
    expect(await (await ask(edge.adminToken)).json()).toMatchObject({
      ok: true,
      paused: false,
      report: { state: 'idle', owed: { ops: 0, images: 0, bytes: 0 } },
    });
    expect((await ask('')).status).toBe(401);
    expect(await consoleSays({ action: 'report' })).toMatchObject({ error: { code: 'bad-message', field: 'report' } });
    await edge.restart();
    expect(await (await ask(edge.adminToken)).json()).toMatchObject({ report: { state: 'idle' } });
    close();
  });

  it('a wrong admin token is reported and not retried every second', async () => {
    const { bridge, close } = bridgeTo(new SigningCloud(signer), 'not-the-token');
    expect(await step(bridge)).toBeGreaterThanOrEqual(60_000);
    expect((await bridge.status()).text).toMatch(/admin token/);
    close();
  });
});

describe('protocol, the bridge on a broken link', () => {
  /** Server with scripted answers. */
  async function pretend(answer: http.RequestListener): Promise<{ url: URL; close: () => void }> {
    const server = http.createServer(answer).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return {
      url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      close: () => (server.closeAllConnections(), server.close()),
    };
  }

  const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'fine',
      (error: unknown) => (error instanceof ReefError ? error.code : error),
    );

  it('a captive portal never counts as the cloud', async () => {
    const portal = await pretend(
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Buy minutes</html>'),
    );
    const link = new HttpLink({ url: portal.url, token: () => 't', silenceMs: 5000 });
    const cloud = new HttpCloud(link);
    expect(await codeOf(cloud.identity())).toBe('disconnected');
    expect(await codeOf(cloud.findMissing(['a'.repeat(64)]))).toBe('disconnected');
    expect(await codeOf(cloud.reference('regions', null))).toBe('disconnected');
    link.close();
    portal.close();
  });

  it('a silent server times out, and a closed connection is reported', async () => {
    const silent = await pretend(() => undefined);
    const link = new HttpLink({ url: silent.url, token: () => 't', silenceMs: 300 });
    expect(await codeOf(new HttpCloud(link).identity())).toBe('timeout');
    silent.close();
    expect(await codeOf(new HttpCloud(link).identity())).toBe('disconnected');
    link.close();
  });

  it('an early response is read and ends the request body', async () => {
    const early = await pretend((request, response) => {
      request.once('data', () =>
        response
          .writeHead(409, { 'content-type': 'application/json' })
          .end(
            JSON.stringify({
              ok: false,
              error: { code: 'offset-mismatch', message: 'no', retryable: true, offset: 7 },
            }),
          ),
      );
    });
    const link = new HttpLink({ url: early.url, token: () => 't', silenceMs: 10_000 });
    let given = 0;
    async function* endless() {
      for (;;) {
        given += 65_536;
        yield Buffer.alloc(65_536);
      }
    }
    const error = await new HttpCloud(link)
      .upload({ uploadId: 'a'.repeat(32), offset: 0, length: 1e12, source: endless(), timeoutMs: 10_000 })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'offset-mismatch', details: { offset: 7 } });
    expect(given).toBeLessThan(100_000_000);
    link.close();
    early.close();
  });

  it('a failing source rethrows its error and ends the request', async () => {
    let ended = (): void => undefined;
    let seen = (): void => undefined;
    const isEnded = new Promise<void>((resolve) => (ended = resolve));
    const isSeen = new Promise<void>((resolve) => (seen = resolve));
    const server = await pretend((request) => {
      seen();
      request.once('close', ended).resume();
    });
    const link = new HttpLink({ url: server.url, token: () => 't', silenceMs: 10_000 });
    async function* broken() {
      yield Buffer.alloc(1000);
      await isSeen;
      throw new RangeError('the box went away');
    }
    const error = await new HttpCloud(link)
      .upload({ uploadId: 'a'.repeat(32), offset: 0, length: 5000, source: broken(), timeoutMs: 10_000 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RangeError);
    await isEnded;
    link.close();
    server.close();
  });

  it('a busy server returns its retry delay', async () => {
    const busy = await pretend((_request, response) => void response.writeHead(503, { 'retry-after': '17' }).end());
    const link = new HttpLink({ url: busy.url, token: () => 't', silenceMs: 5000 });
    const error = await new HttpCloud(link).identity().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'disconnected', details: { retryAfterMs: 17_000 } });
    link.close();
    busy.close();
  });
});
