import { startChild, type Child } from './child';
import { FAST_FILLING, startBenchCloud, type BenchCloud } from './cloud-database';
import type { Figure } from './harness';
import { interleave, ratioByRound } from './harness';
import type { MeasuredServer } from './http-contestant';
import { httpContestant, rateText } from './http-contestant';
import { LeanHttp } from './lean-http';

const ROUNDS = 5;
/** Clients that ask at the same time, over a connection each. */
export const CLIENTS = 8;
export const RIVAL = 'the same SQL behind bare Fastify';
const GOAL = 0.7;
/** Read with the addresses that are asked for, in a scattered order. */
interface MeasuredRead {
  readonly what: string;
  readonly places: readonly string[];
}

type Headers = Readonly<Record<string, string>>;

/**
 * Requests a second of whole routes: the service checks caller, policy, origin, headers, CORS and metrics before each
 * read; the rival (`rivals/query-fastify.ts`) is a bare handler over a pool of as many connections to the same database.
 * Both answer each read once before any is measured.
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
    cloud = await startBenchCloud(name, FAST_FILLING, fill);
    rival = await startChild<string>('tests/bench/rivals/query-fastify.ts', { DATABASE_URL: cloud.databaseUrl });
    const servers: MeasuredServer[] = [
      { name: 'cloud', url: cloud.url, pid: cloud.pid },
      { name: RIVAL, url: rival.ready, pid: rival.pid },
    ];
    const headers = { Authorization: `Bearer ${await cloud.signIn('reader@example.org')}` };
    const contestantsOf = (places: readonly string[]) =>
      servers.map((server) => httpContestant(server, { requests: places.length, places, headers, clients: CLIENTS }));
    // The service has more code than the rival: without this, the first reads would be measured before that is compiled.
    for (const { places } of reads) for (const contestant of contestantsOf(places)) await contestant.turn(0);
    const figures: Figure[] = [];
    for (const { what, places } of reads) {
      await checkAlike(servers, places, headers);
      const turns = await interleave(contestantsOf(places), ROUNDS);
      const [ours = [], theirs = []] = servers.map((server) => turns.get(server.name) ?? []);
      for (const [side, list] of turns) say(rateText(`${side}, ${what}`, list, places.length, 'read'));
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

/** Answer with an item; what is shaped by the service has its items last. */
const HAS_ITEMS = /^\{"ok":true,("next":null,)?"items":\[\{/;

/** Checks that both return the same documents. */
async function checkAlike(
  servers: readonly MeasuredServer[],
  places: readonly string[],
  headers: Headers,
): Promise<void> {
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
    if (ours !== theirs || !HAS_ITEMS.test(ours)) throw new Error(`${place} differs`);
  }
}
