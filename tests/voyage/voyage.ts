/**
 * Main job as a script: two tablets, two people, one survey, box and bridge killed on the way, everything ashore, one
 * copy freed. It runs the production code of the tablet (under fake-indexeddb), with box, bridge and cloud in separate
 * processes, and prints each step.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Repositories, SurveyView } from '../../src/data/repositories/index';
import { ReefError } from '../../src/domain/errors';
import type { PersonId, SurveyId } from '../../src/domain/ids';
import type { EdgeProcess } from '../support/servers/edge';
import { startEdge } from '../support/servers/edge';
import { realPhotographs } from '../support/pictures';
import { newOrigin, openTestTablet, photograph, until } from '../support/tablet/tablet';
import { LogBook } from './log-book';
import { Shore } from './shore';

type TestTablet = Awaited<ReturnType<typeof openTestTablet>>;

const ANA = { name: { first: 'Ana', last: 'Tui' }, email: 'ana@example.org' };
const BEN = { name: { first: 'Ben', last: 'Okai' }, email: 'ben@example.org' };
const PHOTOGRAPHS = 13;
/** Rate of the link: low at first, so that the kill of the bridge interrupts work. */
const SLOW_KBPS = 8_000;
const FAST_KBPS = 400_000;

/** Real photographs if they exist next to the project, else as many generated ones. */
function photographs(): File[] {
  const real = realPhotographs().map(({ name, file }) => new File([readFileSync(file)], name, { type: 'image/jpeg' }));
  const made = Array.from({ length: Math.max(0, PHOTOGRAPHS - real.length) }, (_, i) =>
    photograph(i + 1, 300_000 + i * 40_000),
  );
  return [...real, ...made].slice(0, PHOTOGRAPHS);
}

async function sha256(bytes: ArrayBuffer): Promise<string> {
  return createHash('sha256').update(new Uint8Array(bytes)).digest('hex');
}

/** Listens to a live query during `work`: nothing runs underneath without a listener. */
async function listening<Value>(
  lives: readonly { subscribe: (onChange: () => void) => () => void }[],
  work: () => Promise<Value>,
): Promise<Value> {
  const ends = lives.map((live) => live.subscribe(() => undefined));
  try {
    return await work();
  } finally {
    for (const end of ends) end();
  }
}

async function untilSent(repositories: Repositories, what: string): Promise<void> {
  await listening([repositories.custody.sending.facts], async () => {
    await until(() => repositories.custody.sending.facts.get().state === 'done', what, 120_000);
  });
}

async function untilSurvey(
  repositories: Repositories,
  id: SurveyId,
  is: (survey: SurveyView) => boolean,
  what: string,
): Promise<SurveyView> {
  const live = repositories.census.surveys.one(id);
  return listening([live], () => until(() => live.get().items.find(is), what, 60_000));
}

/** Sends until `boxed` photographs have a receipt, then pulls the plug. */
async function killHalfWay(ana: TestTablet, surveyId: SurveyId, box: EdgeProcess, log: LogBook): Promise<void> {
  const live = ana.repositories.census.images.ofSurvey(surveyId);
  await listening([live, ana.repositories.custody.sending.facts], async () => {
    const boxed = () => live.get().items.filter(({ custody }) => custody.status === 'box').length;
    await until(() => boxed() >= 4, 'four photographs with a receipt', 60_000);
    await box.kill('SIGKILL');
    log.note(`killed with ${boxed()} of ${PHOTOGRAPHS} receipted`);
  });
}

async function voyage(): Promise<number> {
  const log = new LogBook();

  log.step('Ana captures with no box and no internet');
  const origin = newOrigin();
  let ana = await openTestTablet({ name: 'Tablet of Ana', origin });
  const anaId: PersonId = (await ana.repositories.account.people.createPending(ANA)).uid;
  const surveyId = await ana.repositories.census.surveys.add({
    name: 'Moore Reef, front',
    date: '2026-11-20',
    type: 'snorkel',
    location: { id: '16-071', regionId: 'gbr', name: 'Moore Reef' },
  });
  const wanted = new Map<string, string>();
  for (const file of photographs()) {
    const { sha256: hash } = await ana.repositories.census.images.addPhotograph(file, surveyId);
    wanted.set(hash, file.name);
    log.note(`saved ${file.name}, ${(file.size / 1e6).toFixed(2)} MB`);
  }
  log.check(`${PHOTOGRAPHS} photographs are saved on the tablet`, wanted.size === PHOTOGRAPHS);

  log.step('The tablet is switched off and on again');
  await ana.close();
  ana = await openTestTablet({ name: 'Tablet of Ana', origin, database: ana.database });
  const kept = await Promise.all(
    [...wanted.keys()].map(
      async (hash) =>
        (await sha256(await (await ana.repositories.census.images.original(hash as never)).arrayBuffer())) === hash,
    ),
  );
  log.check('every photograph is there, byte for byte', kept.every(Boolean));

  log.step('A box comes into reach; Ana pairs with it, and sending begins');
  const port = String(20_000 + Math.floor(Math.random() * 20_000));
  const box = await startEdge({ env: { EDGE_PORT: port } });
  let code = 1;
  let ben: TestTablet | undefined;
  let shore: Shore | undefined;
  try {
    await ana.repositories.edge.link.pair(box.url, box.code);
    log.note(`paired with ${box.url}`);

    log.step('The box is killed (kill -9) in the middle, and comes back');
    await killHalfWay(ana, surveyId, box, log);
    await box.restart('SIGKILL');
    ana.repositories.custody.sending.tryNow();
    await untilSent(ana.repositories, 'everything of Ana on the box');
    await checkBox(box, wanted, log);

    log.step('Ben, on a second tablet, pairs and sees the survey');
    ben = await openTestTablet({ name: 'Tablet of Ben' });
    await ben.repositories.account.people.createPending(BEN);
    await ben.repositories.edge.link.pair(box.url, box.code);
    await untilSurvey(
      ben.repositories,
      surveyId,
      ({ name }) => name === 'Moore Reef, front',
      'the survey on the second tablet',
    );
    const images = ben.repositories.census.images.ofSurvey(surveyId);
    const shown = await listening([images], () =>
      until(
        () => images.get().items.length === PHOTOGRAPHS && images.get().items,
        'the photographs on the second tablet',
        60_000,
      ),
    );
    log.check(`${shown.length} photographs of the survey are listed there`, shown.length === PHOTOGRAPHS);

    log.step('Both go offline and rename the survey without seeing each other');
    await ana.repositories.edge.link.setOfflineByChoice(true);
    await ben.repositories.edge.link.setOfflineByChoice(true);
    await ana.repositories.census.surveys.edit(surveyId, { name: 'Moore Reef, front crest' });
    await ben.repositories.census.surveys.edit(surveyId, { name: 'Moore Reef north', visibility: 12 });

    log.step('Both come back; the second tablet sees both values');
    await ana.repositories.edge.link.setOfflineByChoice(false);
    await untilSent(ana.repositories, "Ana's name on the box");
    await ben.repositories.edge.link.setOfflineByChoice(false);
    await untilSent(ben.repositories, "Ben's name on the box");
    const both = await bothValues(ben.repositories, surveyId);
    log.note(`shown: ${JSON.stringify(both.shown)}; also written: ${JSON.stringify(both.others)}`);
    log.check('no value is lost', new Set([both.shown, ...both.others]).size === 2);
    const atAna = await bothValues(ana.repositories, surveyId);
    log.check('both tablets show the same value', atAna.shown === both.shown);

    log.step('Ben settles it; Ana sees what he chose');
    await ben.repositories.census.conflicts.resolve(
      { kind: 'survey', docId: surveyId, field: 'name' },
      'Moore Reef, north crest',
    );
    await untilSent(ben.repositories, 'the settlement on the box');
    const settled = await untilSurvey(
      ana.repositories,
      surveyId,
      ({ name, conflicts }) => name === 'Moore Reef, north crest' && conflicts === 0,
      'the settled name on the first tablet',
    );
    log.check('one name, no conflict, and Ben’s visibility', settled.doc['visibility'] === 12);
    log.check('the survey is still linked to Ana', settled.person === anaId);

    shore = await Shore.start();
    await ashore({ ana, ben, box, shore, surveyId, wanted }, log);
    code = log.close();
  } finally {
    await shore?.remove();
    await ben?.close();
    await ana.close();
    await box.remove();
  }
  return code;
}

interface Voyage {
  readonly ana: TestTablet;
  readonly ben: TestTablet;
  readonly box: EdgeProcess;
  readonly shore: Shore;
  readonly surveyId: SurveyId;
  /** Name of the file by hash. */
  readonly wanted: ReadonlyMap<string, string>;
}

/** Sends from the box to the cloud, and returns the receipts all the way. */
async function ashore({ ana, ben, box, shore, surveyId, wanted }: Voyage, log: LogBook): Promise<void> {
  log.step('The vessel finds a link; the bridge uploads the box’s data and is killed (kill -9) on the way');
  await shore.bridgeFrom(box, SLOW_KBPS);
  await until(async () => (await arrived(shore, wanted)) >= 2, 'two photographs ashore', 120_000);
  await shore.endBridge('SIGKILL');
  log.note(`killed with ${await arrived(shore, wanted)} of ${wanted.size} photographs ashore`);
  await shore.bridgeFrom(box, FAST_KBPS);
  const receipts = await until(
    async () => allReceipted(await feedOf(box)),
    "the cloud's receipt for everything on the box",
    120_000,
  );
  log.check(
    `the cloud gave a receipt for each of ${receipts.ops} operations, all accepted, none twice`,
    receipts.accepted === receipts.ops,
  );
  log.check(
    `${await arrived(shore, wanted)} of ${wanted.size} photographs are ashore, byte for byte`,
    (await arrived(shore, wanted)) === wanted.size,
  );

  log.step('Both tablets learn it over the box');
  for (const [name, { repositories }] of [
    ['Ana', ana],
    ['Ben', ben],
  ] as const) {
    const images = repositories.census.images.ofSurvey(surveyId);
    const there = await listening([images, repositories.custody.sending.facts], () =>
      until(
        () =>
          images.get().items.filter(({ custody }) => custody.status === 'shore').length === wanted.size &&
          images.get().items.length,
        `Shore at every photograph of ${name}'s tablet`,
        60_000,
      ),
    );
    log.check(`${name}'s tablet shows Shore at ${there} of ${wanted.size} photographs`, there === wanted.size);
  }

  log.step('Ana signs in ashore with a mailed code and frees what her tablet no longer needs');
  const {
    account,
    tablet: { space },
    census: { images },
  } = ana.repositories;
  await account.signIn.pinCloud(shore.url);
  await account.signIn.sendCode(ANA.email);
  const mailed = await until(() => shore.mailedCode(ANA.email), 'the mail with the code', 30_000);
  await account.signIn.withCode(ANA.email, mailed);
  log.note('signed in; this tablet may ask the shore itself');
  await listening([space.facts], async () => {
    await until(() => space.facts.get().ashore.photographs === wanted.size, 'what can be freed', 30_000);
    await space.free();
    const { last } = space.facts.get();
    log.check(
      `${last?.photographs ?? 0} copies, ${((last?.bytes ?? 0) / 1e6).toFixed(1)} MB, are freed; the shore, asked just before, had each`,
      last?.photographs === wanted.size && last.missing === 0,
    );
  });
  const gone = await Promise.all(
    [...wanted.keys()].map((hash) =>
      images.original(hash as never).then(
        () => false,
        (error: unknown) => error instanceof ReefError && error.code === 'not-found',
      ),
    ),
  );
  log.check('her tablet shows where the originals are, and no longer stores them', gone.every(Boolean));
  log.check('each is in the cloud still, byte for byte', (await arrived(shore, wanted)) === wanted.size);
}

/** Number of photographs in the cloud, byte for byte. */
async function arrived(shore: Shore, wanted: ReadonlyMap<string, string>): Promise<number> {
  let equal = 0;
  for (const hash of wanted.keys()) {
    const bytes = await shore.bytes(hash);
    if (bytes !== undefined && (await sha256(bytes)) === hash) equal += 1;
  }
  return equal;
}

interface FeedEntry {
  readonly op?: { readonly kind: string; readonly docId: string; readonly opId: string };
  readonly receipt?: { readonly opId: string; readonly stage: string; readonly accepted: boolean };
}

async function feedOf(box: EdgeProcess): Promise<readonly FeedEntry[]> {
  const answer = await fetch(`${box.url}/edge/changes?since=0&limit=1000`, {
    headers: { authorization: `Bearer ${box.adminToken}` },
  });
  return ((await answer.json()) as { entries: FeedEntry[] }).entries;
}

/** undefined while something on the box has no cloud receipt. */
function allReceipted(entries: readonly FeedEntry[]): { ops: number; accepted: number } | undefined {
  const ops = new Set(entries.flatMap(({ op }) => op?.opId ?? []));
  const cloud = entries.flatMap(({ receipt }) => (receipt?.stage === 'cloud' ? [receipt] : []));
  if ([...ops].some((opId) => !cloud.some((receipt) => receipt.opId === opId))) return undefined;
  return { ops: ops.size, accepted: cloud.filter(({ accepted }) => accepted).length };
}

/** Expects every photograph on the box, byte for byte, and none twice. */
async function checkBox(box: EdgeProcess, wanted: ReadonlyMap<string, string>, log: LogBook): Promise<void> {
  const headers = { authorization: `Bearer ${box.adminToken}` };
  let equal = 0;
  for (const hash of wanted.keys()) {
    const answer = await fetch(`${box.url}/edge/blobs/${hash}`, { headers });
    if (answer.ok && (await sha256(await answer.arrayBuffer())) === hash) equal += 1;
  }
  log.check(`${equal} of ${wanted.size} photographs are on the box, byte for byte`, equal === wanted.size);
  const entries = await feedOf(box);
  const images = entries.flatMap(({ op }) => (op?.kind === 'image' ? [op] : []));
  log.check(
    'each has one record, none twice',
    images.length === wanted.size && new Set(images.map(({ docId }) => docId)).size === wanted.size,
  );
}

async function bothValues(
  repositories: Repositories,
  surveyId: SurveyId,
): Promise<{ shown: unknown; others: unknown[] }> {
  const live = repositories.census.conflicts.all;
  const conflict = await listening([live], () =>
    until(
      () => live.get().items.find(({ docId, field }) => docId === surveyId && field === 'name'),
      'both names, for a person to settle',
      60_000,
    ),
  );
  return { shown: conflict.shown, others: conflict.others.map(({ value }) => value) };
}

process.exitCode = await voyage();
