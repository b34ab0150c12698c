import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OpId } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import type { OpKind } from '../../../domain/op/op';
import type { Receipt } from '../../../protocol/receipt';
import type { HoldRow } from '../../ops/database';
import type { OpIndexEntry } from '../../ops/op-index';
import { ChunkSize } from './chunk-size';
import type { Delay, OutboxIndex } from './outbox';
import { nextStep, owedTo } from './outbox';

const LIFE = { nodeId: 'box', storeEpoch: 'first' };
const ORDER: readonly OpKind[] = ['profile', 'survey', 'image', 'analysis'];

/** Index answers over plain maps. */
class PlainLedger implements OutboxIndex {
  readonly entries = new Map<OpId, OpIndexEntry>();
  get version(): number {
    return this.entries.size + this.receipted.size + this.held.size + this.lost.size;
  }
  readonly receipted = new Set<string>();
  readonly held = new Set<string>();
  readonly entriesOf = (kind: OpKind, docId: string): OpIndexEntry[] =>
    [...this.entries.values()].filter((entry) => entry.kind === kind && entry.docId === docId);
  readonly receiptFrom = (opId: OpId): Receipt | undefined =>
    this.receipted.has(opId) ? ({ accepted: true } as Receipt) : undefined;
  readonly holdFrom = (opId: OpId): HoldRow | undefined => (this.held.has(opId) ? ({} as HoldRow) : undefined);
  readonly hasBytes = (sha256: string): boolean => !sha256.startsWith('elsewhere');
  readonly isBlobReceipted = (docId: string, sha256: string): boolean =>
    !this.lost.has(sha256) &&
    this.entriesOf('image', docId).some(({ opId, blob }) => blob?.sha256 === sha256 && this.receipted.has(opId));

  readonly isBlobRecorded = this.isBlobReceipted;
  readonly lost = new Set<string>();
  readonly isLost = (sha256: string): boolean => this.lost.has(sha256);
  readonly vouched = new Set<string>();
  readonly cloudReceiptFor = ({ opId }: OpIndexEntry): Receipt | undefined =>
    this.vouched.has(opId) ? ({ accepted: true } as Receipt) : undefined;
  readonly clouds: OutboxIndex['clouds'] = [];

  add(kind: OpKind, doc: number, survey: number, here: boolean): void {
    const arrival = this.entries.size + 1;
    const opId = `device0000000000-${arrival}` as OpId;
    const blob = { sha256: `${here ? 'here' : 'elsewhere'}-${doc}`, bytes: 10 } as unknown as NonNullable<
      OpIndexEntry['blob']
    >;
    this.entries.set(opId, {
      opId,
      kind,
      docId: `${kind}${doc}`,
      arrival,
      own: true,
      blob: kind === 'image' ? blob : undefined,
      deletes: false,
      by: null,
      owner: null,
      surveyId: kind === 'image' ? `survey${survey}` : undefined,
    });
  }
}

const item = fc.record({ kind: fc.constantFrom(...ORDER), doc: fc.nat(4), survey: fc.nat(4), here: fc.boolean() });
/** Outcome of one try. */
const outcome = fc.constantFrom('receipt', 'receipt', 'later', 'full', 'held');

describe('protocol: the outbox', () => {
  test('sending keeps order and limits and sends everything once, whatever fails', () => {
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 25 }),
        fc.array(outcome, { minLength: 1, maxLength: 30 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
        (items, outcomes, picks) => {
          const ledger = new PlainLedger();
          for (const { kind, doc, survey, here } of items) ledger.add(kind, doc, survey, here);
          const inFlight = new Set<OpId>();
          const delays = new Map<OpId, Delay>();
          let [now, imagesNotBefore, turn] = [0, 0, 0];
          const trouble = new Map<OpId, number>();
          for (let steps = 0; steps < 5000; steps++) {
            const step = nextStep({ opIndex: ledger, storeRef: LIFE, inFlight, delays, imagesNotBefore, now });
            if (step.kind === 'send') {
              const { entry } = step;
              const sending = [...inFlight].map((opId) => ledger.entries.get(opId)!);
              expect(inFlight.has(entry.opId) || ledger.receipted.has(entry.opId) || ledger.held.has(entry.opId)).toBe(
                false,
              );
              expect(sending.some(({ kind, docId }) => kind === entry.kind && docId === entry.docId)).toBe(false);
              expect(sending.every(({ kind }) => ORDER.indexOf(kind) >= ORDER.indexOf(entry.kind))).toBe(true);
              expect(sending.filter(({ kind }) => kind === 'image').length).toBeLessThan(
                entry.kind === 'image' ? LIMITS.imagesAtATime : Infinity,
              );
              if (entry.kind === 'image') {
                const survey = ledger.entriesOf('survey', entry.surveyId!);
                expect(survey.length === 0 || survey.some(({ opId }) => ledger.receipted.has(opId))).toBe(true);
                expect(now).toBeGreaterThanOrEqual(imagesNotBefore);
              }
              inFlight.add(entry.opId);
              continue;
            }
            if (inFlight.size === 0) {
              if (step.until === null) break;
              expect(step.until).toBeGreaterThan(now);
              now = step.until;
              continue;
            }
            const flying = [...inFlight];
            const opId = flying[(picks[turn % picks.length] ?? 0) % flying.length]!;
            inFlight.delete(opId);
            // Each item fails at most four times, since a box that never accepts anything would never finish.
            const tried = trouble.get(opId) ?? 0;
            const comes = tried < 4 ? outcomes[turn % outcomes.length]! : 'receipt';
            turn += 1;
            trouble.set(opId, tried + 1);
            if (comes === 'receipt') {
              expect(ledger.receipted.has(opId)).toBe(false);
              ledger.receipted.add(opId);
            } else if (comes === 'held') ledger.held.add(opId);
            else if (comes === 'full' && ledger.entries.get(opId)!.kind === 'image') imagesNotBefore = now + 5;
            else
              delays.set(opId, {
                problem: { code: 'internal', message: '', retryable: true },
                rounds: 1,
                notBefore: now + 3,
              });
          }
          expect(inFlight.size).toBe(0);
          for (const left of owedTo(ledger, LIFE)) {
            // Only photographs of a held survey remain.
            expect(left.kind).toBe('image');
            const survey = ledger.entriesOf('survey', left.surveyId!);
            expect(survey.length > 0 && survey.every(({ opId }) => ledger.held.has(opId))).toBe(true);
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  test('bytes that the store lost are offered again, once a file, if they are here', () => {
    const ledger = new PlainLedger();
    ledger.add('survey', 0, 0, true);
    // A photograph of this tablet and one of another, each with an edit.
    for (const doc of [1, 1, 2, 2]) ledger.add('image', doc, 0, doc === 1);
    const [, first, edit, , editOfOther] = [...ledger.entries.keys()] as [OpId, OpId, OpId, OpId, OpId];
    for (const opId of ledger.entries.keys()) ledger.receipted.add(opId);
    const owed = (): OpId[] => owedTo(ledger, LIFE).map(({ opId }) => opId);
    expect(owed()).toEqual([]);
    ledger.lost.add('here-1').add('elsewhere-2');
    expect(owed()).toEqual([first]);
    // A damaged copy is on hold, and its edit is not tried in its place.
    ledger.held.add(first);
    expect(owed()).toEqual([]);
    ledger.held.clear();
    // Edits: one with bytes is sent after them; one without waits until the box has them.
    ledger.receipted.delete(edit);
    ledger.receipted.delete(editOfOther);
    expect(owed()).toEqual([first, edit]);
    ledger.lost.clear();
    expect(owed()).toEqual([edit, editOfOther]);
  });
});

test('protocol: the outbox — 5,000 items are scanned once between two changes', () => {
  const ledger = new PlainLedger();
  for (let i = 0; i < 5000; i++) ledger.add('analysis', i, 0, true);
  let asked = 0;
  const counting: OutboxIndex = {
    entries: ledger.entries,
    get version() {
      return ledger.version;
    },
    entriesOf: ledger.entriesOf,
    receiptFrom: (opId) => {
      asked += 1;
      return ledger.receiptFrom(opId);
    },
    holdFrom: ledger.holdFrom,
    hasBytes: ledger.hasBytes,
    isBlobReceipted: ledger.isBlobReceipted,
    isBlobRecorded: ledger.isBlobRecorded,
    isLost: ledger.isLost,
    cloudReceiptFor: ledger.cloudReceiptFor,
    clouds: ledger.clouds,
  };
  const situation = {
    opIndex: counting,
    storeRef: LIFE,
    inFlight: new Set<OpId>(),
    delays: new Map<OpId, Delay>(),
    imagesNotBefore: 0,
    now: 0,
  };
  for (let i = 0; i < 50; i++)
    expect(nextStep(situation)).toMatchObject({ kind: 'send', entry: { docId: 'analysis0' } });
  expect(asked).toBe(5000);
  ledger.receipted.add('device0000000000-1' as OpId);
  expect(nextStep(situation)).toMatchObject({ kind: 'send', entry: { docId: 'analysis1' } });
  expect(nextStep({ ...situation, storeRef: { ...LIFE, storeEpoch: 'second' } })).toMatchObject({ kind: 'send' });
  expect(asked).toBe(15_000);
});

describe('protocol: chunks from 64 KiB to 4 MiB', () => {
  test('chunks at most double, shrink on a slow link and stay within the limits', () => {
    const chunks = new ChunkSize();
    const sizes: number[] = [];
    for (let i = 0; i < 8; i++) {
      const size = chunks.next(Infinity);
      sizes.push(size);
      chunks.recordSuccess(size, 1);
    }
    expect(sizes).toEqual([256, 512, 1024, 2048, 4096, 4096, 4096, 4096].map((kib) => kib * 1024));
    expect(chunks.next(1_000_000)).toBe(1_000_000);
    chunks.recordSuccess(LIMITS.chunkBytesMax, 60_000);
    expect(chunks.next(Infinity)).toBe(128 * 1024);
    chunks.recordFailure();
    chunks.recordFailure();
    expect(chunks.next(Infinity)).toBe(LIMITS.chunkBytesMin);
  });

  test('a chunk takes a few seconds at any steady rate that allows it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 40_000, max: 50_000_000 }), (bytesPerSecond) => {
        const chunks = new ChunkSize();
        for (let i = 0; i < 10; i++) {
          const size = chunks.next(Infinity);
          chunks.recordSuccess(size, (size * 1000) / bytesPerSecond);
        }
        expect(chunks.next(Infinity) / bytesPerSecond).toBeLessThanOrEqual(
          Math.max(2, LIMITS.chunkBytesMin / bytesPerSecond) + 0.001,
        );
      }),
    );
  });
});
