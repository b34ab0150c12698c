import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { composeBridge } from '../../../cloud-sync/bridge/compose-bridge';
import { edgeAuthority } from '../../../cloud-sync/bridge/link/edge-trust';
import { readBridgeSettings } from '../../../cloud-sync/bridge/settings';
import type { BridgeStatus } from '../../../cloud-sync/bridge/status/status';
import { loadLocalCertificates } from '../../../edge-server/tls/local-certificates';
import { tempFolder, until, wholeFeed } from '../../support/servers/client';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import type { EdgeProcess } from '../../support/servers/edge';
import { startEdge } from '../../support/servers/edge';
import { EdgeClient, photograph, surveyOp } from '../../support/servers/edge-client';
import { CloudProcess } from '../../support/servers/cloud-process';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = tempFolder('bridge-tls');
let edge: EdgeProcess;
let cloud: TestCloud;
let client: EdgeClient;
/** HTTPS proxy in front of the cloud. */
let front: https.Server;
let ashore: string;
/** CA of the cloud's certificate, not trusted for the box. */
const shoreCa = path.join(folder.path, 'shore-ca.pem');
const boxCa = path.join(folder.path, 'box-ca.pem');

beforeAll(async () => {
  edge = await startEdge({ tls: true });
  cloud = await startCloud();
  client = await EdgeClient.connect(edge.url, { ca: edge.ca ?? '' });
  expect(await client.verify({ code: edge.code })).toMatchObject({ ok: true });
  const { cert, key, ca } = await loadLocalCertificates(
    path.join(folder.path, 'shore'),
    'The shore',
    ['localhost'],
    Date.now(),
  );
  writeFileSync(shoreCa, ca.pem);
  writeFileSync(boxCa, edge.ca ?? '');
  front = https.createServer({ cert, key }, (request, response) => {
    const { method, headers, url } = request;
    const passed = http.request(new URL(url ?? '/', cloud.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.once('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => front.listen(0, 'localhost', resolve));
  ashore = `https://localhost:${(front.address() as AddressInfo).port}`;
});
afterAll(async () => {
  client.close();
  front.closeAllConnections();
  front.close();
  await cloud.close();
  await edge.remove();
  folder.remove();
});

let homes = 0;
const env = () => ({
  REEF_HOME: path.join(folder.path, `home-${++homes}`),
  BRIDGE_TOKEN: cloud.boxToken,
  EDGE_ADMIN_TOKEN: edge.adminToken,
});

/** Runs one round of an in-process bridge with the configured trust; returns its status. */
async function round(...args: string[]): Promise<BridgeStatus> {
  const settings = readBridgeSettings(['--edge', edge.url, ...args], env());
  const { bridge, close } = composeBridge(settings, await edgeAuthority(settings), { log: () => undefined });
  await bridge.step(new AbortController().signal);
  const said = await bridge.status();
  close();
  return said;
}

describe('protocol: certificates: the bridge over https', () => {
  it('protocol: certificates: a pinned box and a public cloud sync everything', async () => {
    const survey = surveyOp();
    await client.send('survey', { op: survey });
    expect(await client.photograph(survey.docId, photograph(700_000))).toMatchObject({ ok: true });
    const bridge = await CloudProcess.bridge({
      env: { ...env(), NODE_EXTRA_CA_CERTS: shoreCa },
      args: ['--edge', edge.url, '--cloud', ashore, '--edge-fingerprint', edge.caFingerprint ?? ''],
    });
    await until(
      async () =>
        (await wholeFeed(edge.audited)).entries.filter(
          ({ op, receipt }) => op === undefined && receipt?.accepted === true,
        ).length === 2,
      'both receipts of the cloud are aboard',
    );
    await bridge.stop();
    expect((await cloud.changes()).entries).toHaveLength(2);
  });

  it('protocol: certificates: a box is trusted by a CA file', async () => {
    expect(await round('--cloud', cloud.url, '--edge-ca', boxCa)).toMatchObject({ state: 'idle' });
  });

  it('protocol: certificates: a wrong fingerprint stops the start with one clear line', async () => {
    const start = CloudProcess.bridge({
      env: env(),
      args: ['--edge', edge.url, '--cloud', cloud.url, '--edge-fingerprint', 'ab'.repeat(32)],
    });
    await expect(start).rejects.toThrow(
      /What answers there is not the box of this fingerprint\. Compare it with the one that the box shows\./,
    );
  });

  it.each([
    ['nothing given', () => []],
    ['another box’s authority', () => ['--edge-ca', shoreCa]],
  ])('protocol: certificates: %s: the box is not trusted, and the error gives the remedy', async (_what, args) => {
    const said = await round('--cloud', cloud.url, ...args());
    expect(said.state).toBe('refused');
    expect(said.text).toMatch(
      /^The certificate of the box is not trusted here \(.+\)\. Nothing was sent to it\..*--edge-fingerprint/,
    );
  });

  it('protocol: certificates: an untrusted cloud certificate is reported and retried', async () => {
    const said = await round('--cloud', ashore, '--edge-ca', boxCa);
    expect(said.state).toBe('no-link');
    expect(said.text).toMatch(
      /^The server at the cloud’s address shows a certificate that is not trusted here \(.+\)\. Nothing was sent/,
    );
  });

  it('protocol: certificates: an invalid certificate file is reported in one clear line', async () => {
    const wrong = path.join(folder.path, 'wrong.pem');
    writeFileSync(wrong, readFileSync(boxCa, 'utf8').slice(0, 200));
    await expect(round('--cloud', cloud.url, '--edge-ca', wrong)).rejects.toThrow(
      /EDGE_CA: .*wrong\.pem is not a certificate that can be read/,
    );
  });
});
