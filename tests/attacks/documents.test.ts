import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Edge } from '../../edge-server/app';
import { buildEdge } from '../../edge-server/app';
import { readSettings } from '../../edge-server/settings';
import { LIMITS } from '../../src/domain/limits';
import { documentStateOf, draftEdit, sealOp } from '../../src/domain/op/draft';
import type { Op } from '../../src/domain/op/op';
import type { Receipt } from '../../src/protocol/receipt';
import type { TestCloud } from '../support/servers/cloud';
import { STAFF_TOKEN, startCloud } from '../support/servers/cloud';
import { EdgeClient, makeOp, newId, sha256, surveyOp } from '../support/servers/edge-client';
import { signIn } from '../support/servers/people';
import { canonicalJson } from '../../src/domain/canonical';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const NODE = 'BoxOfTheAttacks1';
const AT = { madeAt: '2026-11-21T00:00:00.000Z', schema: 1 };

const home = mkdtempSync(path.join(os.tmpdir(), 'reef-documents-'));
let cloud: TestCloud;
let edge: Edge;
let tablet: EdgeClient;

beforeAll(async () => {
  cloud = await startCloud();
  edge = await buildEdge(readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0', EDGE_PAIRING: 'open' }), {
    log: pino({ level: 'silent' }),
  });
  tablet = await EdgeClient.connect(await edge.listen());
  await tablet.verify();
});
afterAll(async () => {
  tablet.socket.disconnect();
  await edge.close();
  await cloud.close();
  rmSync(home, { recursive: true, force: true });
});

/** One server, as a hostile tablet or box reaches it. */
interface Target {
  readonly name: string;
  readonly send: (op: Op) => Promise<Receipt>;
  readonly doc: (docId: string) => Promise<{ name?: unknown; conflicts: number } | undefined>;
}

const TARGETS: readonly Target[] = [
  {
    name: 'a tablet against the box',
    send: async (op) => (await tablet.send('survey', { op }))['receipt'] as Receipt,
    doc: async (docId) => shown(await edge.context.store.document('survey', docId)),
  },
  {
    name: 'a box against the shore',
    send: async (op) => ((await cloud.ops([op], NODE))[0] as { receipt: Receipt }).receipt,
    doc: async (docId) => shown(await cloud.cloud.context.store.document('survey', docId)),
  },
];

function shown(document: Awaited<ReturnType<Edge['context']['store']['document']>>) {
  return document && { name: document.folded.doc['name'], conflicts: document.folded.conflicts.length };
}

/** Operation on a survey by another device. */
function writeOf(first: Op, name: string, more: Partial<Op>): Op {
  return makeOp('survey', { ...first.body, name }, { by: first.by!, ...more });
}

function withoutName({ body: { name: _, ...body }, by }: Op): Op {
  return makeOp('survey', body, { by: by! });
}

function bigWriteOf(first: Op, n: number): Op {
  return makeOp('survey', { ...first.body, remarks: `${n} ${'x'.repeat(1_800_000)}` }, { by: first.by! });
}

/** Edit as a tablet drafts it from what it knows. */
function honestEdit(known: readonly Op[], name: string): Op {
  const draft = draftEdit(documentStateOf('survey', known[0]!.docId, known), { name }, AT);
  if (draft === undefined) throw new Error('the name differs');
  const op = sealOp(draft, `${newId()}-1` as Op['opId'], sha256(canonicalJson(draft.body)) as Op['sha256']);
  return { ...op, by: known[0]!.by! };
}

describe.each(TARGETS)('$name', ({ send, doc }) => {
  it('protocol: one op with an lc of 2^53 - 1 freezes no survey', async () => {
    const first = withoutName(surveyOp());
    await send(first);
    const hostile = writeOf(first, 'Frozen', { lc: Number.MAX_SAFE_INTEGER });
    expect(await send(hostile)).toMatchObject({ accepted: false, reason: expect.stringContaining('It is safe') });
    // A tablet that came to know it all the same writes below it, and wins.
    expect(await send(honestEdit([first, hostile], 'Honest'))).toMatchObject({ accepted: true });
    expect(await doc(first.docId)).toEqual({ name: 'Honest', conflicts: 0 });
  });

  it('protocol: an lc may leap as far as the ceiling, and no farther', async () => {
    const first = surveyOp();
    await send(first);
    expect(await send(writeOf(first, 'Too far', { lc: LIMITS.lcLeapMax + 2 }))).toMatchObject({ accepted: false });
    expect(await send(writeOf(first, 'As far', { lc: LIMITS.lcLeapMax + 1 }))).toMatchObject({ accepted: true });
    expect(await doc(first.docId)).toMatchObject({ name: 'As far' });
  });

  it('protocol: a flood of values for one field ends at the ceiling, and an edit still joins', async () => {
    const first = surveyOp();
    await send(first);
    const flood = Array.from({ length: LIMITS.liveValuesMax + 6 }, (_, i) => writeOf(first, `Flood ${i}`, {}));
    const receipts = await Promise.all(flood.map(send));
    expect(receipts.filter(({ accepted }) => !accepted)).toHaveLength(7);
    const known = [first, ...flood.filter((_, i) => receipts[i]?.accepted === true)];
    expect(await send(honestEdit(known, 'Honest'))).toMatchObject({ accepted: true });
    expect((await doc(first.docId))?.name).toBe('Honest');
  });

  it('protocol: 27 MB of writes to one survey are held above the ceiling of its size', async () => {
    const first = surveyOp();
    await send(first);
    const receipts: Receipt[] = [];
    for (let i = 0; i < 15; i++) receipts.push(await send(bigWriteOf(first, i)));
    expect(receipts.filter(({ accepted }) => accepted)).toHaveLength(1);
    expect(await send(honestEdit([first], 'Honest'))).toMatchObject({ accepted: true });
  });

  it('protocol: tens of thousands of small fields are held above the ceiling of members', async () => {
    const first = surveyOp();
    await send(first);
    const flood = (count: number) => {
      const fields = Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]));
      return makeOp('survey', { ...first.body, ...fields }, { by: first.by! });
    };
    expect(await send(flood(20_000))).toMatchObject({ accepted: false });
    const receipts: Receipt[] = [];
    for (let i = 0; i < 6; i++) receipts.push(await send(flood(1_200)));
    expect(receipts.filter(({ accepted }) => accepted)).toHaveLength(4);
    expect(await send(honestEdit([first], 'Honest'))).toMatchObject({ accepted: true });
  });
});

describe('what is held', () => {
  it('protocol: staff release it ashore, and then the box has it too', async () => {
    const first = surveyOp();
    await cloud.ops([first], NODE);
    await tablet.send('survey', { op: first });
    const far = writeOf(first, 'Far', { lc: LIMITS.lcLeapMax + 50 });
    expect((await tablet.send('survey', { op: far }))['receipt']).toMatchObject({ accepted: false, stage: 'edge' });
    expect(await cloud.ops([far], NODE)).toMatchObject([{ receipt: { accepted: false, stage: 'cloud' } }]);
    const { body: list } = await cloud.get<{ items: { op: Op; reason: string }[] }>(
      `/api/quarantine?q=${far.opId}`,
      STAFF_TOKEN,
    );
    expect(list.items.find(({ op }) => op.opId === far.opId)?.reason).toContain('count');
    const released = await cloud.post<{ receipt: Receipt }>(`/api/quarantine/${far.opId}/release`, {}, STAFF_TOKEN);
    expect(released.body.receipt).toMatchObject({ accepted: true });
    expect(await TARGETS[1]!.doc(first.docId)).toMatchObject({ name: 'Far' });
    expect(await TARGETS[0]!.doc(first.docId)).not.toMatchObject({ name: 'Far' });
    await edge.context.store.addReceipts([released.body.receipt]);
    expect(await TARGETS[0]!.doc(first.docId)).toMatchObject({ name: 'Far' });
  });

  it('protocol: access that arrives later opens no way past a ceiling', async () => {
    const [owner, stranger] = await Promise.all([
      signIn(cloud, 'owner-of-documents@example.org'),
      signIn(cloud, 'stranger-to-documents@example.org'),
    ]);
    const first = surveyOp(owner.user.uid);
    expect(await cloud.ops([first], undefined, owner.session)).toMatchObject([{ receipt: { accepted: true } }]);
    const far = writeOf(first, 'Past', { lc: Number.MAX_SAFE_INTEGER, by: stranger.user.uid as never });
    expect(await cloud.ops([far], undefined, stranger.session)).toMatchObject([{ receipt: { accepted: false } }]);
    // A box that has the survey vouches for it, which ends its wait for access.
    await cloud.ops([first], NODE);
    expect(await cloud.ops([far], NODE)).toMatchObject([{ receipt: { accepted: false } }]);
    const { body } = await cloud.get<{ items: { op: Op; reason: string }[] }>(
      `/api/quarantine?q=${far.opId}`,
      STAFF_TOKEN,
    );
    expect(body.items.find(({ op }) => op.opId === far.opId)?.reason).toContain('any record may reach');
    expect(await TARGETS[1]!.doc(first.docId)).not.toMatchObject({ name: 'Past' });
  });

  it('protocol: a survey that an earlier version let freeze is healed by one edit', async () => {
    const first = surveyOp();
    const frozen = writeOf(first, 'Frozen', { lc: Number.MAX_SAFE_INTEGER });
    const { store, record } = edge.context;
    for (const op of [first, frozen]) {
      await store.append(op, { by: null, ceilings: 'ignore' });
      await cloud.cloud.context.store.append(op, {
        by: null,
        ceilings: 'ignore',
        brought: { device: null, node: NODE },
      });
    }
    record.database.exec('UPDATE docs SET fold_basis = NULL, fold_chars = NULL');
    await cloud.cloud.context.database.pool.query('UPDATE docs SET fold_basis = NULL, fold_chars = NULL');
    const healing = honestEdit([first, frozen], 'Healed');
    expect(healing.lc).toBe(2);
    for (const { send, doc } of TARGETS) {
      expect(await doc(first.docId)).toMatchObject({ name: 'Frozen' });
      expect(await send(healing)).toMatchObject({ accepted: true });
      expect(await doc(first.docId)).toMatchObject({ name: 'Healed' });
      expect(await send(honestEdit([first, frozen, healing], 'Again'))).toMatchObject({ accepted: true });
      expect(await doc(first.docId)).toMatchObject({ name: 'Again' });
    }
  });
});

describe('many large records', () => {
  interface Listed extends Record<string, unknown> {
    readonly items: readonly { readonly id: string }[];
    readonly next: string | null;
  }

  it('protocol: a page of them ends early, and the next ones have the rest', async () => {
    const owner = await signIn(cloud, 'owner-of-large-records@example.org');
    const surveys = Array.from({ length: 6 }, (_, n) =>
      makeOp('survey', { ...surveyOp(owner.user.uid).body, date: `2026-11-0${n + 1}`, notes: 'x'.repeat(1_900_000) }),
    );
    for (const op of surveys) await cloud.ops([op], undefined, owner.session);
    const found: string[] = [];
    let pages = 0;
    for (let after: string | null = ''; after !== null; pages++) {
      const place: string = `/api/query/user-surveys?uid=${owner.user.uid}&limit=1000${after === '' ? '' : `&after=${after}`}`;
      const { body } = await cloud.get<Listed>(place, owner.session);
      expect(body.items.length).toBeLessThanOrEqual(4);
      found.push(...body.items.map(({ id }) => id));
      after = body.next;
    }
    expect([found, pages]).toEqual([surveys.map(({ docId }) => docId).reverse(), 2]);
  });
});
