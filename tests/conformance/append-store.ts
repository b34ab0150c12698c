import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/domain/limits';
import vectors from '../fixtures/protocol-v1.json';
import type { Op } from '../../src/domain/op/op';
import type { ChangeEntry } from '../../src/protocol/changes';
import type { PublicKey } from '../../src/protocol/receipt';
import { checkReceiptMatches, checkReceiptSignature } from '../../src/protocol/receipt';
import { fold } from '../../src/domain/fold/fold';
import { documentStateOf, draftEdit } from '../../src/domain/op/draft';
import type { AppendStore, StoredDocument } from '../../src/server/ops/append-store';
import { verifySignature } from '../../src/server/ops/receipt-signer';
import { storedDocuments } from '../support/stored-documents';
import { DEVICE, PERSON, SURVEY, analysisOp, blobRef, cloudReceipt, imageOp, op, sha256, surveyOp } from './ops';

export interface AppendHarness {
  readonly store: AppendStore;
  readonly keys: readonly PublicKey[];
  /** Closes the store and opens it again over the same data. */
  reopen(): Promise<AppendStore>;
  dispose(): Promise<void>;
}

/** Makes an empty store; `now` is its clock. */
export type OpenAppendStore = (options?: { now?: () => Date }) => Promise<AppendHarness>;

const FACTS = { by: PERSON as never };
const IMAGE = 'Image00000000001';
const all = { since: 0, limit: 1000 };

/**
 * Conformance tests of every append store (protocol, "One write path", "Receipts and keys").
 *
 * @param scopes aboard everyone sees all surveys; ashore a reader sees what they were granted
 */
export function appendStoreConformance(
  name: string,
  open: OpenAppendStore,
  { scopes = 'aboard' }: { scopes?: 'aboard' | 'ashore' } = {},
): void {
  const using =
    (work: (harness: AppendHarness) => Promise<void>, options?: { now?: () => Date }) => async (): Promise<void> => {
      const harness = await open(options);
      try {
        await work(harness);
      } finally {
        await harness.dispose();
      }
    };

  describe(`${name}: receipts`, () => {
    it(
      'protocol: a receipt names the op, the store and its seq, and verifies',
      using(async ({ store, keys }) => {
        const blob = blobRef('bytes');
        const sent = imageOp(1, IMAGE, blob);
        const receipt = await store.append(sent, { ...FACTS, blob });
        checkReceiptMatches(receipt, sent, blob);
        await checkReceiptSignature(receipt, keys, verifySignature);
        expect(receipt).toMatchObject({ v: 1, ...store.identity, accepted: true, seq: 1 });
        expect(receipt).not.toHaveProperty('reason');
        expect(await store.knownReceipt(sent)).toEqual(receipt);
        expect(await store.knownReceipt(surveyOp(2))).toBeUndefined();
      }),
    );

    it(
      'protocol: a known opId returns the stored receipt byte for byte, in any key order',
      using(async ({ store, keys }) => {
        const sent = surveyOp(1);
        const text = JSON.stringify(await store.append(sent, FACTS));
        const turned = Object.fromEntries(Object.entries(sent).reverse()) as unknown as Op;
        expect(
          JSON.stringify(await store.append(turned, { by: null, quarantine: 'forbidden', blob: blobRef('x') })),
        ).toBe(text);
        expect(JSON.stringify(await store.knownReceipt(turned))).toBe(text);
        await checkReceiptSignature(JSON.parse(text) as never, keys, verifySignature);
        expect((await store.changes(all)).entries).toHaveLength(1);
      }),
    );

    it.each([
      ['body', { body: { ...surveyOp(1).body, name: 'Another' } }],
      ['madeAt', { madeAt: '2026-11-20T00:00:02.000Z' }],
      ['by', { by: 'Person0000000002' }],
      ['an unknown member', { extra: 1 }],
      ['kind', { kind: 'image' }],
    ])('protocol: another %s under a known opId is receipt-mismatch and changes nothing', (_what, change) =>
      using(async ({ store }) => {
        await store.append(surveyOp(1), FACTS);
        const before = [await store.changes(all), await store.document('survey', SURVEY)];
        const other = { ...surveyOp(1), ...change } as unknown as Op;
        await expect(store.append(other, FACTS)).rejects.toMatchObject({ code: 'receipt-mismatch' });
        await expect(store.knownReceipt(other)).rejects.toMatchObject({ code: 'receipt-mismatch' });
        expect([await store.changes(all), await store.document('survey', SURVEY)]).toEqual(before);
      })(),
    );

    it(
      'protocol: the known opId is checked before the body’s hash',
      using(async ({ store }) => {
        const sent = surveyOp(1);
        await store.append(sent, FACTS);
        await expect(store.knownReceipt({ ...sent, sha256: sha256('else') })).rejects.toMatchObject({
          code: 'receipt-mismatch',
        });
      }),
    );

    it(
      'protocol: one operation sent eight times at once is stored once',
      using(async ({ store }) => {
        const receipts = await Promise.all(Array.from({ length: 8 }, () => store.append(surveyOp(1), FACTS)));
        expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1);
        expect((await store.changes(all)).entries).toHaveLength(1);
      }),
    );

    it(
      'protocol: of two simultaneous operations under one opId one is stored, the other refused',
      using(async ({ store }) => {
        const settled = await Promise.allSettled([
          store.append(surveyOp(1), FACTS),
          store.append(surveyOp(1, {}, { name: 'Other' }), FACTS),
        ]);
        expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect((await store.changes(all)).entries).toHaveLength(1);
      }),
    );

    it(
      'protocol: a quarantined op gets accepted: false with its reason and is in no document',
      using(async ({ store, keys }) => {
        const blob = blobRef('x');
        const sent = imageOp(1, IMAGE, blob);
        const receipt = await store.append(sent, { ...FACTS, blob, quarantine: 'forbidden' });
        expect(receipt).toMatchObject({ accepted: false, reason: 'forbidden' });
        await checkReceiptSignature(receipt, keys, verifySignature);
        expect(await store.append(sent, FACTS)).toEqual(receipt);
        expect(await store.document('image', IMAGE)).toBeUndefined();
        expect(await store.recordedBlobs(IMAGE)).toEqual([]);
        expect((await store.changes(all)).entries).toEqual([{ seq: 1, op: sent, receipt, by: PERSON }]);
      }),
    );

    it('protocol: a device’s clock ten years off changes only the displayed times', async () => {
      await using(
        async ({ store }) => {
          await store.append(surveyOp(1, { madeAt: '2036-11-20T00:00:01.000Z', lc: 1 }), FACTS);
          const edit = surveyOp(
            2,
            { madeAt: '2016-11-20T00:00:01.000Z', lc: 2, over: { name: [surveyOp(1).opId] } },
            { name: 'Flynn Reef' },
          );
          const receipt = await store.append(edit, FACTS);
          expect(receipt).toMatchObject({ seq: 2, storedAt: '2026-11-21T08:00:00.000Z' });
          const document = await store.document('survey', SURVEY);
          expect(document?.folded.doc['name']).toBe('Flynn Reef');
          expect(document).toMatchObject({
            createdAt: '2016-11-20T00:00:01.000Z',
            updatedAt: '2036-11-20T00:00:01.000Z',
          });
        },
        { now: () => new Date('2026-11-21T08:00:00.000Z') },
      )();
    });
  });

  describe(`${name}: group commit`, () => {
    it(
      'protocol: one bad operation among fifty at once leaves the others unaffected',
      using(async ({ store }) => {
        const ops = Array.from({ length: 50 }, (_, i) =>
          surveyOp(i + 1, { docId: `Survey${String(i).padStart(10, '0')}` }),
        );
        ops[20] = { ...ops[20]!, body: { id: ops[20]!.docId, depth: Number.NaN } };
        const settled = await Promise.allSettled(ops.map((one) => store.append(one, FACTS)));
        expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1);
        expect(settled[20]!.status).toBe('rejected');
        const { entries } = await store.changes(all);
        expect(entries.map(({ op: stored }) => stored)).toEqual(ops.filter((_, i) => i !== 20));
        expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 49 }, (_, i) => i + 1));
      }),
    );

    it(
      'protocol: listeners receive entries after commit, in order, despite a failing listener',
      using(async ({ store }) => {
        const heard: ChangeEntry[] = [];
        store.onCommit(() => {
          throw new Error('a listener of the test');
        });
        const stop = store.onCommit((entries) => heard.push(...entries));
        await Promise.all([
          store.append(surveyOp(1), FACTS),
          store.append(surveyOp(1), FACTS),
          store.append(imageOp(2, IMAGE, blobRef('x')), FACTS),
        ]);
        await store.addReceipts([cloudReceipt(surveyOp(1), 7)]);
        expect(heard).toEqual((await store.changes(all)).entries);
        expect(heard.map(({ seq }) => seq)).toEqual([1, 2, 3]);
        stop();
        await store.append(surveyOp(3, { docId: 'Survey0000000003' }), FACTS);
        expect(heard).toHaveLength(3);
      }),
    );
  });

  describe(`${name}: change feed`, () => {
    it(
      'protocol: changes are paged: since is exclusive, next is the last seq',
      using(async ({ store }) => {
        for (let n = 1; n <= 5; n++) await store.append(surveyOp(n, { docId: `Survey000000000${n}` }), FACTS);
        const first = await store.changes({ since: 0, limit: 2 });
        expect(first).toMatchObject({ storeEpoch: store.identity.storeEpoch, next: 2 });
        const second = await store.changes({ since: first.next, limit: 2 });
        const third = await store.changes({ since: second.next, limit: 2 });
        expect([...first.entries, ...second.entries, ...third.entries].map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
        expect(await store.changes({ since: 5, limit: 2 })).toMatchObject({ entries: [], next: 5 });
        expect(await store.changes({ since: 99, limit: 2 })).toMatchObject({ entries: [], next: 99 });
      }),
    );

    it(
      'protocol: a page stops at its size limit and contains at least one entry',
      using(async ({ store }) => {
        const part = LIMITS.changesBytesMax / 3;
        for (const [n, size] of [part, part, part, part * 4, 1].entries())
          await store.append(surveyOp(n + 1, {}, { notes: 'x'.repeat(size) }), FACTS);
        const pages: number[][] = [];
        for (let since = 0; ;) {
          const { entries, next } = await store.changes({ since, limit: 1000 });
          if (entries.length === 0) break;
          pages.push(entries.map(({ seq }) => seq));
          since = next;
        }
        expect(pages).toEqual([[1, 2], [3], [4], [5]]);
      }),
    );

    it(
      'protocol: an op is returned as sent, unknown members included; a missing by is added',
      using(async ({ store }) => {
        const silent = { ...surveyOp(1), colour: { of: ['the', 'future'] } } as unknown as Op;
        const spoken = surveyOp(2, { by: 'Person0000000002' as never, docId: 'Survey0000000002' });
        await store.append(silent, FACTS);
        await store.append(spoken, FACTS);
        const { entries } = await store.changes(all);
        expect(entries[0]).toMatchObject({ op: silent, by: PERSON });
        expect(entries[1]!.op).toEqual(spoken);
        expect(entries[1]).not.toHaveProperty('by');
      }),
    );

    it(
      'protocol: another person’s profile is visible only to that person and their device',
      using(async ({ store }) => {
        const other = op(
          1,
          'profile',
          'Person0000000002',
          { email: 'b@example.org' },
          { opId: 'DeviceBBBBBBBBBB-1' as never },
        );
        await store.append(other, { by: 'Person0000000002' as never });
        await store.append(op(1, 'profile', PERSON, { email: 'a@example.org' }), FACTS);
        await store.append(surveyOp(2), FACTS);
        await store.addReceipts([cloudReceipt(other, 1)]);
        const seqs = async (scope?: { person: string | null; deviceId: string | null }) =>
          (await store.changes({ ...all, ...(scope ? { scope: scope as never } : {}) })).entries.map(({ seq }) => seq);
        expect(await seqs()).toEqual([1, 2, 3, 4]);
        expect(await seqs({ person: PERSON, deviceId: null })).toEqual([2, 3]);
        expect(await seqs({ person: null, deviceId: DEVICE })).toEqual([2, 3]);
        const survey = scopes === 'aboard' ? [3] : [];
        expect(await seqs({ person: 'Person0000000002', deviceId: null })).toEqual([1, ...survey, 4]);
        expect(await seqs({ person: null, deviceId: 'DeviceBBBBBBBBBB' })).toEqual([1, ...survey, 4]);
        expect(await seqs({ person: null, deviceId: null })).toEqual(survey);
      }),
    );

    it(
      'protocol: another node’s receipt is stored once, before or after its operation',
      using(async ({ store }) => {
        const [first, second] = [surveyOp(1), surveyOp(2, { docId: 'Survey0000000002' })];
        const own = await store.append(first, FACTS);
        const receipts = [cloudReceipt(first, 1), cloudReceipt(second, 2)];
        expect(await store.addReceipts(receipts)).toBe(2);
        expect(await store.addReceipts([...receipts, own])).toBe(0);
        await store.append(second, FACTS);
        const { entries } = await store.changes(all);
        expect(entries.map(({ seq, op: stored, receipt }) => [seq, stored?.opId, receipt?.stage])).toEqual([
          [1, first.opId, store.identity.stage],
          [2, undefined, 'cloud'],
          [3, undefined, 'cloud'],
          [4, second.opId, store.identity.stage],
        ]);
        expect(entries.slice(1, 3).map(({ receipt }) => receipt)).toEqual(receipts);
      }),
    );
  });

  describe(`${name}: documents`, () => {
    it.each(
      (vectors.fold as unknown as { name: string; ops: Op[]; expect: unknown }[]).map(
        (vector) => [vector.name, vector] as const,
      ),
    )('protocol: fold vector through the store, in both orders: %s', async (_name, { ops, expect: expected }) => {
      for (const order of [ops, [...ops].reverse()]) {
        await using(async ({ store }) => {
          for (const one of order) await store.append(one, FACTS);
          expect((await store.document(ops[0]!.kind, ops[0]!.docId))?.folded).toEqual(expected);
          await store.rebuild();
          expect((await store.document(ops[0]!.kind, ops[0]!.docId))?.folded).toEqual(expected);
        })();
      }
    });

    it(
      'protocol: a deleted document is marked as such, and an unknown one does not exist',
      using(async ({ store }) => {
        await store.append(
          imageOp(4, 'Image00000000004', blobRef('d'), { isDeleted: true, deletedAt: '2026-11-20T00:00:01.000Z' }),
          FACTS,
        );
        expect((await store.document('image', 'Image00000000004'))?.folded.deleted).toBe(true);
        expect(await store.document('image', 'Image00000000009')).toBeUndefined();
      }),
    );

    it(
      'protocol: an image’s record lists its bytes, each hash once',
      using(async ({ store }) => {
        const [a, b] = [blobRef('a'), blobRef('bb')];
        await store.append(imageOp(1, IMAGE, a), { ...FACTS, blob: a });
        await store.append(imageOp(2, IMAGE, a, { depth: 3 }), { ...FACTS, blob: a });
        expect(await store.recordedBlobs(IMAGE)).toEqual([a]);
        await store.append(imageOp(3, IMAGE, b), { ...FACTS, blob: b });
        expect([...(await store.recordedBlobs(IMAGE))].sort((x, y) => x.bytes - y.bytes)).toEqual([a, b]);
        // Ingested with the cloud's receipt but without its bytes: the hash is not requested again.
        await store.append(imageOp(4, 'Image00000000002', a), FACTS);
        expect(await store.recordedBlobs('Image00000000002')).toEqual([a]);
      }),
    );

    it(
      '2§3: analyses of an image and images of a survey are counted once, in any order',
      using(async ({ store }) => {
        const first = analysisOp(1, 'Analysis00000001', IMAGE);
        await store.append(first, FACTS);
        await Promise.all([store.append(first, FACTS), store.append(analysisOp(2, 'Analysis00000002', IMAGE), FACTS)]);
        await store.append(analysisOp(3, 'Analysis00000003', IMAGE, { user: { uid: PERSON, isExpert: true } }), {
          ...FACTS,
          roles: ['isExpert'],
        });
        await store.append(surveyOp(4), FACTS);
        await store.append(imageOp(5, IMAGE, blobRef('a')), FACTS);
        // An edit of an analysis adds none, and a deleted one does not count.
        await store.append(
          analysisOp(6, 'Analysis00000001', IMAGE, { sync: 0 }, { lc: 2, over: { '*': [first.opId] } }),
          FACTS,
        );
        await store.append(
          analysisOp(
            7,
            'Analysis00000002',
            IMAGE,
            { isDeleted: true },
            { lc: 2, over: { '*': [analysisOp(2, 'Analysis00000002', IMAGE).opId] } },
          ),
          FACTS,
        );
        // Claims about the author count as far as the server knows the author of the shown value.
        const claimed = analysisOp(8, 'Analysis00000008', IMAGE, { user: { uid: PERSON, isExpert: true } });
        await store.append(claimed, { ...FACTS, roles: ['isExpert'] });
        await store.append(
          analysisOp(
            9,
            'Analysis00000008',
            IMAGE,
            { user: { uid: PERSON, isExpert: true }, sync: 1 },
            { lc: 2, over: { '*': [claimed.opId] } },
          ),
          FACTS,
        );
        expect((await store.document('analysis', 'Analysis00000003'))?.roles).toEqual(['isExpert']);
        expect((await store.document('analysis', 'Analysis00000008'))?.roles).toEqual([]);
        const expected = { meta: { analysis: { total: 2 }, analysis_expert: { total: 1 } } };
        expect((await store.document('image', IMAGE))?.owned).toEqual(expected);
        expect((await store.document('survey', SURVEY))?.owned).toEqual({ meta: { images: { total: 1 } } });
        await store.rebuild();
        expect((await store.document('image', IMAGE))?.owned).toEqual(expected);
        expect((await store.document('survey', SURVEY))?.owned).toEqual({ meta: { images: { total: 1 } } });
      }),
    );

    it(
      'protocol: rebuilding from the operations yields the same documents',
      using(async ({ store }) => {
        await fill(store);
        const before = await everything(store);
        expect(await store.rebuild()).toBe(6);
        expect(await everything(store)).toEqual(before);
      }),
    );

    it(
      'protocol: a reopened store is the same store, to the byte',
      using(async (harness) => {
        await fill(harness.store);
        const { identity } = harness.store;
        const before = JSON.stringify(await everything(harness.store));
        const again = await harness.reopen();
        expect(again.identity).toEqual(identity);
        expect(JSON.stringify(await everything(again))).toBe(before);
        const last = (await again.changes(all)).next;
        expect(await again.append(surveyOp(500, { docId: 'Survey0000000500' }), FACTS)).toMatchObject({
          seq: last + 1,
        });
      }),
    );

    it(
      'protocol: two stores have two epochs',
      using(async ({ store }) => {
        await using(async ({ store: other }) => {
          expect(other.identity.storeEpoch).not.toBe(store.identity.storeEpoch);
          expect(other.identity.nodeId).not.toBe(store.identity.nodeId);
        })();
      }),
    );
  });

  describe(`${name}: ceilings of a document`, () => {
    const edit = (n: number, more: Partial<Op>, body = {}) => surveyOp(n, more, { name: `n${n}`, ...body });

    it(
      'protocol: an op above the lc ceiling is held with a receipt, and an edit after it wins',
      using(async ({ store, keys }) => {
        const first = surveyOp(1);
        await store.append(first, FACTS);
        const far = edit(2, { lc: Number.MAX_SAFE_INTEGER, over: { name: [first.opId] } });
        const refusal = await store.append(far, FACTS);
        expect(refusal).toMatchObject({ accepted: false, reason: expect.stringContaining('It is safe') as string });
        await checkReceiptSignature(refusal, keys, verifySignature);
        expect(await store.append(far, FACTS)).toEqual(refusal);
        expect((await store.document('survey', SURVEY))?.folded.doc['name']).toBe('Moore Reef');
        const honest = edit(3, { lc: 2, over: { name: [first.opId] } });
        expect(await store.append(honest, FACTS)).toMatchObject({ accepted: true });
        expect((await store.document('survey', SURVEY))?.folded).toMatchObject({ doc: { name: 'n3' }, conflicts: [] });
      }),
    );

    it(
      'protocol: an op that the cloud accepted joins whatever its lc is, and a drafted edit wins over it',
      using(async ({ store }) => {
        const ops = [surveyOp(1), edit(2, { lc: Number.MAX_SAFE_INTEGER, over: { name: [surveyOp(1).opId] } })];
        for (const one of ops) await store.append(one, { ...FACTS, ceilings: 'ignore' });
        expect((await store.document('survey', SURVEY))?.folded.doc['name']).toBe('n2');
        const seen = documentStateOf('survey', SURVEY, ops);
        const draft = draftEdit(seen, { name: 'healed' }, { madeAt: '2026-11-21T00:00:00.000Z', schema: 1 });
        const healing = surveyOp(3, { lc: draft?.lc ?? 0, over: draft?.over ?? {} }, { name: 'healed' });
        expect(await store.append(healing, FACTS)).toMatchObject({ accepted: true });
        expect((await store.document('survey', SURVEY))?.folded).toMatchObject({
          doc: { name: 'healed' },
          conflicts: [],
        });
      }),
    );

    it(
      'protocol: one live value more than the ceiling is held, aboard and ashore',
      using(async ({ store }) => {
        const receipts = [];
        for (let n = 1; n <= LIMITS.liveValuesMax + 1; n++) receipts.push(await store.append(edit(n, {}), FACTS));
        expect(receipts.map(({ accepted }) => accepted)).toEqual([
          ...Array.from({ length: LIMITS.liveValuesMax }, () => true),
          false,
        ]);
        const { folded } = (await store.document('survey', SURVEY)) as StoredDocument;
        expect(folded.live['name']).toHaveLength(LIMITS.liveValuesMax);
      }),
    );

    it(
      'protocol: many ops of one document at once fold as in turn, and as rebuilt',
      using(async ({ store }) => {
        const ops = Array.from({ length: 40 }, (_, i) =>
          edit(i + 1, i % 3 === 0 ? {} : { lc: i, over: { name: [`${DEVICE}-${i}`, `${DEVICE}-${i + 2}`] as never } }),
        );
        await Promise.all(ops.map((one) => store.append(one, FACTS)));
        const before = await store.document('survey', SURVEY);
        expect(before?.folded).toEqual(fold(ops));
        await store.rebuild();
        expect(await store.document('survey', SURVEY)).toEqual(before);
      }),
    );
  });
}

async function fill(store: AppendStore): Promise<void> {
  const blob = blobRef('a');
  await store.append(op(1, 'profile', PERSON, { email: 'a@example.org' }), FACTS);
  await store.append(surveyOp(2), FACTS);
  await store.append(surveyOp(3, { lc: 2, over: { name: [surveyOp(2).opId] } }, { name: 'Flynn' }), FACTS);
  await store.append(surveyOp(4, { lc: 2, over: { name: [surveyOp(2).opId] } }, { name: 'Milln' }), FACTS);
  await store.append(imageOp(5, IMAGE, blob), { ...FACTS, blob });
  await store.append(imageOp(6, 'Image00000000002', blob), { ...FACTS, blob });
  await store.append(analysisOp(7, 'Analysis00000001', IMAGE), FACTS);
  await store.append(analysisOp(8, 'Analysis00000002', IMAGE, { user: {} }), FACTS);
  await store.append(analysisOp(9, 'Analysis00000003', IMAGE), { ...FACTS, quarantine: 'forbidden' });
  await store.addReceipts([cloudReceipt(surveyOp(2), 1), cloudReceipt(imageOp(5, IMAGE, blob), 2, { blob })]);
}

async function everything(store: AppendStore): Promise<unknown> {
  const kinds = ['profile', 'survey', 'image', 'analysis'] as const;
  return [
    await store.changes(all),
    await Promise.all(kinds.map((kind) => storedDocuments(store, kind))),
    await store.recordedBlobs(IMAGE),
  ];
}
