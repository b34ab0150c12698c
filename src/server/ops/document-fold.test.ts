import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WRITE_MEMBERS } from '../../domain/fold/ceilings';
import { LIMITS } from '../../domain/limits';
import type { Op } from '../../domain/op/op';
import { analysisOp, op as makeOp, surveyOp } from '../../../tests/conformance/ops';
import { DocumentFold, documentRow, inTurns } from './document-fold';
import type { AcceptedOp, DocumentRow } from './document-row';

const DOC = 'Survey0000000001';
const taken = (op: Op, by: string | null = null): AcceptedOp => ({ op, by, roles: [] });

/** Row as a store returns it after a restart. */
function resumed(row: DocumentRow): DocumentFold {
  const { kind, docId, folded, basis, createdAt, updatedAt } = JSON.parse(JSON.stringify(row)) as DocumentRow;
  const fold = DocumentFold.resume(kind, docId, { folded, basis, createdAt, updatedAt });
  if (fold === undefined) throw new Error('a row that was just written fits its basis');
  return fold;
}

/** Operations of one document with names that arrive early, late or never, odd fields among them. */
const history = fc
  .array(
    fc.record({
      kind: fc.constantFrom('survey' as const, 'analysis' as const),
      fields: fc.dictionary(
        fc.constantFrom('name', 'user', 'isDeleted', '*', 'constructor', '!', '0'),
        fc.jsonValue({ maxDepth: 1 }),
        { maxKeys: 4 },
      ),
      names: fc.array(fc.nat(14), { maxLength: 4 }),
      hasOver: fc.boolean(),
      lc: fc.integer({ min: 1, max: 5 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((drafts) => {
    const kind = drafts[0]?.kind ?? 'survey';
    return drafts.map(({ fields, names, hasOver, lc }, i): AcceptedOp => {
      const over = Object.fromEntries(
        (kind === 'analysis' ? ['*'] : Object.keys(fields)).map((field) => [
          field,
          names.filter((n) => n !== i).map((n) => `DeviceAAAAAAAAAA-${n + 1}` as Op['opId']),
        ]),
      );
      const madeAt = `2026-11-20T00:00:${String((i * 37) % 60).padStart(2, '0')}.000Z`;
      return {
        // As a wire carries it: without -0.
        op: makeOp(i + 1, kind, DOC, JSON.parse(JSON.stringify(fields)) as never, {
          lc,
          madeAt,
          ...(hasOver ? { over } : {}),
        }),
        by: `Person000000000${i % 3}`,
        roles: i % 2 === 0 ? ['isExpert'] : [],
      };
    });
  });

describe('a stored fold', () => {
  it('protocol: fold: continues after every restart as if all operations were folded at once', () => {
    fc.assert(
      fc.property(history, (all) => {
        const { op } = all[0] as AcceptedOp;
        let fold = new DocumentFold(op.kind, op.docId);
        for (const [n, one] of all.entries()) {
          expect(fold.add(one, 'ignore')).toBeUndefined();
          const row = fold.row();
          const { basis, ...expected } = documentRow(op.kind, op.docId, all.slice(0, n + 1));
          expect(row).toMatchObject(expected);
          expect(row.folded).toEqual(expected.folded);
          expect(row.basis.chars).toBe(basis.chars);
          expect(row.basis.writes).toEqual(basis.writes);
          fold = resumed(row);
        }
      }),
      { numRuns: 150, verbose: 1 },
    );
  });

  it('protocol: fold: an append parses and compares no more after 500 edits than after 5', () => {
    let row = documentRow('survey', DOC, [taken(surveyOp(1))]);
    const work: number[] = [];
    for (let n = 2; n <= 500; n++) {
      const next = taken(surveyOp(n, { lc: n, over: { name: [`DeviceAAAAAAAAAA-${n - 1}` as Op['opId']] } }));
      work.push(JSON.stringify(row).length);
      const fold = resumed(row);
      fold.add(next, 'keep');
      row = fold.row();
    }
    // Numbers grow by a digit or two.
    expect(Math.max(...work)).toBeLessThan((work[3] ?? 0) + 40);
  });

  it('a fold whose basis lacks a live write is computed again', () => {
    const { kind, docId, folded, basis, createdAt, updatedAt } = documentRow('survey', DOC, [taken(surveyOp(1))]);
    expect(DocumentFold.resume(kind, docId, { folded, basis: { ...basis, writes: {} }, createdAt, updatedAt })).toBe(
      undefined,
    );
  });
});

describe('protocol: ceilings of a document', () => {
  const of = (...ops: Op[]) =>
    DocumentFold.of(
      'survey',
      DOC,
      ops.map((op) => taken(op)),
    );
  const isHeld = (fold: DocumentFold, op: Op) => fold.add(taken(op), 'keep') !== undefined;

  it('an lc at the ceiling is taken, one above is held and leaves the document unchanged', () => {
    const fold = of();
    fold.add(taken(surveyOp(1, { lc: LIMITS.lcMax })), 'ignore');
    const before = fold.row();
    expect(isHeld(fold, surveyOp(2, { lc: LIMITS.lcMax + 1 }))).toBe(true);
    expect(fold.row()).toEqual(before);
    expect(isHeld(fold, surveyOp(3, { lc: LIMITS.lcMax }))).toBe(false);
  });

  it('a leap of lc at the ceiling is taken, one above is held; an lc that staff released does not count', () => {
    const fold = of(surveyOp(1, { lc: 5 }));
    expect(isHeld(fold, surveyOp(2, { lc: 5 + LIMITS.lcLeapMax + 1 }))).toBe(true);
    expect(fold.add(taken(surveyOp(3, { lc: Number.MAX_SAFE_INTEGER })), 'ignore')).toBeUndefined();
    expect(isHeld(fold, surveyOp(4, { lc: 5 + LIMITS.lcLeapMax + 1 }))).toBe(true);
    expect(isHeld(fold, surveyOp(5, { lc: 5 + LIMITS.lcLeapMax }))).toBe(false);
  });

  it('as many live values as the ceiling are taken, one more is held, and one that replaces another is taken', () => {
    const fold = of();
    for (let n = 1; n <= LIMITS.liveValuesMax; n++)
      expect(isHeld(fold, surveyOp(n, {}, { name: `n${n}` }))).toBe(false);
    expect(isHeld(fold, surveyOp(900))).toBe(true);
    const over = { name: ['DeviceAAAAAAAAAA-64' as Op['opId']] };
    expect(isHeld(fold, surveyOp(901, { lc: 2, over }, { name: 'settled' }))).toBe(false);
  });

  it('a document of the size of the ceiling is taken, one character more is held', () => {
    const rest = 'Moore Reef'.length + 2;
    const empty = of(surveyOp(1)).chars - rest;
    const exact = (n: number, more = 0) =>
      surveyOp(n, {}, { name: 'x'.repeat(LIMITS.documentCharsMax - empty - 2 + more) });
    expect(isHeld(of(), exact(1, 1))).toBe(true);
    const fold = of();
    expect(isHeld(fold, exact(1))).toBe(false);
    expect(fold.chars).toBe(LIMITS.documentCharsMax);
    const [opId] = [exact(1).opId];
    expect(isHeld(fold, surveyOp(2, { lc: 2, over: { name: [opId] } }, { name: 'short' }))).toBe(false);
  });

  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
  const names = (count: number) => Array.from({ length: count }, (_, i) => `DeviceBBBBBBBBBB-${i + 1}` as Op['opId']);

  it('members, nested lists and objects, and the writes themselves are counted up to the ceiling, and names apart', () => {
    const { members: empty } = of(surveyOp(1)).row().basis;
    const left = LIMITS.documentMembersMax - empty - WRITE_MEMBERS;
    for (const value of [keys(left), Array.from({ length: left }, () => []), { list: keys(left - 1) }])
      expect(isHeld(of(), surveyOp(1, {}, { notes: value as never }))).toBe(false);
    for (const value of [keys(left + 1), Array.from({ length: left + 1 }, () => ({}))])
      expect(isHeld(of(), surveyOp(1, {}, { notes: value as never }))).toBe(true);
    expect(isHeld(of(), surveyOp(1, { over: { name: names(LIMITS.awaitedMax) } }))).toBe(false);
    expect(isHeld(of(), surveyOp(1, { over: { name: names(LIMITS.awaitedMax + 1) } }))).toBe(true);
  });

  it('each live write counts, so many small fields with many open values are held above the ceiling', () => {
    const count = LIMITS.documentMembersMax / WRITE_MEMBERS / 50;
    const over = Object.fromEntries(Object.keys(keys(count)).map((key) => [key, []]));
    const fold = of();
    for (let n = 1; n <= 50; n++) expect(isHeld(fold, surveyOp(n, { over }, keys(count)))).toBe(false);
    expect(fold.row().basis.members).toBe(LIMITS.documentMembersMax);
    expect(isHeld(fold, surveyOp(51, { over: { k1: [] } }, { k1: 1 }))).toBe(true);
    const replaced = Array.from({ length: 50 }, (_, i) => surveyOp(i + 1).opId);
    expect(isHeld(fold, surveyOp(52, { lc: 2, over: { k1: replaced } }, { k1: 1 }))).toBe(false);
  });

  it('a text or a list that would become the members of a document counts as many', () => {
    expect(isHeld(of(), surveyOp(1, { over: { '*': [] } }, { '*': 'x'.repeat(LIMITS.documentMembersMax) }))).toBe(true);
    const list = Array.from({ length: 200_000 }, () => 1);
    const fold = of();
    expect(fold.add(taken(surveyOp(1, { over: { '*': [] } }, { '*': list })), 'ignore')).toBeUndefined();
    expect(Object.keys(fold.row().folded.doc)).toHaveLength(list.length);
  });

  it('a document above a ceiling takes what makes it smaller', () => {
    const image = 'Image00000000001';
    const big = (n: number) => analysisOp(n, DOC, image, { notes: 'x'.repeat(1_500_000) });
    const fold = DocumentFold.of('analysis', DOC, [taken(big(1)), taken(big(2))]);
    expect(fold.chars).toBeGreaterThan(LIMITS.documentCharsMax);
    expect(isHeld(fold, big(3))).toBe(true);
    const over = { '*': [big(1).opId, big(2).opId] };
    expect(isHeld(fold, analysisOp(4, DOC, image, {}, { lc: 2, over }))).toBe(false);
    expect(fold.chars).toBeLessThan(1000);
  });
});

it('steps give the event loop back between pieces of a long history', async () => {
  const all = Array.from({ length: 60 }, (_, i) => ({
    ...taken(surveyOp(i + 1, {}, { name: `${i} ${'x'.repeat(30_000)}` })),
    chars: 30_000,
  }));
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const fold = await inTurns(DocumentFold.steps('survey', DOC, all));
  isDone = true;
  expect(fold.row().folded.conflicts).toHaveLength(59);
  // 1.8 million characters of operations, and as many of values, at 256 Ki a turn.
  expect(turns).toBeGreaterThan(10);
});
