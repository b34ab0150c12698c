import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, equalJson } from '../canonical';
import type { OpId, Sha256 } from '../ids';
import type { Json, JsonObject } from '../json';
import type { OpDraft } from '../op/draft';
import { draftDelete, draftEdit, draftFirst, draftRestore, draftSettle, sealOp, documentStateOf } from '../op/draft';
import type { Op, OpKind } from '../op/op';
import { parseOp } from '../op/op';
import { addToFold, fold, foldOf, foldState, foldSteps } from './fold';

const NODES = 6;
const DOC = 'Survey0000000001';
const FIELDS = ['name', 'visibility', 'camera'];

/** Event: a node writes from its own state, or sends some of its operations to another. */
interface Step {
  readonly act: 'first' | 'edit' | 'edit two' | 'settle' | 'delete' | 'restore' | 'send';
  readonly node: number;
  readonly to: number;
  readonly field: number;
  readonly value: number;
  /** Seed for which operations arrive, and in what order. */
  readonly luck: number;
  /** Error added to `lc`; undefined omits `lc`. */
  readonly astray: number | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(
    'first',
    'edit',
    'edit',
    'edit',
    'edit two',
    'settle',
    'settle',
    'delete',
    'restore',
    'send',
    'send',
    'send',
  ),
  node: fc.nat(NODES - 1),
  to: fc.nat(NODES - 1),
  field: fc.nat(FIELDS.length - 1),
  value: fc.nat(3),
  luck: fc.nat(),
  astray: fc.option(fc.constantFrom(0, 0, 0, 0, 1, 5), { nil: undefined, freq: 12 }),
});

/** Seeded generator for draws inside a step (mulberry32). */
function lots(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Six nodes with one document; each holds its operations in arrival order. */
class Fleet {
  readonly nodes: Op[][] = Array.from({ length: NODES }, () => []);
  readonly all: Op[] = [];
  readonly #counts = Array.from({ length: NODES }, () => 0);

  constructor(readonly kind: OpKind) {}

  do(at: Step): void {
    if (at.act === 'send') return this.send(at.node, at.to, at.luck);
    const draft = this.draft(at);
    if (draft === undefined) return;
    const { lc, ...without } = draft;
    const count = (this.#counts[at.node] ?? 0) + 1;
    this.#counts[at.node] = count;
    const told = at.astray === undefined ? without : { ...without, lc: (lc ?? 1) + at.astray };
    const sha256 = createHash('sha256').update(canonicalJson(draft.body)).digest('hex') as Sha256;
    const op = parseOp(sealOp(told, `Device${'ABCDEF'.charAt(at.node).repeat(10)}-${count}` as OpId, sha256));
    this.nodes[at.node]?.push(op);
    this.all.push(op);
  }

  draft({ act, node, field, value }: Step): OpDraft | undefined {
    const seen = documentStateOf(this.kind, DOC, this.nodes[node] ?? []);
    const facts = { madeAt: `2026-11-20T00:00:${String(this.all.length % 60).padStart(2, '0')}.000Z`, schema: 1 };
    const name = FIELDS[field] ?? 'name';
    const changes: JsonObject =
      act === 'edit two' ? { name: `n${value}`, visibility: value } : { [name]: value === 3 ? null : `v${value}` };
    if (act === 'first') return draftFirst(this.kind, { id: DOC, name: `first ${value}`, isDeleted: false }, facts);
    if (act === 'delete') return draftDelete(seen, facts);
    if (act === 'restore') return draftRestore(seen, facts);
    if (act !== 'settle')
      return draftEdit(seen, this.kind === 'analysis' ? { ...seen.folded.doc, ...changes } : changes, facts);
    const conflict = seen.folded.conflicts[value % Math.max(1, seen.folded.conflicts.length)];
    return (
      conflict &&
      draftSettle(seen, conflict.field, value === 3 && conflict.field !== '*' ? 'a third' : conflict.value, facts)
    );
  }

  /** Loses, duplicates and reorders operations. */
  send(from: number, to: number, luck: number): void {
    const lot = lots(luck);
    const through = (this.nodes[from] ?? []).filter(() => lot() < 0.6).map((op) => ({ op, place: lot() }));
    for (const { op } of through.sort((a, b) => a.place - b.place)) {
      const held = this.nodes[to];
      if (lot() < 0.2 || held?.every(({ opId }) => opId !== op.opId)) held?.push(op);
    }
  }

  /** Delivers every operation to every node, each in its own order. */
  exchange(luck: number): void {
    this.nodes.forEach((held, node) => {
      const lot = lots(luck + node);
      const missing = this.all.filter((op) => !held.includes(op)).map((op) => ({ op, place: lot() }));
      for (const { op } of missing.sort((a, b) => a.place - b.place)) held.push(op);
    });
  }
}

const text = (value: Json | undefined) => canonicalJson(value);

/** Writes of an operation, computed independently of the code under test. */
function writesOf(op: Op): [string, Json][] {
  const { id: _id, ...body } = op.body as { id: string; [field: string]: Json };
  if (op.kind === 'analysis') return [['*', body]];
  return Object.entries(body).filter(([field]) => op.over === undefined || Object.keys(op.over).includes(field));
}

const isNamed = (ops: readonly Op[], field: string, opId: string) =>
  ops.some(({ over }) => over?.[field]?.includes(opId as OpId));

/** Every write is the value, equals the value, is in conflicts, or is named in some `over`. */
function lostWrites(ops: readonly Op[]): string[] {
  const { doc, conflicts } = fold(ops);
  return ops.flatMap((op) =>
    writesOf(op)
      .filter(([field, value]) => {
        const shown = field === '*' ? doc : doc[field];
        const isShown = (field === '*' || Object.hasOwn(doc, field)) && text(shown) === text(value);
        const isConflict = conflicts.some(
          (conflict) => conflict.field === field && conflict.opId === op.opId && text(conflict.value) === text(value),
        );
        return !isShown && !isConflict && !isNamed(ops, field, op.opId);
      })
      .map(([field]) => `${op.opId} ${field}`),
  );
}

/** `deleted` as the protocol page defines it. */
function isDeletedByTheBook(ops: readonly Op[]): boolean {
  const live = ops.flatMap((op) =>
    writesOf(op)
      .filter(([field]) => !isNamed(ops, field, op.opId))
      .map(() => op),
  );
  const { doc } = fold(ops);
  return doc['isDeleted'] === true && live.every((op) => op.body['isDeleted'] === true);
}

describe.each(['survey', 'analysis'] as const)(
  'protocol: the fold of a %s over six nodes, a lossy unordered union',
  (kind) => {
    const journey = fc.tuple(fc.array(step, { minLength: 3, maxLength: 40 }), fc.nat());

    it('protocol: fold: all nodes agree after a full exchange, and no write disappears', () => {
      fc.assert(
        fc.property(journey, ([steps, luck]) => {
          const fleet = new Fleet(kind);
          fleet.do({ act: 'first', node: 0, to: 0, field: 0, value: 0, luck: 0, astray: 0 });
          for (const at of steps) fleet.do(at);
          for (const held of fleet.nodes) expect(lostWrites(held)).toEqual([]);
          fleet.exchange(luck);
          const agreed = fold(fleet.all);
          for (const held of fleet.nodes) expect(fold(held)).toEqual(agreed);
          expect(lostWrites(fleet.all)).toEqual([]);
          expect(agreed.deleted).toBe(isDeletedByTheBook(fleet.all));
        }),
        { numRuns: 400, verbose: 1 },
      );
    });

    it('protocol: fold: operations added one by one, in any order, fold as all of them together', () => {
      fc.assert(
        fc.property(journey, ([steps, luck]) => {
          const fleet = new Fleet(kind);
          for (const at of steps) fleet.do(at);
          fleet.exchange(luck);
          for (const held of fleet.nodes) {
            const once = [...new Map(held.map((op) => [op.opId, op])).values()];
            let state: Parameters<typeof foldOf>[0] = { live: new Map(), awaited: new Map() };
            for (const [n, op] of once.entries()) {
              state = addToFold(state, op);
              expect(foldOf(state)).toEqual(fold(once.slice(0, n + 1)));
            }
          }
        }),
        { numRuns: 60, verbose: 1 },
      );
    });

    it('protocol: fold: a person who sees all conflicts and settles them settles them for all', () => {
      fc.assert(
        fc.property(journey, fc.nat(NODES - 1), ([steps, luck], node) => {
          const fleet = new Fleet(kind);
          for (const at of steps) fleet.do(at);
          fleet.exchange(luck);
          for (let rounds = 0; rounds < 20 && fold(fleet.all).conflicts.length > 0; rounds++) {
            fleet.do({ act: 'settle', node, to: node, field: 0, value: 0, luck, astray: 0 });
          }
          fleet.exchange(luck + 1);
          for (const held of fleet.nodes) expect(fold(held).conflicts).toEqual([]);
          expect(lostWrites(fleet.all)).toEqual([]);
        }),
        { numRuns: 200, verbose: 1 },
      );
    });

    it('protocol: fold: an edit that a delete did not see keeps the document', () => {
      fc.assert(
        fc.property(journey, fc.nat(NODES - 2), fc.nat(2), ([steps, luck], node, field) => {
          const fleet = new Fleet(kind);
          fleet.do({ act: 'first', node: 0, to: 0, field: 0, value: 0, luck: 0, astray: 0 });
          for (const at of steps) fleet.do(at);
          fleet.exchange(luck);
          fleet.do({ act: 'restore', node: 0, to: 0, field: 0, value: 0, luck: 0, astray: 0 });
          fleet.exchange(luck);
          const before = fleet.all.length;
          fleet.do({ act: 'delete', node, to: node, field: 0, value: 0, luck: 0, astray: 0 });
          const last = NODES - 1;
          const seen = documentStateOf(kind, DOC, fleet.nodes[last] ?? []);
          const draft = draftEdit(
            seen,
            { ...seen.folded.doc, [FIELDS[field] ?? 'name']: 'unseen' },
            { madeAt: '2026-11-20T00:01:00.000Z', schema: 1 },
          );
          fc.pre(draft !== undefined && !seen.folded.deleted);
          fleet.do({ act: 'edit', node: last, to: last, field, value: 1, luck: 0, astray: 0 });
          fc.pre(fleet.all.length === before + 2);
          fleet.exchange(luck);
          expect(fold(fleet.all).deleted).toBe(false);
        }),
        { numRuns: 200, verbose: 1 },
      );
    });
  },
);

describe('protocol: the fold in steps', () => {
  const op = (n: number): Op => {
    const points = Array.from({ length: 2000 }, (_, i) => (i === 1999 ? n : i));
    return parseOp(
      sealOp(
        draftFirst('survey', { id: DOC, points }, { madeAt: '2026-11-20T00:00:00.000Z', schema: 1 }),
        `DeviceAAAAAAAAAA-${n}` as OpId,
        'a'.repeat(64) as Sha256,
      ),
    );
  };

  it('compares at most one value beyond 64 Ki characters in a step', () => {
    const steps = [...foldSteps(foldState(Array.from({ length: 40 }, (_, i) => op(i + 1))))];
    expect(steps.length).toBeGreaterThan(5);
    expect(Math.max(...steps)).toBeLessThan(64 * 1024 + 2001 * 8);
  });
});

describe('comparison of values', () => {
  it('protocol: canonical JSON: equal exactly if the texts are', () => {
    const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
    const turned = (from: Json): Json =>
      typeof from !== 'object' || from === null
        ? from
        : Array.isArray(from)
          ? (from as Json[]).map(turned)
          : Object.fromEntries(
              Object.entries(from)
                .reverse()
                .map(([key, member]) => [key, turned(member as Json)]),
            );
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(equalJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(equalJson(a, turned(a))).toBe(true);
        expect(equalJson({ a, b }, { a: b, b: a })).toBe(equalJson(a, b));
        expect(equalJson([a], [a, b])).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
