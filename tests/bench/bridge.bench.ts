import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { EdgeProcess } from '../support/servers/edge';
import { startEdge } from '../support/servers/edge';
import { CloudProcess } from '../support/servers/cloud-process';
import type { Child } from './tools/child';
import { benchFolder, bundle, removeFolder, startChild } from './tools/child';
import { openEdgeSender } from './tools/edge-contestant';
import type { Bench, Contestant, Figure, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';
import type { Photograph } from './tools/photographs';
import { PHOTOGRAPH_BYTES, makePhotographs } from './tools/photographs';
import { cpuSecondsOf } from './tools/process-tree';
import { startSlowLink } from './tools/slow-link';

const ROUNDS = 3;
const PHOTOGRAPHS = 200;
/** Concurrency of the rival, equal to the bridge's: two on the link, two announced or awaiting their answer. */
const AT_A_TIME = 4;
const GIGABYTES = (PHOTOGRAPHS * PHOTOGRAPH_BYTES) / 1e9;
const TOKEN = 'token-of-the-box-of-the-bench';

const TUS = 'tus-js-client to @tus/server, not durable';
const DURABLE = 'the same with SHA-256 and fsync';

/**
 * Idle quarter-seconds after which a service is done: pictures begin three seconds after the last photograph. The wait
 * is at most a minute.
 */
const QUIET_LOOKS = 20;
const QUIET_TRIES = 240;

const run = promisify(execFile);

/** Box, cloud and the bridge's state, each in an empty folder. */
class Shore implements Contestant {
  readonly name = 'bridge';
  readonly #edge: EdgeProcess;
  readonly #cloud: CloudProcess;
  readonly #folder: string;
  readonly #say: (line: string) => void;

  private constructor(edge: EdgeProcess, cloud: CloudProcess, folder: string, say: (line: string) => void) {
    this.#edge = edge;
    this.#cloud = cloud;
    this.#folder = folder;
    this.#say = say;
  }

  static async start(say: (line: string) => void): Promise<Shore> {
    const folder = await benchFolder('shore');
    const edge = await startEdge({ home: path.join(folder, 'box'), env: { EDGE_PAIRING: 'open' } });
    const cloud = await CloudProcess.cloud({
      env: { REEF_HOME: path.join(folder, 'shore'), CLOUD_PORT: '0', BRIDGE_TOKEN: TOKEN },
    });
    return new Shore(edge, cloud, folder, say);
  }

  /** Measures from the start of the bridge's process until the box has the cloud's receipt for each photograph. */
  async turn(): Promise<Turn> {
    await this.#fill();
    await run('sync', ['-f', this.#folder]);
    const [edgeBefore, cloudBefore] = [cpuSecondsOf(this.#edge.pid), cpuSecondsOf(this.#cloud.pid)];
    const start = performance.now();
    const bridge = await startBridge(this.#folder, this.#edge, String(this.#cloud.said['url']));
    await allAshore(this.#edge);
    const seconds = (performance.now() - start) / 1000;
    const cpu = {
      box: cpuSecondsOf(this.#edge.pid) - edgeBefore,
      bridge: cpuSecondsOf(bridge.pid),
      cloud: cpuSecondsOf(this.#cloud.pid) - cloudBefore,
    };
    this.#say(
      `bridge: ${seconds.toFixed(2)} s; processor: box ${cpu.box.toFixed(1)} s, bridge ${cpu.bridge.toFixed(1)} s, cloud with its database ${cpu.cloud.toFixed(1)} s`,
    );
    await bridge.stop();
    await quiet(this.#cloud.pid);
    return { seconds, cpuSeconds: cpu.box + cpu.bridge + cpu.cloud };
  }

  async stop(): Promise<void> {
    await this.#edge.stop();
    await this.#cloud.stop();
    await removeFolder(this.#folder);
  }

  async #fill(): Promise<void> {
    const queue = makePhotographs(PHOTOGRAPHS).slice();
    const lane = async (): Promise<void> => {
      const sender = await openEdgeSender(this.#edge.url, 'http');
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) await sender.send(next);
      sender.close();
    };
    await Promise.all([lane(), lane()]);
  }
}

function startBridge(folder: string, edge: EdgeProcess, cloud: string): Promise<CloudProcess> {
  return CloudProcess.bridge({
    env: { REEF_HOME: path.join(folder, 'bridge'), BRIDGE_TOKEN: TOKEN, EDGE_ADMIN_TOKEN: edge.adminToken },
    args: ['--edge', edge.url, '--cloud', cloud],
  });
}

/** Settles when the box has the cloud's receipt for everything it stores. */
async function allAshore(edge: EdgeProcess): Promise<void> {
  for (;;) {
    const answer = await fetch(`${edge.url}/edge/meta`, { headers: { authorization: `Bearer ${edge.adminToken}` } });
    if (((await answer.json()) as { owed: number }).owed === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Waits for follow-up work such as pictures, so that it does not slow the next turn. */
async function quiet(pid: number): Promise<void> {
  for (let still = 0, before = cpuSecondsOf(pid), tries = 0; still < QUIET_LOOKS && tries < QUIET_TRIES; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const now = cpuSecondsOf(pid);
    still = now - before < 0.02 ? still + 1 : 0;
    before = now;
  }
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** Slow link as at sea, with a satellite's delay. */
const SLOW = { bitsPerSecond: 64_000, roundTripMs: 600 };
/** Photographs over the slow link, bytes: two minutes of its rate. */
const SLOW_PHOTOGRAPHS = Array.from({ length: 8 }, () => 125_000);
const SLOW_BYTES = SLOW_PHOTOGRAPHS.reduce((sum, bytes) => sum + bytes, 0);

const PLAIN = 'one long plain upload over the same link';

/** Bridge payload per second over the slow link, against one plain POST of as many bytes. */
async function slowLink(say: (line: string) => void): Promise<Figure> {
  const folder = await benchFolder('slow');
  const edge = await startEdge({ home: path.join(folder, 'box'), env: { EDGE_PAIRING: 'open' } });
  const cloud = await CloudProcess.cloud({
    env: { REEF_HOME: path.join(folder, 'shore'), CLOUD_PORT: '0', BRIDGE_TOKEN: TOKEN },
  });
  const plain = await startChild<string>('tests/bench/rivals/streaming-post.ts', { BENCH_FOLDER: folder });
  const links = [
    await startSlowLink(Number(new URL(String(cloud.said['url'])).port), SLOW.bitsPerSecond, SLOW.roundTripMs),
    await startSlowLink(Number(new URL(plain.ready).port), SLOW.bitsPerSecond, SLOW.roundTripMs),
  ] as const;
  try {
    const sender = await openEdgeSender(edge.url, 'http');
    for (const bytes of SLOW_PHOTOGRAPHS) await sender.send(photographOf(bytes));
    sender.close();
    // In parallel, each over its own link: neither needs much of the machine.
    const plainUpload = async (): Promise<void> => {
      const answer = await fetch(`http://127.0.0.1:${links[1].port}/`, {
        method: 'POST',
        body: Buffer.alloc(SLOW_BYTES, 1),
      });
      if (answer.status !== 201) throw new Error(`the plain upload: ${answer.status}`);
    };
    const starting = startBridge(folder, edge, `http://127.0.0.1:${links[0].port}`);
    const bridged = async (): Promise<void> => {
      await starting;
      await allAshore(edge);
    };
    const [plainSeconds, seconds] = await Promise.all([secondsOf(plainUpload), secondsOf(bridged)]);
    await (await starting).stop();
    say(
      `at ${SLOW.bitsPerSecond / 1000} kbit/s and ${SLOW.roundTripMs} ms: bridge ${(SLOW_BYTES / seconds).toFixed(0)} B/s from its start to the last receipt aboard, plain ${(SLOW_BYTES / plainSeconds).toFixed(0)} B/s; ${links[0].up} bytes went up for ${SLOW_BYTES}`,
    );
    return {
      figure: `payload at ${SLOW.bitsPerSecond / 1000} kbit/s and ${SLOW.roundTripMs} ms`,
      value: plainSeconds / seconds,
      unit: '×',
      rule: '>=',
      goal: 0.9,
      rival: PLAIN,
    };
  } finally {
    for (const link of links) await link.close();
    await plain.stop();
    await cloud.stop();
    await edge.stop();
    await removeFolder(folder);
  }
}

/** Unique bytes that a box accepts as a photograph. */
function photographOf(bytes: number): Photograph {
  const content = randomBytes(bytes);
  Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex').copy(content);
  return {
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes,
    parts: [content.subarray(0, 64), content.subarray(64)],
  };
}

/** Files in a folder, sent by the rival's own client. */
function tusContestant(name: string, server: Child<string>, folder: string): Contestant {
  return {
    name,
    async turn() {
      const files = path.join(folder, 'files');
      rmSync(files, { recursive: true, force: true });
      mkdirSync(files);
      for (const { sha256, parts } of makePhotographs(PHOTOGRAPHS))
        writeFileSync(path.join(files, sha256), Buffer.concat(parts));
      const program = await bundle('tests/bench/rivals/tus-sender.ts');
      await run('sync', ['-f', folder]);
      const before = cpuSecondsOf(server.pid);
      const start = performance.now();
      const child = spawn(process.execPath, [program, files, `${server.ready}/files`, String(AT_A_TIME)], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const code = await new Promise((resolve) => child.once('close', resolve));
      const seconds = (performance.now() - start) / 1000;
      if (code !== 0) throw new Error(`the rival's sender ended with ${String(code)}`);
      return { seconds, cpuSeconds: cpuSecondsOf(server.pid) - before };
    },
  };
}

/**
 * Compares the bridge with an upload server. The bridge reads a box over HTTP and posts to the cloud, which hashes,
 * fsyncs, stores the record in PostgreSQL and signs a receipt that is stored aboard. The rival's sender reads files, as
 * many at a time and each in one request, as its guide advises; its server hashes nothing, and its data is only in the
 * kernel's memory when it answers. A second rival line hashes and syncs.
 */
export const bench: Bench = {
  about: `${PHOTOGRAPHS} photographs of ${PHOTOGRAPH_BYTES / 1e6} MB from a box to the cloud, receipts back aboard, beside ${TUS}`,
  async run(say) {
    const figures: Figure[] = [];
    const folder = await benchFolder('tus-files');
    const [taken, synced] = [path.join(folder, 'taken'), path.join(folder, 'synced')];
    for (const place of [taken, synced]) mkdirSync(place);
    const tus = await startChild<string>('tests/bench/rivals/tus.ts', { BENCH_FOLDER: taken });
    const durable = await startChild<string>('tests/bench/rivals/tus.ts', { BENCH_FOLDER: synced, BENCH_DURABLE: '1' });
    const shore = await Shore.start(say);
    try {
      const turns = await interleave(
        [shore, tusContestant(TUS, tus, folder), tusContestant(DURABLE, durable, folder)],
        ROUNDS,
      );
      const ours = turns.get(shore.name) ?? [];
      for (const [name, list] of turns)
        say(
          `${name.padEnd(42)} ${((GIGABYTES * 1000) / median(list.map(({ seconds }) => seconds))).toFixed(0).padStart(4)} MB/s  ${(median(list.map(({ cpuSeconds }) => cpuSeconds)) / GIGABYTES).toFixed(2)} s CPU a GB`,
        );
      for (const rival of [TUS, DURABLE])
        figures.push({
          figure: 'MB/s on loopback',
          value: ratioByRound(turns.get(rival) ?? [], ours, ({ seconds }) => seconds),
          unit: '×',
          rule: '>=',
          goal: 1.2,
          rival,
        });
    } finally {
      await shore.stop();
      await tus.stop();
      await durable.stop();
      await removeFolder(folder);
    }
    figures.push(await slowLink(say));
    return figures;
  },
};
