import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person, Repositories } from '../../../src/data/repositories';
import type { LiveQuery } from '../../../src/data/repositories/live';
import { OTHERS_SURVEY_NAME } from '../../../src/data/repositories/custody/custody-repository';
import { setCurrentPerson } from '../../../src/data/repositories/account/person';
import { holdOp } from '../../../src/data/ops/holds';
import { ingestPage } from '../../../src/data/ops/ingest';
import type { ObservableValue } from '../../../src/base/observable';
import type { DeviceId, ImageId, OpId, PersonId, SurveyId } from '../../../src/domain/ids';
import type { Op } from '../../../src/domain/op/op';
import { blobRef, imageOp, op, surveyOp } from '../../conformance/ops';
import { ScriptedBox } from '../../support/doubles/scripted-box';
import { openTestTablet, photograph, until } from '../../support/tablet/tablet';

/** Ana has an account ashore and an earlier id here; Ben is known aboard only; Tom never used this tablet. */
const ANA: Person = {
  uid: 'AnaAshore0000001' as PersonId,
  email: 'ana@example.org',
  name: { first: 'Ana', last: '' },
  org: null,
  pending: false,
};
const ANA_ABOARD = { ...ANA, uid: 'AnaAboard0000001' as PersonId, email: 'Ana@example.org', pending: true };
const BEN = {
  ...ANA,
  uid: 'BenAboard0000001' as PersonId,
  email: 'ben@example.org',
  name: { first: 'Ben', last: '' },
  pending: true,
};
const TOM = 'TomElsewhere0001' as PersonId;
const VIEWERS = { Ana: ANA, Ben: BEN, nobody: null } as const;
type Viewer = keyof typeof VIEWERS;

/** Surveys of Ana, of Ben, of Ben with Ana's work, and of the crew via the box; each has a deleted twin. */
const SURVEYS = ['Of Ana', 'Of Ben', 'Of both', 'Of Tom'] as const;
type Name = (typeof SURVEYS)[number];
const SEEN: Readonly<Record<Viewer, readonly Name[]>> = {
  Ana: ['Of Ana', 'Of both', 'Of Tom'],
  Ben: ['Of Ben', 'Of both', 'Of Tom'],
  nobody: ['Of Tom'],
};

let tablet: Awaited<ReturnType<typeof openTestTablet>>;
let all: Repositories;
const box = new ScriptedBox(Date.now);
const ids = {} as Record<Name, SurveyId>;
const gone = {} as Record<Name, SurveyId>;
const images = {} as Record<Name, ImageId>;
const removed = {} as Record<Name, ImageId>;
const nameOf = (surveyId: string | undefined): string =>
  SURVEYS.find((name) => ids[name] === surveyId || gone[name] === surveyId) ?? `? ${surveyId}`;

/** Switches the current user. */
async function at(viewer: Viewer | 'Ana aboard'): Promise<void> {
  const person = viewer === 'Ana aboard' ? ANA_ABOARD : VIEWERS[viewer];
  await setCurrentPerson(tablet.context.store, tablet.context.person as ObservableValue<Person | null>, person);
}

async function come(...ops: readonly Op[]): Promise<void> {
  const { store, opIndex, projector } = tablet.context;
  await ingestPage(
    store,
    opIndex,
    ops.map((one) => ({ op: one, by: one.by ?? null })),
    [],
    { nodeId: 'Feed000000000001', storeEpoch: 'Epoch00000000001', next: 1 },
  );
  await opIndex.follow();
  await projector.settle();
}

const elsewhere = (n: number): Partial<Op> => ({ opId: `${'TomsTablet000001' as DeviceId}-${n}` as OpId, by: TOM });
const draft = (name: string) => ({
  name,
  date: '2026-11-20',
  type: 'scuba' as const,
  location: { id: 'reef-16-071', regionId: 'gbr' as const, name: 'Agincourt' },
});

beforeAll(async () => {
  tablet = await openTestTablet({ fetch: box.fetch, openSocket: box.openSocket });
  all = tablet.repositories;
  const {
    census: { surveys },
  } = all;
  let seed = 1;
  const add = async (name: Name): Promise<void> => {
    ids[name] = await surveys.add(draft(name));
    gone[name] = await surveys.add(draft(name));
    await surveys.remove(gone[name]);
    images[name] = (await all.census.images.addPhotograph(photograph(seed++, 4000, `${name}.jpg`), ids[name])).id;
    removed[name] = (
      await all.census.images.addPhotograph(photograph(seed++, 4000, `${name} removed.jpg`), ids[name])
    ).id;
    await all.census.images.remove(removed[name]);
  };
  await at('Ana aboard');
  await add('Of Ana');
  await at('Ben');
  await add('Of Ben');
  await add('Of both');
  await at('Ana');
  // Ana's work in Ben's surveys makes them hers too.
  await surveys.edit(ids['Of both'], { camera: 'TG-6' });
  await surveys.restore(gone['Of both']);
  await surveys.remove(gone['Of both']);
  await surveys.edit(ids['Of Ana'], { camera: 'TG-4' });
  await at('Ben');
  await surveys.edit(ids['Of Ben'], { camera: 'TG-5' });
  const tomsSurvey = 'TomsSurvey000001' as SurveyId;
  const tomsGone = 'TomsGone00000001' as SurveyId;
  ids['Of Tom'] = tomsSurvey;
  gone['Of Tom'] = tomsGone;
  images['Of Tom'] = 'TomsImage0000001' as ImageId;
  removed['Of Tom'] = 'TomsImage0000002' as ImageId;
  const user = { user: { uid: TOM, org: null } };
  const ofTom = { survey: { id: tomsSurvey }, ...user };
  await come(
    surveyOp(1, { ...elsewhere(1), docId: tomsSurvey }, { name: 'Of Tom', ...user }),
    surveyOp(2, { ...elsewhere(2), docId: tomsGone }, { name: 'Of Tom', isDeleted: true, ...user }),
    imageOp(3, images['Of Tom'], blobRef('one'), { ...ofTom, path: 'Of Tom.jpg' }, elsewhere(3)),
    imageOp(
      4,
      removed['Of Tom'],
      blobRef('two'),
      { ...ofTom, path: 'Of Tom removed.jpg', isDeleted: true },
      elsewhere(4),
    ),
    op(5, 'profile', TOM, { name: { first: 'Tom', last: '' } }, elsewhere(5)),
    op(9, 'profile', BEN.uid, { name: BEN.name }, { ...elsewhere(9), by: BEN.uid }),
    op(10, 'profile', ANA.uid, { name: ANA.name }, { ...elsewhere(10), by: ANA.uid }),
    // Tom wrote each survey's camera without seeing its value: one conflict in each.
    ...(['Of Ana', 'Of Ben', 'Of both'] as const).map((name, i) =>
      op(6 + i, 'survey', ids[name], { camera: 'Tom’s' }, { ...elsewhere(6 + i), over: { camera: [] } } as Partial<Op>),
    ),
  );
  await tablet.context.projector.settle();
}, 60_000);

afterAll(async () => {
  await tablet.close();
});

/** First items of a live query for the current user. */
async function items<Item>(query: LiveQuery<Item>): Promise<readonly Item[]> {
  const stop = query.subscribe(() => undefined);
  try {
    return await until(() => {
      const read = query.get();
      return read.status === 'ready' ? read.items : undefined;
    }, 'the items');
  } finally {
    stop();
  }
}

/** Queries that give screens a survey's content, with the surveys they return. */
const QUERIES: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  'surveys.all': async () => (await items(all.census.surveys.all)).map(({ name }) => name),
  'surveys.one': async () =>
    (await Promise.all(SURVEYS.map((name) => items(all.census.surveys.one(ids[name]))))).flat().map(({ name }) => name),
  'surveys.isOfOthers': async () => SURVEYS.filter((name) => !all.census.surveys.isOfOthers(ids[name]).get()),
  'surveys.removed': async () => (await items(all.census.surveys.removed)).map(({ name }) => name),
  'surveys.current': async () => {
    const chosen: string[] = [];
    const { store } = tablet.context;
    let watched: unknown;
    const stop = store.watch(
      () => store.db.meta.get('currentSurvey'),
      (row) => (watched = row?.value),
    );
    for (const name of SURVEYS) {
      await all.census.surveys.setCurrent(ids[name]);
      // What watches the choice has been told it, also on a machine under load.
      await until(() => watched === ids[name], 'the choice');
      const isSeen = await until(() => all.census.surveys.current.get() === ids[name], name, 300).catch(() => false);
      if (isSeen) chosen.push(name);
    }
    stop();
    return chosen;
  },
  'images.ofSurvey': async () =>
    (await Promise.all(SURVEYS.map((name) => items(all.census.images.ofSurvey(ids[name])))))
      .flat()
      .map(({ name }) => name.replace('.jpg', '')),
  'images.removed': async () =>
    (await Promise.all(SURVEYS.map((name) => items(all.census.images.removed(ids[name])))))
      .flat()
      .map(({ name }) => name.replace(' removed.jpg', '')),
  'custody.photographs': async () =>
    (
      await Promise.all(
        SURVEYS.map(async (name) => (await items(all.custody.photographs.ofSurvey(ids[name]))).map(({ id }) => id)),
      )
    )
      .flat()
      .map((id) => SURVEYS.find((name) => images[name] === id) ?? id),
  'custody.names': async () => {
    const stop = all.custody.photographs.surveys.subscribe(() => undefined);
    try {
      return [...(await all.custody.photographs.names(Object.values(images))).values()].map(({ name }) =>
        name.replace('.jpg', ''),
      );
    } finally {
      stop();
    }
  },
  'custody.surveys': async () =>
    (await items(all.custody.photographs.surveys)).filter(({ isOfOthers }) => !isOfOthers).map(({ name }) => name),
  'cards.all, with Tom’s, who read no card here': async () => [
    ...(await items(all.custody.cards.all)).filter(({ isOfOthers }) => !isOfOthers).map(({ name }) => name),
    'Of Tom',
  ],
  'conflicts.all, with Tom’s, where nothing is to settle': async () => [
    ...(await items(all.census.conflicts.all)).map(({ about }) => about.name),
    'Of Tom',
  ],
};

describe.each(['Ana', 'Ben', 'nobody'] as const)('1§6 several people on one tablet: for %s', (viewer) => {
  beforeAll(() => at(viewer));

  test.each(Object.keys(QUERIES))('%s', async (query) => {
    expect([...((await QUERIES[query]?.()) ?? [])].sort()).toEqual([...SEEN[viewer]].sort());
  });

  test('everyone’s work counts towards safety, without its content', async () => {
    const rows = await items(all.custody.photographs.surveys);
    expect(rows.reduce((sum, { total }) => sum + total, 0)).toBe(4);
    const others = rows.filter(({ isOfOthers }) => isOfOthers);
    expect(others.map(({ surveyId }) => nameOf(surveyId)).sort()).toEqual(
      SURVEYS.filter((name) => !SEEN[viewer].includes(name)),
    );
    for (const { name, date, alone } of others)
      expect({ name, date, alone }).toEqual({ name: OTHERS_SURVEY_NAME, date: '', alone: 1 });
    const cards = await items(all.custody.cards.all);
    expect(cards.map(({ surveyId }) => nameOf(surveyId)).sort()).toEqual(['Of Ana', 'Of Ben', 'Of both']);
    for (const card of cards.filter(({ isOfOthers }) => isOfOthers)) {
      expect(card).toMatchObject({ name: OTHERS_SURVEY_NAME, verdict: { kind: 'keep' } });
      await expect(all.custody.cards.acknowledge(card.surveyId)).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect(all.custody.rescue.contents().photographs).toBe(6);
    expect(all.custody.sending.facts.get().owed.photographs).toBeGreaterThanOrEqual(6);
  });

  test('surveys.ofOthers counts the surveys that are hidden', async () => {
    await items(all.census.surveys.all);
    expect(all.census.surveys.othersCount.get()).toBe(SURVEYS.length - SEEN[viewer].length);
  });

  test('conflicts.names lists only people with a conflict on the same field', async () => {
    const stop = all.census.conflicts.all.subscribe(() => undefined);
    await items(all.census.conflicts.all);
    const names = (await items(all.census.conflicts.names)).map(({ name }) => name);
    expect(names.sort()).toEqual({ Ana: ['Ana', 'Tom'], Ben: ['Ana', 'Ben', 'Tom'], nobody: [] }[viewer]);
    stop();
  });

  test('surveys.authors names people who never used this tablet, and other users of a shared survey', async () => {
    const names = (await items(all.census.surveys.authors)).map(({ name }) => name);
    expect(names.sort()).toEqual({ Ana: ['Ana', 'Ben', 'Tom'], Ben: ['Ben', 'Tom'], nobody: ['Tom'] }[viewer]);
  });

  test('rescue.open names only the surveys that the person may see', async () => {
    const parts: (Uint8Array<ArrayBuffer> | Blob)[] = [];
    const target = {
      write: async (part: Uint8Array<ArrayBuffer> | Blob) => void parts.push(part),
      finish: async () => new Blob(parts as BlobPart[]),
      abandon: async () => undefined,
    };
    await all.custody.rescue.createCopy(target, { signal: new AbortController().signal, onProgress: () => undefined });
    const { contents } = await all.custody.rescue.open(new Blob(parts as BlobPart[]));
    expect([...new Set(contents.surveys.map(({ name }) => name))].sort()).toEqual(
      [...SEEN[viewer], OTHERS_SURVEY_NAME].sort(),
    );
  });
});

test('1§6 a new user sees nothing of the previous one, not even for a moment', async () => {
  await at('Ana');
  const lists = [
    all.census.surveys.all,
    all.census.conflicts.all,
    all.custody.photographs.surveys,
    all.census.images.ofSurvey(ids['Of Ana']),
  ] as readonly LiveQuery<object>[];
  for (const list of lists) await items(list);
  const heard: string[] = [];
  const stops = lists.slice(0, 2).map((list) =>
    list.subscribe(() => {
      if (all.account.people.current.get()?.uid === BEN.uid) heard.push(JSON.stringify(list.get().items));
    }),
  );
  await at('Ben');
  // Lists without listeners are empty too.
  expect(JSON.stringify(lists.map((list) => list.get().items))).not.toMatch(/Of Ana|TG-4/);
  await items(all.census.surveys.all);
  expect(heard.join('\n')).not.toMatch(/Of Ana|TG-4/);
  stops.forEach((stop) => stop());
});

test('1§6 a photograph belongs to the person adding it, regardless of later users', async () => {
  await at('Ben');
  const by = all.account.people.current.get() ?? undefined;
  for (const viewer of ['Ana', 'nobody'] as const) {
    await at(viewer);
    const { id } = await all.census.images.addPhotograph(
      photograph(viewer === 'Ana' ? 50 : 51, 4000),
      ids['Of Ben'],
      undefined,
      { by },
    );
    const row = (await tablet.context.store.db.ops.where({ kind: 'image', docId: id }).toArray())[0];
    expect({ by: row?.by, user: row?.op.body['user'] }).toEqual({ by: BEN.uid, user: { uid: BEN.uid } });
  }
  await at('Ana');
  expect(await items(all.census.surveys.one(ids['Of Ben'])), 'Ana wrote nothing in it').toEqual([]);
});

test('1§6 box messages about other people’s surveys appear without content', async () => {
  const surveys = SURVEYS.map((name) => ({
    id: ids[name],
    name,
    date: '2026-11-20',
    loc: null,
    user: { uid: 'Whoever000000001' },
    images: { total: 1, here: 0, ashore: 0 },
  }));
  const untold = { ...surveys[0], id: 'NotHere000000001', name: 'Not here yet', user: { uid: BEN.uid } };
  const sender = {
    deviceId: 'TomsTablet000001',
    name: 'Foredeck',
    person: null,
    connected: true,
    seenAt: '2026-11-20T00:00:00.000Z',
    owed: null,
    survey: { id: ids['Of Ben'], name: 'Of Ben' },
    rate: null,
  };
  const answers: Readonly<Record<string, unknown>> = { surveys: [...surveys, untold], senders: [sender] };
  box.misbehave = (event, message) =>
    event === 'query' && Object.hasOwn(answers, String(message['name']))
      ? { reply: { data: answers[String(message['name'])] } }
      : undefined;
  await all.custody.sending.pause();
  await at('Ana');
  await all.edge.link.pair(box.origin, '123456');
  const told = async (): Promise<readonly string[]> =>
    (await items(all.edge.answers.surveys)).map(({ name, date }) => `${name} ${date}`);
  await expect
    .poll(told)
    .toEqual([
      'Of Ana 2026-11-20',
      `${OTHERS_SURVEY_NAME} `,
      'Of both 2026-11-20',
      'Of Tom 2026-11-20',
      `${OTHERS_SURVEY_NAME} `,
    ]);
  const sent = async (): Promise<readonly unknown[]> =>
    (await items(all.edge.answers.senders)).map(({ survey }) => survey?.name);
  await expect.poll(sent).toEqual([OTHERS_SURVEY_NAME]);
  const stop = all.edge.answers.surveys.subscribe(() => undefined);
  await at('Ben');
  await expect
    .poll(told)
    .toEqual([
      `${OTHERS_SURVEY_NAME} `,
      'Of Ben 2026-11-20',
      'Of both 2026-11-20',
      'Of Tom 2026-11-20',
      'Not here yet 2026-11-20',
    ]);
  await expect.poll(sent).toEqual(['Of Ben']);
  stop();

  const { store, opIndex } = tablet.context;
  for (const name of ['Of Ana', 'Of Ben'] as const) {
    const opId = opIndex.entriesOf('image', images[name])[0]?.opId as OpId;
    await holdOp(
      store,
      { opId, nodeId: box.nodeId, storeEpoch: box.storeEpoch },
      { code: 'image-exists', message: `There is a ${name}.`, retryable: false },
    );
  }
  await opIndex.follow();
  const reasons = async (): Promise<readonly string[]> =>
    (await items(all.custody.sending.held)).map(({ reason }) => reason.message);
  expect((await reasons()).map((words) => /There is/.test(words))).toEqual([false, true]);
  await at('Ana');
  expect((await reasons()).map((words) => /There is/.test(words))).toEqual([true, false]);
});
