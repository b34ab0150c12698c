import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateStore } from '../../cloud-sync/api/store/migrate';
import { launchPostgres } from '../../cloud-sync/api/postgres/launcher';
import type { Reader } from '../../cloud-sync/api/reads/read-definition';
import { Reads } from '../../cloud-sync/api/reads/reads';
import { benchFolder, removeFolder } from './tools/child';
import { FAST_FILLING } from './tools/cloud-database';
import type { Bench, Contestant } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';

const IMAGES = 1_000_000;
const IMAGES_A_SURVEY = 50;
const SURVEYS = IMAGES / IMAGES_A_SURVEY;
const ANALYSED = 10_000;
const ROUNDS = 3;
const PICKS = 300;
const RIVAL = 'ORDER BY random()';
const PERSON = 'PersonOfThePick1';

/**
 * Picks three photographs to label among a million in one region, for a person who analysed ten thousand. Ours is the
 * read of the service, from a random place each time. The rival states the same conditions and the same priorities in
 * one statement, prepared as well, and lets PostgreSQL order by chance. Both run in this process over the same database;
 * a pick of the rival counts once, since hundreds would take minutes.
 */
export const bench: Bench = {
  about: `a pick of three photographs to label among ${IMAGES.toLocaleString('en')}, beside ${RIVAL}`,
  async run(say) {
    const folder = await benchFolder('label-pick');
    const server = await launchPostgres({ folder, settings: FAST_FILLING });
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    try {
      await migrateStore(pool);
      await fill(pool, say);
      const ours: Contestant = {
        name: 'the pool in seed order',
        async turn() {
          const reads = new Reads(pool);
          const began = performance.now();
          for (let pick = 0; pick < PICKS; pick++) {
            const from = randomBytes(16).toString('hex');
            const answer = await reads.answer('images-to-analyse', { from, labels: 'true', regionId: 'gbr' }, READER);
            requireThree(JSON.parse(answer));
          }
          return { seconds: (performance.now() - began) / 1000 / PICKS, cpuSeconds: 0 };
        },
      };
      const rival: Contestant = {
        name: RIVAL,
        async turn() {
          const began = performance.now();
          const { rows } = await pool.query({ name: 'by-chance', text: BY_CHANCE, values: ['gbr', PERSON] });
          const seconds = (performance.now() - began) / 1000;
          requireThree({ items: rows });
          return { seconds, cpuSeconds: 0 };
        },
      };
      const turns = await interleave([ours, rival], ROUNDS);
      for (const [name, list] of turns)
        say(
          `${name.padEnd(24)} ${(median(list.map(({ seconds }) => seconds)) * 1000).toFixed(2).padStart(9)} ms a pick`,
        );
      return [
        {
          figure: 'speed of a pick',
          value: ratioByRound(turns.get(RIVAL) ?? [], turns.get(ours.name) ?? [], ({ seconds }) => seconds),
          unit: '×',
          rule: '>=' as const,
          goal: 100,
          rival: RIVAL,
        },
      ];
    } finally {
      await pool.end();
      await server.stop();
      await removeFolder(folder);
    }
  },
};

const READER: Reader = { person: PERSON as never, node: null, isSignedIn: true, isStaff: false };

const BY_CHANCE = `SELECT d.shown, s.shown FROM label_pool p JOIN docs d ON d.kind = 'image' AND d.doc_id = p.image_id JOIN docs s ON s.kind = 'survey' AND s.doc_id = d.survey_id
  WHERE p.region_id = $1 AND p.people <= 4 AND NOT d.deleted AND NOT s.deleted AND NOT s.private
    AND EXISTS (SELECT FROM image_blobs b WHERE b.image_id = p.image_id AND b.here AND NOT b.lost)
    AND NOT EXISTS (SELECT FROM docs a WHERE a.kind = 'analysis' AND NOT a.deleted AND a.image_id = p.image_id AND a.owner = $2)
  ORDER BY p.priority, random() LIMIT 3`;

function requireThree(answer: unknown): void {
  if ((answer as { items: unknown[] }).items.length !== 3) throw new Error('not three photographs');
}

/** Creates a million photographs with outlines as operations and jobs would have left them. */
async function fill(pool: pg.Pool, say: (line: string) => void): Promise<void> {
  const began = performance.now();
  const at = `'2025-06-01T00:00:00.000Z'`;
  const columns =
    'kind, doc_id, folded, deleted, created_at, updated_at, survey_id, counted, shown, owner, region_id, image_id';
  const [survey, image] = [`'Survey' || lpad((N)::text, 10, '0')`, `'Image' || lpad((N)::text, 11, '0')`];
  const of = (template: string, n: string): string => template.replace('N', n);
  await pool.query(
    `INSERT INTO docs (${columns}) SELECT 'survey', ${of(survey, 'n')}, '{}', false, ${at}, ${at}, NULL, '[]',
       '{"id":"' || ${of(survey, 'n')} || '","name":"Ribbon Reef","loc":{"regionId":"gbr"}}', NULL, 'gbr', NULL FROM generate_series(0, ${SURVEYS - 1}) n`,
  );
  await pool.query(
    `INSERT INTO docs (${columns}) SELECT 'image', ${of(image, 'n')}, '{}', false, ${at}, ${at}, ${of(survey, `n / ${IMAGES_A_SURVEY}`)}, '[]',
       '{"id":"' || ${of(image, 'n')} || '","path":"G.JPG","width":4000,"height":3000,"ml":true}', NULL, NULL, NULL FROM generate_series(0, ${IMAGES - 1}) n`,
  );
  await pool.query(
    `INSERT INTO docs (${columns}) SELECT 'analysis', 'Analysis' || lpad(n::text, 8, '0'), '{}', false, ${at}, ${at}, NULL, '[]',
       '{}', '${PERSON}', NULL, ${of(image, `(n::bigint * 7919) % ${IMAGES}`)} FROM generate_series(1, ${ANALYSED}) n`,
  );
  await pool.query(
    `INSERT INTO image_blobs (image_id, sha256, bytes, here) SELECT ${of(image, 'n')}, repeat(md5(n::text), 2), 4000000, true FROM generate_series(0, ${IMAGES - 1}) n`,
  );
  await pool.query(
    `INSERT INTO label_pool (image_id, survey_id, region_id, priority, seed, people)
     SELECT doc_id, survey_id, 'gbr', 1 + ('x' || left(md5(survey_id), 4))::bit(16)::int % 5, md5(doc_id), ('x' || left(md5(doc_id), 4))::bit(16)::int % 6 FROM docs WHERE kind = 'image'`,
  );
  for (const table of ['docs', 'image_blobs', 'label_pool']) await pool.query(`VACUUM (ANALYZE) ${table}`);
  say(`${IMAGES.toLocaleString('en')} photographs made in ${((performance.now() - began) / 1000).toFixed(0)} s`);
}
