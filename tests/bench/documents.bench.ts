import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { canonicalJson } from '../../src/domain/canonical';
import { makeProfile, openBrowser, type TestBrowser } from '../support/browser/browser';
import { startEdge } from '../support/servers/edge';
import { EdgeClient, makeOp, newId, photograph, sha256 } from '../support/servers/edge-client';
import { enterPerson } from '../support/browser/tablet-page';
import { benchFolder, removeFolder, startChild } from './tools/child';
import type { Bench } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';
import { unwatched } from './tools/unwatched';

const DOCUMENTS = 10_000;
const A_SURVEY = 500;
const ROUNDS = 3;
const SURVEYS = Math.ceil(DOCUMENTS / A_SURVEY);
/** The last survey has the remaining documents. */
const LAST_HAS = DOCUMENTS - SURVEYS - (SURVEYS - 1) * A_SURVEY;

/**
 * Measures ten thousand documents from a box into an empty browser, until each is stored there and found by its id.
 *
 * Ours: operations and box receipts arrive over the socket; the hash of each operation and the signature of each receipt
 * are checked; both are stored in strict transactions with the feed cursor, indexed by document. The clock stops when all
 * operations are committed. Right then (not counted, but required) the app's own lists must show them: a survey is opened
 * and must list its photographs. The read model is written afterwards; its end is printed.
 *
 * Rival: PouchDB replicates from express-pouchdb over HTTP, 1,000 documents a batch; the clock stops when `replicate`
 * settles and each document is found by its id. It checks no hash and no signature, and lists nothing. Both pages are idle
 * before the clock starts, and no other program listens to their traffic.
 */
export const bench: Bench = {
  about: `${DOCUMENTS.toLocaleString('en')} documents down to a browser that has none: operations and receipts pulled, checked, kept and found by id, beside PouchDB replicating from express-pouchdb`,
  async run(say) {
    const folder = await benchFolder('documents');
    const edge = await startEdge({ env: { EDGE_PAIRING: 'open' } });
    try {
      const bodies = await fillBox(edge);
      const file = path.join(folder, 'documents.ndjson');
      writeFileSync(file, bodies.map((body) => JSON.stringify({ ...body, _id: body['id'] })).join('\n'));
      const rival = await startChild<string>('tests/bench/rivals/pouchdb.ts', { BENCH_DOCUMENTS: file });
      try {
        const turns = await interleave(
          [
            {
              name: 'ours',
              turn: async () => ({
                seconds: await inFreshBrowser((browser, folder) => pullFromBox(browser, folder, edge.url, say)),
                cpuSeconds: 0,
              }),
            },
            {
              name: 'pouchdb',
              turn: async () => ({
                seconds: await inFreshBrowser((browser, folder) => replicate(browser, folder, rival.ready)),
                cpuSeconds: 0,
              }),
            },
          ],
          ROUNDS,
        );
        const [ours = [], theirs = []] = [turns.get('ours'), turns.get('pouchdb')];
        for (const [name, list] of turns)
          say(
            `${name}: ${median(list.map(({ seconds }) => seconds)).toFixed(2)} s (${list.map(({ seconds }) => seconds.toFixed(2)).join(', ')})`,
          );
        return [
          {
            figure: `${DOCUMENTS.toLocaleString('en')} documents down to the browser, stored and found by id`,
            value: 1 / ratioByRound(ours, theirs, ({ seconds }) => seconds),
            unit: '×',
            rule: '>=',
            goal: 2,
            rival: 'PouchDB from express-pouchdb, in memory, 1,000 documents a batch',
          },
        ];
      } finally {
        await rival.stop();
      }
    } finally {
      await edge.remove();
      await removeFolder(folder);
    }
  },
};

/**
 * Stores surveys and photograph records on the box, as another tablet's; all records name the same few bytes. Returns
 * their bodies.
 */
async function fillBox(edge: {
  readonly url: string;
  readonly adminToken: string;
}): Promise<readonly Record<string, unknown>[]> {
  const ask = async (
    method: string,
    where: string,
    body: string | Buffer,
    headers: Record<string, string>,
  ): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${edge.url}${where}`, { method, body: body as BodyInit, headers });
    if (!answer.ok) throw new Error(`${where} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  };

  const client = await EdgeClient.connect(edge.url);
  const person = newId();
  await client.verify();
  const content = photograph(2000);
  const device = newId();
  const surveys = Array.from({ length: SURVEYS }, (_, n) =>
    makeOp(
      'survey',
      {
        id: newId(),
        v: '1',
        name: `Ribbon Reef ${n}`,
        date: '2026-11-20',
        type: 'snorkel',
        user: { uid: person, org: null },
        loc: { id: `ribbon-${n}`, regionId: 'gbr', name: `Ribbon Reef ${n}` },
        site: { geoloc: { lat: -15.3, lng: 145.7 }, type: 'slope' },
      },
      { by: person as never },
      device,
    ),
  );
  const images = Array.from({ length: DOCUMENTS - surveys.length }, (_, n) => {
    const survey = surveys[Math.floor(n / A_SURVEY) % surveys.length];
    return makeOp(
      'image',
      {
        id: newId(),
        v: '1',
        name: `G00${n}.JPG`,
        path: `DCIM/G00${n}.JPG`,
        type: 'image/jpeg',
        sha256: sha256(content),
        bytes: content.length,
        width: 4000,
        height: 3000,
        survey: { id: survey?.docId ?? '', name: `Ribbon Reef ${n}`, regionId: 'gbr' },
        user: { uid: person },
        camera: { make: 'OM', model: 'TG-6' },
        taken: '2026-11-20T09:30:00',
        gps: { lat: -15.3456, lng: 145.7654, source: 'camera' },
      },
      { by: person as never },
      device,
    );
  });
  const headers = { Authorization: `Bearer ${edge.adminToken}`, 'Content-Type': 'application/json' };
  await ask('POST', '/edge/ops', canonicalJson({ ops: surveys } as never), headers);
  await client.photograph(String(surveys[0]?.docId), content);
  for (let from = 0; from < images.length; from += 1000) {
    const { results } = (await ask(
      'POST',
      '/edge/ops',
      canonicalJson({ ops: images.slice(from, from + 1000) } as never),
      headers,
    )) as { results: { receipt?: unknown }[] };
    if (results.some(({ receipt }) => receipt === undefined))
      throw new Error(
        `the box did not take every record: ${JSON.stringify(results.find(({ receipt }) => receipt === undefined))}`,
      );
  }
  client.socket.disconnect();
  return [...surveys, ...images].map(({ body }) => body);
}

/** Runs a page in a fresh browser whose debugging port is named in `folder`. */
async function inFreshBrowser(work: (browser: TestBrowser, folder: string) => Promise<number>): Promise<number> {
  const profile = await makeProfile();
  const browser = await openBrowser({ profile: profile.folder, detachable: true });
  try {
    return await work(browser, profile.folder);
  } finally {
    await browser.kill();
    await profile.remove();
  }
}

/** Seconds from the press on "Pair" to the commit of the last document. */
async function pullFromBox(
  browser: TestBrowser,
  folder: string,
  origin: string,
  say: (line: string) => void,
): Promise<number> {
  await browser.page.goto(origin);
  await enterPerson(browser.page, { first: 'Mara', last: 'Lind', email: 'mara@example.org' });
  await browser.page.getByRole('link', { name: 'Box', exact: true }).click();
  await browser.page.getByRole('button', { name: 'Pair', exact: true }).waitFor();
  const { value: seconds, page } = await unwatched<number>(browser, folder, pairAndStore(DOCUMENTS));
  // All surveys fit: items below a list's window could not be pressed.
  await page.setViewportSize({ width: 1180, height: 2400 });
  const began = performance.now();
  // The box's own page names the surveys aboard, too.
  await page.waitForURL('**/surveys');
  await page
    .getByText(`Ribbon Reef ${SURVEYS - 1}`, { exact: true })
    .first()
    .click();
  await page.getByText(`${LAST_HAS} photographs`, { exact: true }).waitFor({ timeout: 120_000 });
  const listed = (performance.now() - began) / 1000;
  await page.evaluate(READ_MODEL_WRITTEN);
  say(
    `  ours: stored ${seconds.toFixed(2)} s; right then a survey opened and its photographs listed within ${listed.toFixed(2)} s, read model written within ${((performance.now() - began) / 1000).toFixed(2)} s`,
  );
  return seconds;
}

/** Common start of both page programs. */
const ASK = `const ask = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
const pause = () => new Promise((resolve) => setTimeout(resolve, 25));`;

/**
 * Presses "Pair", goes to the surveys and waits until all operations are committed. Polls the small table of feed
 * cursors, so that polling does not delay the work, and counts the documents once at the end.
 */
function pairAndStore(wanted: number): string {
  return `${ASK}
const press = (words) => [...document.querySelectorAll('a, button')].find((each) => each.textContent.trim() === words).click();
const began = performance.now();
press('Pair');
press('Surveys');
const ops = await ask(indexedDB.open('reef-ops'));
for (;;) {
  const cursors = await ask(ops.transaction('cursors').objectStore('cursors').getAll());
  if (cursors.some(({ since }) => since >= ${wanted}) && (await ask(ops.transaction('segments').objectStore('segments').index('docKeys').count())) >= ${wanted}) break;
  await pause();
}
ops.close();
return (performance.now() - began) / 1000;`;
}

/** Waits until the read model contains everything stored. */
const READ_MODEL_WRITTEN = `(async () => {
${ASK}
const ops = await ask(indexedDB.open('reef-ops'));
for (;;) {
  const marks = ops.transaction(['behind', 'dirty']);
  const [behind, dirty] = await Promise.all(['behind', 'dirty'].map((name) => ask(marks.objectStore(name).count())));
  if (behind + dirty === 0) break;
  await pause();
}
ops.close();
})()`;

/** Seconds from the start of the replication to its end. */
async function replicate(browser: TestBrowser, folder: string, origin: string): Promise<number> {
  await browser.page.goto(`${origin}/page`);
  const { value } = await unwatched<{ readonly seconds: number; readonly count: number }>(
    browser,
    folder,
    `
const began = performance.now();
const local = new PouchDB('census');
await local.replicate.from(location.origin + '/census', { batch_size: 1000 });
const { doc_count: count } = await local.info();
return { seconds: (performance.now() - began) / 1000, count };`,
  );
  if (value.count !== DOCUMENTS) throw new Error(`the rival has ${value.count} documents`);
  return value.seconds;
}
