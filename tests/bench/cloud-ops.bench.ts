import type { Op } from '../../src/domain/op/op';
import { makeOps } from './tools/census-ops';
import { BOX_TOKEN, startBenchCloud } from './tools/cloud-database';
import type { BenchCloud } from './tools/cloud-database';
import type { Bench, Contestant, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';
import { LeanHttp } from './tools/lean-http';
import { cpuSecondsOf } from './tools/process-tree';

const OPS = 10_000;
/** Single operations cost the same from first to last, so a tenth of them is enough. */
const SINGLE_OPS = 1_000;
/** Batch size of a bridge. */
const BATCH = 500;
const ROUNDS = 2;
const NODE = 'NodeOfTheBenches';
const RIVAL = 'one request an operation';

/**
 * Posts surveys to one service with a durable database: each operation is flushed to disk before its receipt returns.
 * Both ways use one kept connection and wait for each answer, as a box does. Photograph records would wait for their
 * bytes, so only surveys are sent.
 */
export const bench: Bench = {
  about: `${OPS.toLocaleString('en')} operations in batches of ${BATCH}, beside ${RIVAL}`,
  async run(say) {
    const cloud = await startBenchCloud('cloud-ops');
    try {
      const [batches, single] = [contestant('batches', cloud, OPS, BATCH), contestant(RIVAL, cloud, SINGLE_OPS, 1)];
      const turns = await interleave([batches, single], ROUNDS);
      const [ours = [], theirs = []] = [turns.get(batches.name), turns.get(single.name)];
      for (const [name, list] of turns) say(inWords(name, list));
      return [
        {
          figure: 'operations a second in batches',
          value: ratioByRound(theirs, ours, ({ seconds }) => seconds),
          unit: '×',
          rule: '>=',
          goal: 3,
          rival: RIVAL,
        },
      ];
    } finally {
      await cloud.stop();
    }
  },
};

/** Operations without bytes: the surveys of many expeditions. */
function surveys(count: number): Op[] {
  const found: Op[] = [];
  while (found.length < count) found.push(...makeOps(1));
  return found;
}

/** Contestant whose turns measure the seconds of one operation. */
function contestant(name: string, { url, pid }: BenchCloud, count: number, batch: number): Contestant {
  return {
    name,
    async turn(): Promise<Turn> {
      const ops = surveys(count);
      const bodies: Buffer[] = [];
      for (let from = 0; from < ops.length; from += batch)
        bodies.push(Buffer.from(JSON.stringify({ node: NODE, ops: ops.slice(from, from + batch) })));
      const http = await LeanHttp.open(url);
      const cpuBefore = cpuSecondsOf(pid);
      const began = performance.now();
      for (const body of bodies) await post(http, body, batch);
      const seconds = (performance.now() - began) / 1000 / count;
      const cpuSeconds = (cpuSecondsOf(pid) - cpuBefore) / count;
      http.close();
      return { seconds, cpuSeconds };
    },
  };
}

async function post(http: LeanHttp, body: Buffer, wanted: number): Promise<void> {
  const { status, body: answer } = await http.request(
    'POST',
    '/api/ops',
    { Authorization: `Bearer ${BOX_TOKEN}`, 'Content-Type': 'application/json' },
    [body],
  );
  const { results = [] } = JSON.parse(answer.toString()) as { results?: { receipt?: { accepted: boolean } }[] };
  if (status !== 200 || results.length !== wanted || !results.every(({ receipt }) => receipt?.accepted === true))
    throw new Error(`POST /api/ops: ${status} ${answer.toString().slice(0, 500)}`);
}

function inWords(name: string, turns: readonly Turn[]): string {
  const cpu = median(turns.map(({ cpuSeconds }) => cpuSeconds)) * 1e6;
  const speed = 1 / median(turns.map(({ seconds }) => seconds));
  return `${name.padEnd(26)} ${cpu.toFixed(0).padStart(6)} µs CPU of the service an operation  ${speed.toFixed(0).padStart(6)} operations/s`;
}
