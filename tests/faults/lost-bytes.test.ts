import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PhotographStatus, SurveyCustody } from '../../src/data/repositories';
import type { SurveyId } from '../../src/domain/ids';
import { tempFolder } from '../support/servers/client';
import { runSeed, seeded } from '../support/seed';
import { survey } from '../support/tablet/real-scene';
import { openTestTablet, photograph, until } from '../support/tablet/tablet';
import { startFaultEdge, type FaultEdge } from './edge-process';

type TestTablet = Awaited<ReturnType<typeof openTestTablet>>;

const PHOTOGRAPHS = 6;
/** Pause of the scrub between two photographs, ms: a round takes a fraction of a second. */
const FAST_SCRUB = { SCRUB_STEP_MS: '20' };

const seed = runSeed();
const random = seeded(seed);
const folder = tempFolder('lost-bytes');
const home = path.join(folder.path, 'home');
const opened: TestTablet[] = [];
let box: FaultEdge;

beforeAll(async () => {
  console.log(`bytes that a box loses: seed ${seed}`);
  box = await startFaultEdge(home, FAST_SCRUB);
});
afterAll(async () => {
  for (const tablet of opened.reverse()) await tablet.close();
  await box.stop();
  folder.remove();
});

/** Paired tablet with its page "Where are my photographs" open. */
async function openPaired(name: string): Promise<TestTablet> {
  const tablet = await openTestTablet({ name });
  opened.push(tablet);
  await tablet.repositories.account.people.createPending({
    name: { first: name, last: 'Reef' },
    email: `${name.toLowerCase()}@example.org`,
  });
  await tablet.repositories.edge.link.pair(box.url, box.code);
  tablet.repositories.custody.photographs.surveys.subscribe(() => undefined);
  return tablet;
}

/** Waits for these counts on a tablet's page. */
const counts = ({ repositories }: TestTablet, wanted: Partial<SurveyCustody>, what: string) =>
  until(() => {
    const [sum] = repositories.custody.photographs.surveys.get().items;
    return sum !== undefined && Object.entries(wanted).every(([key, n]) => sum[key as keyof SurveyCustody] === n);
  }, what);

/** Status of each photograph on a tablet, by hash. */
function statuses({ repositories }: TestTablet, id: SurveyId): ReadonlyMap<string, PhotographStatus> {
  const stop = repositories.custody.photographs.ofSurvey(id).subscribe(() => undefined);
  const { items } = repositories.custody.photographs.ofSurvey(id).get();
  stop();
  return new Map(items.map((item) => [item.sha256, item]));
}

const blobFile = (sha256: string): string =>
  path.join(home, 'edge', 'blobs', sha256.slice(0, 2), sha256.slice(2, 4), sha256);

/** Flips one bit behind the box's back; the length stays. */
function flipBit(sha256: string): void {
  const content = readFileSync(blobFile(sha256));
  const at = random.below(content.length);
  content[at] = (content[at] ?? 0) ^ (1 << random.below(8));
  writeFileSync(blobFile(sha256), content);
}

const hashOnBox = async (sha256: string): Promise<string | number> => {
  const answer = await fetch(`${box.url}/edge/blobs/${sha256}`, {
    headers: { authorization: `Bearer ${box.adminToken}` },
  });
  return answer.ok
    ? createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex')
    : answer.status;
};

const consoleText = async (): Promise<string> =>
  (
    await fetch(`${box.url}/edge/console`, {
      headers: { authorization: `Basic ${Buffer.from(`admin:${box.adminToken}`).toString('base64')}` },
    })
  ).text();

const receiptsOf = async ({ context }: TestTablet): Promise<readonly unknown[]> =>
  (await context.store.db.receipts.toArray()).map(({ receipt }) => receipt);

it('protocol, Durable: what a box lost heals from a tablet that has it, and the rest shows as missing', async () => {
  const ana = await openPaired('Ana');
  const id = await survey(ana);
  const files = Array.from({ length: PHOTOGRAPHS }, (_, i) => photograph(seed + i, 20_000 + i));
  const hashes: string[] = [];
  for (const file of files) hashes.push((await ana.repositories.census.images.addPhotograph(file, id)).sha256);
  const all = { total: PHOTOGRAPHS, box: PHOTOGRAPHS, lostByBox: 0, missing: 0 };
  await counts(ana, { ...all, tablet: PHOTOGRAPHS }, 'everything is on the box');
  const ben = await openPaired('Ben');
  await counts(ben, { ...all, tablet: 0 }, 'the other tablet knows it');
  const receipts = await receiptsOf(ana);

  // Box alive. Nothing is sent, so that the screens stand still.
  await ana.repositories.custody.sending.pause();
  const order = [...hashes].sort(() => random.fraction() - 0.5);
  const [deleted, flipped] = [order.slice(0, 2), order.slice(2, 4)];
  for (const sha256 of deleted) rmSync(blobFile(sha256));
  flipped.forEach(flipBit);
  await counts(ana, { ...all, box: 2, lostByBox: 4, alone: 4, tablet: 6 }, 'the lights go back');
  await counts(
    ben,
    { ...all, box: 2, lostByBox: 4, missing: 4, elsewhere: 0 },
    'the other tablet shows what is missing',
  );
  for (const [sha256, { place, box: light, lostBy }] of statuses(ana, id)) {
    const isLost = deleted.includes(sha256) || flipped.includes(sha256);
    expect([place, light === null, lostBy === null]).toEqual(isLost ? ['tablet', true, false] : ['box', false, true]);
  }
  expect(ana.repositories.custody.sending.facts.get().owed).toMatchObject({ records: 0, photographs: 4 });
  expect(await consoleText()).toContain('4 photographs on this box are damaged or missing.');
  await ana.repositories.custody.sending.resume();
  await counts(ana, all, 'the box has them again');
  await counts(ben, all, 'the other tablet shows it');
  expect(await Promise.all(hashes.map(hashOnBox))).toEqual(hashes);
  expect(await receiptsOf(ana), 'receipts are evidence and stay as they were').toEqual(receipts);
  expect(ana.repositories.custody.sending.facts.get().state).toBe('done');
  expect(readdirSync(path.join(home, 'edge', 'quarantine')), 'damaged files are kept').toHaveLength(flipped.length);

  // Box away, and with it the one tablet that has the bytes.
  await opened.splice(opened.indexOf(ana), 1)[0]?.close();
  await box.stop();
  const [gone, bent] = order.slice(4) as [string, string];
  rmSync(blobFile(gone));
  flipBit(bent);
  box = await startFaultEdge(home, { ...FAST_SCRUB, EDGE_PORT: String(box.port) });
  await counts(ben, { ...all, box: 4, lostByBox: 2, missing: 2 }, 'the restarted box tells what it lost');
  expect(ben.repositories.custody.sending.facts.get().state, 'there is nothing to send from here').toBe('done');
  const lights = { isOnTablet: false, box: null, shore: null };
  expect(statuses(ben, id).get(gone)).toMatchObject({ place: 'missing', ...lights });
  expect(statuses(ben, id).get(bent)).toMatchObject({ place: 'missing', ...lights });

  // One comes again from its camera card; what no one has stays shown as missing.
  const again = files[hashes.indexOf(bent)] as File;
  expect(await ben.repositories.census.images.addPhotograph(again, id)).toMatchObject({ outcome: 'known' });
  await counts(ben, { ...all, box: 5, tablet: 1, lostByBox: 1, missing: 1 }, 'the box has one of them again');
  expect(await hashOnBox(bent)).toBe(bent);
  expect(await hashOnBox(gone)).toBe(404);
  expect(statuses(ben, id).get(gone)).toMatchObject({ place: 'missing', ...lights });
  expect(await consoleText()).toContain('1 photograph on this box is damaged or missing.');
});
