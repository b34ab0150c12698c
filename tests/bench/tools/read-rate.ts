import { startChild, type Child } from './child';
import { startBenchCloud, type BenchCloud } from './cloud-database';
import type { Contestant, Figure, Turn } from './harness';
import { interleave, median, ratioByRound } from './harness';
import { LeanHttp } from './lean-http';
import { cpuSecondsOf } from './process-tree';

const ROUNDS = 5;
/** Clients that ask at the same time, over a connection each. */
export const CLIENTS = 8;
export const RIVAL = 'the same SQL behind bare Fastify';
const GOAL = 0.7;
/** The rows need not survive a bench, and filling them is not measured. */
const FILLING = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=8GB',
  'shared_buffers=512MB',
];

/** Read with the addresses that are asked for, in a scattered order. */
interface MeasuredRead {
  readonly what: string;
  readonly places: readonly string[];
}

interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Requests a second of whole routes: the service checks caller, policy, origin, headers, CORS and metrics before each
 * read; the rival (`rivals/query-fastify.ts`) is a bare handler over a pool of as many connections to the same database.
 *
 * @param fill creates the rows
 */
export async function measureReads(
  name: string,
  fill: (databaseUrl: string) => Promise<void>,
  reads: readonly MeasuredRead[],
  say: (line: string) => void,
): Promise<readonly Figure[]> {
  let cloud: BenchCloud | undefined;
  let rival: Child<string> | undefined;
  try {
    cloud = await startBenchCloud(name, FILLING, fill);
    rival = await startChild<string>('tests/bench/rivals/query-fastify.ts', { DATABASE_URL: cloud.databaseUrl });
    const servers: Server[] = [
      { name: 'cloud', url: cloud.url, pid: cloud.pid },
      { name: RIVAL, url: rival.ready, pid: rival.pid },
    ];
    const headers = { Authorization: `Bearer ${await cloud.signIn('reader@example.org')}` };
    const figures: Figure[] = [];
    for (const { what, places } of reads) {
      await checkAlike(servers, places, headers);
      const turns = await interleave(
        servers.map((server) => contestant(server, places, headers)),
        ROUNDS,
      );
      const [ours = [], theirs = []] = servers.map((server) => turns.get(server.name) ?? []);
      for (const [side, list] of turns) say(inWords(`${side}, ${what}`, list, places.length));
      figures.push({
        figure: `requests a second, ${what}`,
        value: ratioByRound(theirs, ours, ({ seconds }) => seconds),
        unit: '×',
        rule: '>=',
        goal: GOAL,
        rival: RIVAL,
      });
    }
    return figures;
  } finally {
    await rival?.stop();
    await cloud?.stop();
  }
}

/** Checks that both return the same documents. */
async function checkAlike(servers: readonly Server[], places: readonly string[], headers: Headers): Promise<void> {
  for (const place of places.slice(0, 20)) {
    const answers = await Promise.all(
      servers.map(async ({ url }) => {
        const http = await LeanHttp.open(url);
        const { status, body } = await http.request('GET', place, headers);
        http.close();
        if (status !== 200) throw new Error(`${place}: ${status} ${body.toString()}`);
        return body.toString();
      }),
    );
    const [ours = '', theirs = ''] = answers;
    if (ours !== theirs || !ours.startsWith('{"ok":true,"items":[{')) throw new Error(`${place} differs`);
  }
}

function contestant({ name, url, pid }: Server, places: readonly string[], headers: Headers): Contestant {
  return {
    name,
    async turn(): Promise<Turn> {
      const clients = await Promise.all(Array.from({ length: CLIENTS }, () => LeanHttp.open(url)));
      const cpuBefore = cpuSecondsOf(pid);
      const began = performance.now();
      let next = 0;
      await Promise.all(
        clients.map(async (http) => {
          for (let n = next++; n < places.length; n = next++) {
            const { status } = await http.request('GET', places[n] ?? '', headers);
            if (status !== 200) throw new Error(`${name}: ${status}`);
          }
        }),
      );
      const seconds = (performance.now() - began) / 1000;
      const cpuSeconds = cpuSecondsOf(pid) - cpuBefore;
      for (const http of clients) http.close();
      return { seconds, cpuSeconds };
    },
  };
}

function inWords(name: string, turns: readonly Turn[], requests: number): string {
  const cpu = (median(turns.map(({ cpuSeconds }) => cpuSeconds)) / requests) * 1e6;
  const speed = requests / median(turns.map(({ seconds }) => seconds));
  return `${name.padEnd(62)} ${cpu.toFixed(0).padStart(5)} µs CPU a read  ${speed.toFixed(0).padStart(6)} reads/s`;
}
