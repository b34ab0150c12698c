import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits';
import { request } from '../independent/wire';
import { fetchBlob, tempFolder, wholeFeed } from '../support/servers/client';
import { byDepth } from '../support/depth';
import { DebianServer, debianPrograms } from '../support/postgres/debian-postgres';
import type { EdgeProcess } from '../support/servers/edge';
import { startEdge } from '../support/servers/edge';
import type { EdgeClient } from '../support/servers/edge-client';
import { pairedClient, sha256, surveyOp } from '../support/servers/edge-client';
import { freePort } from '../support/servers/free-port';
import type { FaultProxy } from '../support/doubles/proxy';
import { startProxy } from '../support/doubles/proxy';
import { runSeed, seeded } from '../support/seed';
import { CloudProcess } from '../support/servers/cloud-process';
import { tally } from '../support/tally';
import { bundle } from './power-cut/bundle';

type Victim = 'nobody' | 'box' | 'bridge' | 'cloud' | 'database' | 'link cut' | 'link reset';

const EACH: readonly Victim[] = [
  'box',
  'bridge',
  'cloud',
  'database',
  'link cut',
  'bridge',
  'cloud',
  'database',
  'box',
  'link reset',
];
const withDebian = debianPrograms() !== undefined;

/** Each victim once. */
const ONCE: readonly Victim[] = ['box', 'bridge', 'cloud', 'database', 'link cut', 'link reset'];

/**
 * Voyages, each with one cut in the middle of its bytes; the first on a database measures the link traffic other than
 * photographs. A separate database server also restarts automatically, by its service manager.
 */
const PLANS: readonly (readonly [on: string, debian: boolean, victims: readonly Victim[]])[] = [
  [
    'the embedded PostgreSQL',
    false,
    ['nobody', ...byDepth({ commit: ONCE, release: [...EACH, ...EACH.slice(0, withDebian ? 5 : 9)] })],
  ],
  ...(withDebian
    ? [
        [
          'Debian’s PostgreSQL',
          true,
          [
            'nobody',
            ...byDepth<readonly Victim[]>({ commit: ['database'], release: ['database', 'cloud', 'database'] }),
          ],
        ] as const,
      ]
    : []),
];

const PHOTOGRAPHS_A_VOYAGE = 10;
/**
 * Greatest cost of one cut besides 1 % of the voyage, bytes: the protocol's "at most one chunk". A killed cloud costs
 * what was in the sockets of this machine, up to 2.4 MB if it is busy.
 */
const ONE_CHUNK = LIMITS.chunkBytesMax;
const TOKEN = 'token-of-the-box-under-test';

const seed = runSeed();
const random = seeded(seed);

describe.each(PLANS)(
  'protocol, the bridge: each part and the link cut at any moment, on %s',
  (_on, debian, victims) => {
    const folder = tempFolder('bridge-faults');
    let edge: EdgeProcess;
    let server: DebianServer | undefined;
    let cloud: CloudProcess;
    let bridge: CloudProcess;
    let proxy: FaultProxy;
    let client: EdgeClient;
    let cloudPort: number;

    beforeAll(async () => {
      edge = await startEdge({ home: path.join(folder.path, 'box') });
      if (debian) server = await DebianServer.start();
      cloudPort = await freePort();
      cloud = await CloudProcess.cloud({
        env: {
          REEF_HOME: path.join(folder.path, 'shore'),
          CLOUD_PORT: String(cloudPort),
          BRIDGE_TOKEN: TOKEN,
          ...(server === undefined ? {} : { DATABASE_URL: server.url }),
        },
      });
      proxy = await startProxy(cloudPort, seed);
      bridge = await CloudProcess.bridge({
        program: await bundle('tests/faults/bridge-entry.ts'),
        env: { REEF_HOME: path.join(folder.path, 'bridge'), BRIDGE_TOKEN: TOKEN, EDGE_ADMIN_TOKEN: edge.adminToken },
        args: ['--edge', edge.url, '--cloud', `http://127.0.0.1:${proxy.port}`],
      });
    });

    afterAll(async () => {
      client?.close();
      await bridge?.kill();
      await cloud?.stop();
      await proxy?.close();
      await server?.stop();
      await edge?.remove();
      folder.remove();
    });

    async function ask(method: string, place: string, body?: unknown): Promise<Record<string, unknown>> {
      const answer = await request(`${edge.url}${place}`, {
        method,
        headers: { authorization: `Bearer ${edge.adminToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      });
      return JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;
    }

    const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
      // Generous: the machine may be slow, but an endless wait is a defect.
      for (const end = performance.now() + 120_000; performance.now() < end;) {
        if (await holds()) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Error(
        `${what} never came (seed ${seed}). The bridge said:\n${bridge.output.slice(-3000)}\nThe cloud said:\n${cloud.output
          .split('\n')
          .filter((l) => !/unsupported-media|connection to the database ended/.test(l))
          .join('\n')
          .slice(-6000)}`,
      );
    };

    /** Process id of the cloud's own PostgreSQL, from its lock file. */
    function postmaster(): number {
      const find = (place: string): string | undefined => {
        if (!existsSync(place)) return undefined;
        for (const entry of readdirSync(place, { withFileTypes: true })) {
          if (entry.name === 'postmaster.pid') return path.join(place, entry.name);
          const found = entry.isDirectory() && entry.name !== 'base' ? find(path.join(place, entry.name)) : undefined;
          if (found !== undefined) return found;
        }
        return undefined;
      };
      const file = find(path.join(folder.path, 'shore'));
      if (file === undefined) throw new Error('the database of the cloud was not found');
      return Number(readFileSync(file, 'utf8').split('\n')[0]);
    }

    /** Stores photographs of one survey on the box while the bridge is paused. Returns their sizes by hash. */
    async function fill(): Promise<Map<string, number>> {
      await ask('POST', '/edge/bridge', { action: 'pause' });
      // The initial work would go ashore before the count starts.
      await until(
        'the pause',
        async () => (((await ask('GET', '/edge/bridge'))['report'] ?? {}) as { state?: string }).state === 'paused',
      );
      const survey = surveyOp();
      expect(await client.send('survey', { op: survey })).toMatchObject({ ok: true });
      const made = new Map<string, number>();
      for (let n = 0; n < PHOTOGRAPHS_A_VOYAGE; n++) {
        const content = random.bytes(n === 0 ? 5_000_000 : 40_000 + random.below(400_000));
        Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 0x4a, 0x46, 0x49, 0x46, 0x00]).copy(content);
        expect(await client.photograph(survey.docId, content, 1_000_000)).toMatchObject({ ok: true });
        made.set(sha256(content), content.length);
      }
      return made;
    }

    async function strike(victim: Victim): Promise<void> {
      switch (victim) {
        case 'nobody':
          return;
        case 'box':
          client.close();
          await edge.restart('SIGKILL');
          client = await pairedClient(edge);
          return;
        case 'bridge':
          await bridge.kill();
          return bridge.start();
        case 'cloud':
          await cloud.kill();
          return cloud.start();
        case 'database':
          if (server === undefined) process.kill(postmaster(), 'SIGKILL');
          else server.kill();
          return;
        case 'link cut':
          return proxy.arm({ kind: 'cut', towards: 'up', after: 1 });
        case 'link reset':
          return proxy.arm({ kind: 'reset', towards: 'up', after: 1 });
      }
    }

    it(`${victims.length * PHOTOGRAPHS_A_VOYAGE} photographs arrive once each, and a cut costs less than a chunk and 1 %`, async () => {
      console.log(`bridge faults: seed ${seed}`);
      client = await pairedClient(edge);
      const all = new Map<string, number>();
      const costs: string[] = [];
      const tooDear: string[] = [];
      /** Bytes of records, announcements and headers, which are sent without any cut, too. */
      let beside = 0;
      for (const [voyage, victim] of victims.entries()) {
        const made = await fill();
        for (const [hash, bytes] of made) all.set(hash, bytes);
        const total = [...made.values()].reduce((sum, bytes) => sum + bytes, 0);
        const before = proxy.bytes.up;
        const strikeAt = before + 20_000 + random.below(total - 200_000);
        // Slow enough that the cut comes in the middle, and the pieces in flight are small.
        proxy.slow(12_000_000);
        await ask('POST', '/edge/bridge', { action: 'resume' });
        await until(`${victim}: the middle of voyage ${voyage}`, () => proxy.bytes.up >= strikeAt);
        await strike(victim);
        await until(
          `${victim}: the end of voyage ${voyage}`,
          async () => Number((await ask('GET', '/edge/meta'))['owed']) === 0,
        );
        const cost = proxy.bytes.up - before - total;
        if (victim === 'nobody') beside = cost;
        costs.push(`${victim} ${Math.round(cost / 1024)}`);
        if (cost - beside > ONE_CHUNK + total / 100)
          tooDear.push(`voyage ${voyage}, ${victim}: ${cost - beside} of ${total} bytes were sent again`);
      }
      console.log(`bridge faults: KiB beside the photographs themselves, by cut: ${costs.join(', ')}`);
      tally('kills and cuts of the bridge', victims.length - 1);

      // Each is ashore byte for byte, checked past the proxy.
      for (const hash of all.keys()) {
        const answer = await request(`http://127.0.0.1:${cloudPort}/api/blobs/${hash}`, {
          headers: { authorization: `Bearer ${TOKEN}` },
        });
        expect(createHash('sha256').update(answer.body).digest('hex')).toBe(hash);
        // A box on a disk that is nearly full has freed the photograph since, and says so.
        const aboard = await fetchBlob(edge.audited, hash);
        if (aboard === undefined)
          expect(await ask('GET', `/edge/blobs/${hash}`)).toMatchObject({ error: { field: 'freed', ashore: true } });
        else expect(aboard.length).toBe(all.get(hash));
      }
      // Each record is ashore once, with one cloud receipt aboard.
      const { entries } = await wholeFeed(edge.audited);
      const written = entries.flatMap(({ op }) => (op === undefined ? [] : [op.opId])).sort();
      const ashore = entries
        .flatMap(({ op, receipt }) =>
          op === undefined && receipt !== undefined && receipt.accepted ? [receipt.opId] : [],
        )
        .sort();
      expect(ashore).toEqual(written);
      expect(written.length).toBe(victims.length * (PHOTOGRAPHS_A_VOYAGE + 1));
      const feed = await request(`http://127.0.0.1:${cloudPort}/api/changes?since=0&limit=1000`, {
        headers: { authorization: `Bearer ${TOKEN}` },
      });
      const receipts = (
        JSON.parse(feed.body.toString('utf8')) as { entries: { receipt?: { opId: string } }[] }
      ).entries.flatMap(({ receipt }) => receipt?.opId ?? []);
      expect(receipts.sort()).toEqual(written);
      expect(tooDear).toEqual([]);
    });
  },
);
