import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import vectors from '../../../tests/fixtures/protocol-v1.json';
import { canonicalJson } from '../canonical';
import type { OpId, PersonId, Sha256 } from '../ids';
import type { JsonObject } from '../json';
import { project } from '../fold/project';
import type { OpDraft } from './draft';
import {
  draftDelete,
  draftEdit,
  draftFirst,
  draftRestore,
  draftSettle,
  overFor,
  sealOp,
  documentStateOf,
  settleOver,
} from './draft';
import type { Op } from './op';
import { parseOp } from './op';

const [A, B] = ['DeviceAAAAAAAAAA', 'DeviceBBBBBBBBBB'];
const SURVEY = 'Survey0000000001';
const at = (second: number) => ({ madeAt: `2026-11-20T00:00:0${second}.000Z`, schema: 1 });

function seal(draft: OpDraft | undefined, opId: string): Op {
  if (draft === undefined) throw new Error('nothing was drafted');
  const sha256 = createHash('sha256').update(canonicalJson(draft.body)).digest('hex') as Sha256;
  return parseOp(JSON.parse(JSON.stringify(sealOp(draft, opId as OpId, sha256))));
}

const first = seal(
  draftFirst(
    'survey',
    { id: SURVEY, name: 'Moore Reef', visibility: 12, isDeleted: false },
    { ...at(1), by: 'Person0000000001' as PersonId },
  ),
  `${A}-1`,
);
const see = (...ops: Op[]) => documentStateOf('survey', SURVEY, ops);
const edit = (ops: Op[], changes: JsonObject, opId: string, second = 2) =>
  seal(draftEdit(see(...ops), changes, at(second)), opId);

describe('protocol: the writes that an operation replaces', () => {
  it('protocol: a first operation sets all fields and replaces none', () => {
    expect(first).toMatchObject({ v: 1, docId: SURVEY, lc: 1, by: 'Person0000000001' });
    expect(first.over).toBeUndefined();
  });

  it('protocol: an edit names only the changed fields and replaces the writes that were seen', () => {
    const op = edit([first], { name: 'Moore Reef north', visibility: 12 }, `${A}-2`);
    expect(op.over).toEqual({ name: [`${A}-1`] });
    expect(op.lc).toBe(2);
    expect(op.body).toEqual({ id: SURVEY, name: 'Moore Reef north', visibility: 12, isDeleted: false });
  });

  it('protocol: an edit that changes nothing writes nothing', () => {
    expect(draftEdit(see(first), { name: 'Moore Reef' }, at(2))).toBeUndefined();
    expect(draftEdit(see(first), { priority: 5, createdAt: 'x' }, at(2))).toBeUndefined();
  });

  it('protocol: an edit replaces every live write that equals the value shown, and no other', () => {
    const [same, alike] = [edit([first], { name: 'North' }, `${A}-2`), edit([first], { name: 'North' }, `${B}-1`)];
    const other = edit([first], { name: 'Another' }, `${A}-3`);
    const seen = see(first, same, alike, other);
    expect(seen.folded.doc['name']).toBe('North');
    expect(overFor('survey', seen.folded, { name: 'New' })).toEqual({ name: [`${A}-2`, `${B}-1`] });
    expect(
      see(first, same, alike, other, edit([first, same, alike, other], { name: 'New' }, `${A}-4`)).folded.conflicts,
    ).toEqual([{ field: 'name', opId: `${A}-3`, value: 'Another' }]);
  });

  it('protocol: settling replaces all live writes of the field, conflicts included', () => {
    const [mine, theirs] = [edit([first], { name: 'a' }, `${A}-2`), edit([first], { name: 'b' }, `${B}-1`)];
    const seen = see(first, mine, theirs);
    expect(settleOver(seen.folded, 'name')).toEqual({ name: [`${A}-2`, `${B}-1`] });
    const after = see(first, mine, theirs, seal(draftSettle(seen, 'name', 'a', at(3)), `${A}-3`));
    expect(after.folded).toMatchObject({ conflicts: [], doc: { name: 'a' } });
  });

  it('protocol: a field that was never written is set without replacing anything', () => {
    expect(edit([first], { camera: 'TG-6' }, `${A}-2`).over).toEqual({ camera: [] });
  });

  it('protocol: server-owned fields are neither compared nor written', () => {
    const op = edit([first], { meta: { images: { total: 3 }, note: 'x' } }, `${A}-2`);
    expect(op.body['meta']).toEqual({ note: 'x' });
    expect(draftEdit(see(first, op), { meta: { images: { total: 4 }, note: 'x' } }, at(3))).toBeUndefined();
  });

  it('protocol: an analysis is written whole', () => {
    const whole = seal(draftFirst('analysis', { id: 'Analysis00000001', version: 2.4 }, at(1)), `${A}-1`);
    const seen = documentStateOf('analysis', 'Analysis00000001', [whole]);
    expect(draftEdit(seen, { version: 2.4 }, at(2))).toBeUndefined();
    const op = seal(draftEdit(seen, { version: 2.1 }, at(2)), `${A}-2`);
    expect(op.over).toEqual({ '*': [`${A}-1`] });
    expect(documentStateOf('analysis', 'Analysis00000001', [whole, op]).folded.doc).toEqual({
      version: 2.1,
      isDeleted: false,
    });
    const gone = seal(draftDelete(documentStateOf('analysis', 'Analysis00000001', [whole, op]), at(3)), `${A}-3`);
    expect(gone.body).toMatchObject({ version: 2.1, isDeleted: true });
    expect(documentStateOf('analysis', 'Analysis00000001', [whole, op, gone]).folded.deleted).toBe(true);
    const back = seal(
      draftRestore(documentStateOf('analysis', 'Analysis00000001', [whole, op, gone]), at(4)),
      `${A}-4`,
    );
    expect(documentStateOf('analysis', 'Analysis00000001', [whole, op, gone, back]).folded).toMatchObject({
      deleted: false,
      conflicts: [],
      doc: { version: 2.1 },
    });
  });
});

describe('1§4 soft deletion', () => {
  const gone = seal(draftDelete(see(first), at(5)), `${B}-1`);

  it('1§4 a delete replaces every field it saw and sets isDeleted and deletedAt', () => {
    expect(gone.body).toEqual({
      id: SURVEY,
      name: 'Moore Reef',
      visibility: 12,
      isDeleted: true,
      deletedAt: '2026-11-20T00:00:05.000Z',
    });
    expect(gone.over).toEqual({ name: [`${A}-1`], visibility: [`${A}-1`], isDeleted: [`${A}-1`], deletedAt: [] });
    expect(see(first, gone).folded.deleted).toBe(true);
  });

  it('1§4 a document with an open conflict can be deleted, since the delete saw both values', () => {
    const open = [first, edit([first], { name: 'a' }, `${A}-2`), edit([first], { name: 'b' }, `${B}-2`)];
    expect(see(...open, seal(draftDelete(see(...open), at(5)), `${A}-3`)).folded).toMatchObject({
      deleted: true,
      conflicts: [],
    });
  });

  it('protocol: an edit that the delete did not see keeps the document', () => {
    const unseen = edit([first], { name: 'North' }, `${A}-2`);
    const kept = [first, gone, unseen];
    expect(see(...kept).folded).toMatchObject({ deleted: false, conflicts: [{ field: 'name' }] });
    const settled = seal(draftSettle(see(...kept), 'name', 'North', at(6)), `${A}-3`);
    expect(settled.body['isDeleted']).toBe(false);
    expect(see(...kept, settled).folded).toMatchObject({ deleted: false, doc: { name: 'North' } });
  });

  describe('a deletion that two people see differently', () => {
    const unseen = seal(draftDelete(see(first), at(4)), `${A}-2`);
    const restored = seal(draftRestore(see(first, gone), at(6)), `${B}-2`);
    const renamed = edit([first], { name: 'North' }, `${A}-3`, 3);
    const open = [first, gone, unseen, restored, renamed];

    it('protocol: settled as deleted, the document is deleted', () => {
      expect(see(...open).folded.conflicts.map(({ field }) => field)).toEqual(['deletedAt', 'isDeleted', 'name']);
      const settled = see(...open, seal(draftSettle(see(...open), 'isDeleted', true, at(7)), `${A}-4`)).folded;
      expect(settled).toMatchObject({
        deleted: true,
        conflicts: [],
        doc: { isDeleted: true, deletedAt: at(7).madeAt },
      });
    });

    it('protocol: settled as not deleted, it stays with its other conflicts, and no time of deletion', () => {
      const op = seal(draftSettle(see(...open), 'isDeleted', false, at(7)), `${A}-4`);
      expect(Object.keys(op.over ?? {}).sort()).toEqual(['deletedAt', 'isDeleted']);
      const settled = see(...open, op).folded;
      expect(settled).toMatchObject({ deleted: false, doc: { isDeleted: false, deletedAt: null } });
      expect(settled.conflicts.map(({ field }) => field)).toEqual(['name']);
    });
  });

  it('protocol: a restore undoes the delete and leaves conflicts for a person', () => {
    expect(see(first, gone, seal(draftRestore(see(first, gone), at(6)), `${A}-2`)).folded).toMatchObject({
      deleted: false,
      conflicts: [],
      doc: { isDeleted: false, deletedAt: null },
    });
    const kept = [first, gone, edit([first], { name: 'North' }, `${A}-2`)];
    const restored = see(...kept, seal(draftRestore(see(...kept), at(6)), `${A}-3`)).folded;
    expect(restored.deleted).toBe(false);
    expect(restored.conflicts.map(({ field }) => field)).toEqual(['name']);
    expect(restored.doc['isDeleted']).toBe(false);
  });

  it.each(vectors.fold.filter(({ name }) => name === 'deleted' || name === 'restored'))(
    'protocol vectors: the drafts of "$name" match the vector',
    ({ name, ops }) => {
      const held = ops as unknown as Op[];
      const last = held.at(-1)!;
      const seen = documentStateOf('survey', last.docId, held.slice(0, -1));
      const draft =
        name === 'deleted'
          ? draftDelete(seen, { madeAt: last.body['deletedAt'] as string, schema: 1 })
          : draftRestore(seen, { madeAt: last.madeAt, schema: 1 });
      expect(draft.over).toEqual(last.over);
      expect(draft.body).toEqual(last.body);
      expect(draft.lc).toBe(last.lc);
    },
  );
});

describe('protocol: the projection', () => {
  it('protocol: adds id, times (least and greatest madeAt), isDeleted and server fields', () => {
    const late = edit([first], { name: 'North' }, `${A}-2`, 7);
    const projected = project('survey', SURVEY, [late, first], {
      priority: 3,
      meta: { images: { total: 2 } },
      name: 'not owned',
    });
    expect(projected?.doc).toEqual({
      id: SURVEY,
      name: 'North',
      visibility: 12,
      isDeleted: false,
      createdAt: first.madeAt,
      updatedAt: late.madeAt,
      priority: 3,
      meta: { images: { total: 2 } },
    });
    expect(projected?.lc).toBe(2);
  });

  it('protocol: isDeleted follows from the whole document, not from the field', () => {
    const lone = {
      ...first,
      opId: `${A}-2` as OpId,
      lc: 5,
      over: { isDeleted: [`${A}-1` as OpId] },
      body: { ...first.body, isDeleted: true },
    };
    expect(project('survey', SURVEY, [first, lone])?.doc['isDeleted']).toBe(false);
  });

  it('protocol: an analysis has updated, a profile uid; without operations there is no document', () => {
    const analysis = seal(
      draftFirst('analysis', { id: 'Analysis00000001', version: 2.4, updated: 'theirs' }, at(1)),
      `${A}-1`,
    );
    expect(project('analysis', 'Analysis00000001', [analysis])?.doc).toEqual({
      id: 'Analysis00000001',
      version: 2.4,
      createdAt: analysis.madeAt,
      updated: analysis.madeAt,
      isDeleted: false,
    });
    const profile = seal(
      draftFirst('profile', { uid: 'Person0000000001', email: 'a@example.org', admin: true }, at(1)),
      `${A}-2`,
    );
    expect(project('profile', 'Person0000000001', [profile], { admin: false })?.doc).toMatchObject({
      uid: 'Person0000000001',
      admin: false,
    });
    expect(project('survey', SURVEY, [])).toBeUndefined();
  });
});
