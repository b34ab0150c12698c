import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../fold/fold';
import type { OpId, Sha256 } from '../ids';
import { isReissueOf, reissuedOp } from './reissued-op';
import type { Op, OpKind } from './op';
import { parseOp } from './op';

const DEVICE = 'Tablet0000000001';
const opId = (n: number, device = DEVICE): OpId => `${device}-${n}` as OpId;
const sha256 = (i: number): Sha256 => String(i).padStart(64, '0') as Sha256;

function op(
  n: number,
  {
    kind = 'survey',
    docId = 'Survey0000000001',
    over,
    i = n,
    ...body
  }: { kind?: OpKind; docId?: string; over?: Op['over']; i?: number; [field: string]: unknown },
): Op {
  return {
    v: 1,
    opId: opId(n),
    kind,
    docId,
    lc: n,
    ...(over === undefined ? {} : { over }),
    madeAt: `2026-11-20T00:00:00.${String(i).padStart(3, '0')}Z`,
    schema: 1,
    body: { id: docId, ...body } as Op['body'],
    sha256: sha256(i),
  };
}

/** Visible state of a document: values, conflicts by value, deletion. */
const seen = (ops: readonly Op[]) => {
  const { doc, deleted, conflicts } = fold(ops);
  return { doc, deleted, conflicts: conflicts.map(({ field, value }) => [field, value]) };
};

const value = fc.constantFrom('a', 'b', null);
const write = fc.record({
  name: value,
  camera: value,
  fields: fc.constantFrom(undefined, ['name'], ['camera'], ['name', 'camera']),
  isOver: fc.boolean(),
});

describe('protocol: one write path — one op id used for two writes', () => {
  it('two reissued ops fold the same, whichever of them a node has under the old id', () => {
    fc.assert(
      fc.property(write, write, fc.boolean(), (one, two, isSameDocument) => {
        const first = op(1, { name: 'a', camera: 'a' });
        const over = ({ fields, isOver }: typeof one): Op['over'] =>
          fields === undefined
            ? undefined
            : Object.fromEntries(fields.map((field) => [field, isOver ? [first.opId] : []]));
        const earlier = op(2, { name: one.name, camera: one.camera, over: over(one), i: 2 });
        const later = op(2, {
          name: two.name,
          camera: two.camera,
          over: over(two),
          i: 3,
          ...(isSameDocument ? {} : { docId: 'Survey0000000002' }),
        });
        const again = [
          reissuedOp(earlier, opId(1, 'Tablet0000000002'), new Map()),
          reissuedOp(later, opId(2, 'Tablet0000000002'), new Map()),
        ];
        for (const docId of ['Survey0000000001', 'Survey0000000002']) {
          const of = (ops: readonly Op[]): Op[] => ops.filter((each) => each.docId === docId);
          const wanted = seen(of([first, ...again]));
          expect(seen(of([first, earlier, ...again]))).toEqual(wanted);
          expect(seen(of([first, later, ...again]))).toEqual(wanted);
        }
        again.forEach((each) => parseOp(each));
      }),
    );
  });

  it('a reissued op alone folds as before, and ops that replace it also name its new id', () => {
    const first = op(1, { name: 'a' });
    const edit = op(2, { name: 'b', over: { name: [first.opId] } });
    const renamed = new Map([
      [first.opId, opId(1, 'Tablet0000000002')],
      [edit.opId, opId(2, 'Tablet0000000002')],
    ]);
    const again = [first, edit].map((each) => reissuedOp(each, renamed.get(each.opId) ?? each.opId, renamed));
    expect(seen(again)).toEqual(seen([first, edit]));
    expect(seen([first, edit, ...again])).toEqual(seen([first, edit]));
    expect(again[1]?.over).toEqual({ name: [opId(1, 'Tablet0000000002'), edit.opId] });
  });

  it('an analysis is one field, and another write of the same document is not a reissue', () => {
    const analysis = op(3, { kind: 'analysis', docId: 'Analysis00000001', areas: 3 });
    const again = reissuedOp(analysis, opId(1, 'Tablet0000000002'), new Map());
    expect(again.over).toEqual({ '*': [analysis.opId] });
    expect(isReissueOf(again, analysis)).toBe(true);
    expect(isReissueOf({ ...again, sha256: sha256(9) }, analysis)).toBe(false);
    expect(isReissueOf({ ...again, madeAt: '2026-11-20T00:00:00.009Z' }, analysis)).toBe(false);
    expect(isReissueOf({ ...again, over: { '*': [] } }, analysis)).toBe(false);
    expect(isReissueOf(analysis, analysis)).toBe(false);
  });
});
