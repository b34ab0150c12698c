import pg from 'pg';
import { startChild } from './tools/child';
import { startBenchCloud } from './tools/cloud-database';
import type { Bench, Contestant, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';
import { LeanHttp } from './tools/lean-http';
import { cpuSecondsOf } from './tools/process-tree';

const IMAGES = 1_000_000;
const IMAGES_A_SURVEY = 50;
const SURVEYS = IMAGES / IMAGES_A_SURVEY;
const ROUNDS = 5;
const CLIENTS = 8;
const REQUESTS = 3_000;
const RIVAL = 'the same SQL behind bare Fastify';
/** The rows need not survive this bench, and filling them is not measured. */
const FILLING = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=8GB',
  'shared_buffers=512MB',
];

interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

/**
 * Compares whole routes: the service checks caller, policy, origin, headers, CORS and metrics before each read; the
 * rival is a bare handler over a pool of as many connections. Both read the same million photographs.
 */
export const bench: Bench = {
  about: `reads over ${IMAGES.toLocaleString('en')} photographs to ${CLIENTS} clients, beside ${RIVAL}`,
  async run(say) {
    const cloud = await startBenchCloud('cloud-reads', FILLING, (url) => fill(url, say));
    const rival = await startChild<string>('tests/bench/rivals/query-fastify.ts', {
      DATABASE_URL: cloud.databaseUrl,
    }).catch(async (error: unknown) => {
      await cloud.stop();
      throw error;
    });
    try {
      const servers: Server[] = [
        { name: 'cloud', url: cloud.url, pid: cloud.pid },
        { name: RIVAL, url: rival.ready, pid: rival.pid },
      ];
      const headers = { Authorization: `Bearer ${await cloud.signIn('reader@example.org')}` };
      const figures = [];
      for (const [what, places] of [
        ['images by survey', imagePlaces()],
        ['surveys by region and dates', surveyPlaces()],
      ] as const) {
        await checkAlike(servers, places, headers);
        const turns = await interleave(
          servers.map((server) => contestant(server, places, headers)),
          ROUNDS,
        );
        const [ours = [], theirs = []] = servers.map(({ name }) => turns.get(name) ?? []);
        for (const [name, list] of turns) say(inWords(`${name}, ${what}`, list));
        figures.push({
          figure: `requests a second, ${what}`,
          value: ratioByRound(theirs, ours, ({ seconds }) => seconds),
          unit: '×',
          rule: '>=' as const,
          goal: 0.7,
          rival: RIVAL,
        });
      }
      return figures;
    } finally {
      await rival.stop();
      await cloud.stop();
    }
  },
};

const surveyId = (n: number): string => `Survey${String(n).padStart(10, '0')}`;

/** Surveys in a scattered order, one per request. */
function imagePlaces(): string[] {
  return Array.from(
    { length: REQUESTS },
    (_, n) => `/api/query/images-by-survey?surveyId=${surveyId((n * 7919) % SURVEYS)}`,
  );
}

function surveyPlaces(): string[] {
  return Array.from({ length: REQUESTS }, (_, n) => {
    const day = String(1 + ((n * 11) % 20)).padStart(2, '0');
    const month = String(1 + ((n * 5) % 12)).padStart(2, '0');
    return `/api/query/surveys?regionId=r${n % 5}&from=2025-${month}-${day}&to=2025-${month}-28&limit=10`;
  });
}

/** Creates a million rows as operations would have left them, in PostgreSQL itself. */
async function fill(url: string, say: (line: string) => void): Promise<void> {
  const began = performance.now();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const columns =
      'kind, doc_id, folded, deleted, created_at, updated_at, survey_id, counted, shown, owner, date, region_id, loc_id';
    const at = `'2025-06-01T00:00:00.000Z'`;
    const person = `'Person' || lpad((n % 997)::text, 10, '0')`;
    await client.query(
      `INSERT INTO docs (${columns}) SELECT 'survey', id, '{}', false, ${at}, ${at}, NULL, '[]',
         '{"id":"' || id || '","name":"Ribbon Reef ' || n || '","date":"' || day || '","type":"snorkel","loc":{"id":"loc-' || n % 400 || '","regionId":"r' || n % 5 || '","name":"Ribbon Reef"},"user":{"uid":"' || person || '","org":null},"visibility":14,"createdAt":' || '"2025-06-01T00:00:00.000Z"' || ',"isDeleted":false,"meta":{"images":{"total":${IMAGES_A_SURVEY}}}}',
         person, day, 'r' || n % 5, 'loc-' || n % 400
       FROM (SELECT n, 'Survey' || lpad(n::text, 10, '0') AS id, to_char(date '2025-01-01' + (n * 37) % 365, 'YYYY-MM-DD') AS day, ${person} AS person FROM generate_series(0, ${SURVEYS - 1}) AS n) s`,
    );
    await client.query(
      `INSERT INTO docs (${columns}) SELECT 'image', id, '{}', false, ${at}, ${at}, survey, '[]',
         '{"id":"' || id || '","path":"DCIM/100GOPRO/G' || n || '.JPG","type":"image/jpeg","bytes":4000000,"sha256":"' || md5(id) || md5(survey) || '","width":4000,"height":3000,"survey":{"id":"' || survey || '"},"user":{"uid":"' || person || '"},"meta":{"taken":"2025-06-01T09:30:00","camera":{"make":"GoPro","model":"HERO9 Black"},"analysis":{"total":0},"analysis_expert":{"total":0}},"position":{"latitude":-15.3456,"longitude":145.7654,"source":"exif"},"createdAt":"2025-06-01T00:00:00.000Z","updatedAt":"2025-06-01T00:00:00.000Z","isDeleted":false}',
         person, '', NULL, NULL
       FROM (SELECT n, 'Image' || lpad(n::text, 11, '0') AS id, 'Survey' || lpad((n / ${IMAGES_A_SURVEY})::text, 10, '0') AS survey, ${person} AS person FROM generate_series(0, ${IMAGES - 1}) AS n) i`,
    );
    await client.query('VACUUM (ANALYZE) docs');
  } finally {
    await client.end();
  }
  say(
    `${IMAGES.toLocaleString('en')} photographs of ${SURVEYS.toLocaleString('en')} surveys made in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
}

type Headers = Readonly<Record<string, string>>;

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
          for (let n = next++; n < REQUESTS; n = next++) {
            const { status } = await http.request('GET', places[n % places.length] ?? '', headers);
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

function inWords(name: string, turns: readonly Turn[]): string {
  const cpu = (median(turns.map(({ cpuSeconds }) => cpuSeconds)) / REQUESTS) * 1e6;
  const speed = REQUESTS / median(turns.map(({ seconds }) => seconds));
  return `${name.padEnd(62)} ${cpu.toFixed(0).padStart(5)} µs CPU a read  ${speed.toFixed(0).padStart(6)} reads/s`;
}
