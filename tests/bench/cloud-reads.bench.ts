import pg from 'pg';
import type { Bench } from './tools/harness';
import { CLIENTS, measureReads, RIVAL } from './tools/read-rate';

const IMAGES = 1_000_000;
const IMAGES_A_SURVEY = 50;
const SURVEYS = IMAGES / IMAGES_A_SURVEY;
const REQUESTS = 3_000;

/** Reads of documents (see `measureReads`): both sides read the same million photographs. */
export const bench: Bench = {
  about: `reads over ${IMAGES.toLocaleString('en')} photographs to ${CLIENTS} clients, beside ${RIVAL}`,
  run: (say) =>
    measureReads(
      'cloud-reads',
      (url) => fill(url, say),
      [
        { what: 'images by survey', places: imagePlaces() },
        { what: 'surveys by region and dates', places: surveyPlaces() },
      ],
      say,
    ),
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
