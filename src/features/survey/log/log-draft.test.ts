import { expect, test } from 'vitest';
import { ReefError } from '../../../domain/errors';
import type { SurveyId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import type { Region } from '../../../domain/region/region';
import { REGION_LIST } from '../../../domain/region/regions';
import { withStaffChanges } from '../../../domain/region/staff-regions';
import type { LogEdits } from '../../../domain/survey/log';
import { readEdits } from '../../../domain/survey/log-edits';
import { LogDraft } from './log-draft';

const ID = 'survey0000000001' as SurveyId;

/** Store of one document that counts operations, a journal and a manual clock. */
function stage(kept: LogEdits = {}) {
  const scene = {
    doc: {
      id: ID,
      name: 'Milln',
      date: '2026-11-19',
      loc: { id: 'named:milln', regionId: 'gbr', name: 'Milln' },
    } as JsonObject,
    ops: [] as JsonObject[],
    kept: JSON.stringify(kept),
    regions: REGION_LIST as readonly Region[],
    due: undefined as (() => void) | undefined,
    fail: undefined as ReefError | undefined,
    hold: undefined as Promise<void> | undefined,
  };
  const draft = new LogDraft(ID, scene.doc, {
    surveys: {
      edit: async (_id, changes) => {
        await scene.hold;
        if (scene.fail !== undefined) throw scene.fail;
        const made = typeof changes === 'function' ? changes(scene.doc) : changes;
        if (Object.keys(made).length > 0) scene.ops.push(made);
        scene.doc = { ...scene.doc, ...made };
      },
    },
    journal: { read: () => readEdits(scene.kept), write: (_id, edits) => (scene.kept = JSON.stringify(edits)) },
    today: () => '2026-11-20',
    regions: () => scene.regions,
    setTimer: (_ms, call) => {
      scene.due = call;
      return () => (scene.due = undefined);
    },
  });
  return { scene, draft };
}

test('1§6 a region that staff opened is saved, and one that they closed is not', async () => {
  const { scene, draft } = stage();
  draft.enter({ regionId: 'palmyra' });
  await draft.flush();
  expect([scene.ops, draft.get().faults.regionId]).toEqual([[], 'Palmyra Atoll is not open for surveys now.']);
  scene.regions = withStaffChanges(REGION_LIST, [{ id: 'palmyra', isSurveyOpen: true }]);
  draft.recheck();
  scene.due?.();
  await draft.flush();
  expect(scene.ops).toMatchObject([{ loc: { regionId: 'palmyra' } }]);
  scene.regions = withStaffChanges(REGION_LIST, [{ id: 'redsea', isSurveyOpen: false }]);
  draft.enter({ regionId: 'redsea' });
  await draft.flush();
  expect([scene.ops.length, draft.get().faults.regionId]).toEqual([1, 'Red Sea is not open for surveys now.']);
});

test('typed letters become one operation and are journalled from the first letter on', async () => {
  const { scene, draft } = stage();
  for (const camera of ['T', 'TG', 'TG-6']) draft.enter({ camera });
  expect(readEdits(scene.kept)).toEqual({ camera: 'TG-6' });
  expect([scene.ops, draft.get().state.status, draft.get().values.camera]).toEqual([[], 'saving', 'TG-6']);
  scene.due?.();
  await draft.flush();
  expect([scene.ops, readEdits(scene.kept), draft.get().state.status]).toEqual([[{ camera: 'TG-6' }], {}, 'saved']);
  expect(draft.get().values.camera, 'shown until the document shows it').toBe('TG-6');
});

test('3§5 a future date stays visible with its error, the rest is saved, and so is a correction', async () => {
  const { scene, draft } = stage();
  draft.enter({ date: '2027-11-20', duration: 45 });
  await draft.flush();
  expect(scene.ops).toEqual([{ duration: 45 }]);
  expect(draft.get().faults.date).toContain('This date is in the future');
  expect([draft.get().entered.date, draft.get().values.date, draft.get().state.status]).toEqual([
    '2027-11-20',
    '2026-11-19',
    'saved',
  ]);
  draft.enter({ date: '2026-11-18' });
  await draft.flush();
  expect([scene.ops.at(-1), draft.get().faults, readEdits(scene.kept)]).toEqual([{ date: '2026-11-18' }, {}, {}]);
});

test('entries of a killed tab are saved once when the log is opened again', async () => {
  const { scene, draft } = stage({ camera: 'TG-6', date: '2019-01-01', answers: { coral: '10 to 30%' } });
  expect(scene.due).toBeDefined();
  await draft.flush();
  expect(scene.ops).toEqual([{ camera: 'TG-6', experience: { coral: ['10 to 30%'] } }]);
  expect([draft.get().faults.date === undefined, readEdits(scene.kept)]).toEqual([false, { date: '2019-01-01' }]);
});

test('edits during a write are both stored in the end', async () => {
  const { scene, draft } = stage();
  let open = (): void => undefined;
  scene.hold = new Promise((resolve) => (open = resolve));
  draft.enter({ camera: 'TG-5', answers: { coral: 'Under 10%' } });
  const first = draft.flush();
  await Promise.resolve();
  draft.enter({ camera: 'TG-6', answers: { water: 'Clear' } });
  open();
  await first;
  expect(draft.get().values.camera).toBe('TG-6');
  await draft.flush();
  expect(scene.doc).toMatchObject({ camera: 'TG-6', experience: { coral: ['Under 10%'], water: ['Clear'] } });
  expect(scene.ops).toHaveLength(2);
});

test('1§8 a full disk loses no entry, and the log is saved once there is room', async () => {
  const { scene, draft } = stage();
  scene.fail = new ReefError('storage-full');
  draft.enter({ camera: 'TG-6' });
  await draft.flush();
  expect([draft.get().state.status, draft.get().values.camera, readEdits(scene.kept)]).toEqual([
    'failed',
    'TG-6',
    { camera: 'TG-6' },
  ]);
  scene.fail = undefined;
  await draft.flush();
  expect([scene.ops, draft.get().state.status]).toEqual([[{ camera: 'TG-6' }], 'saved']);
});

test('a foreign journal is ignored', () => {
  expect([null, '', 'x', '3', '{"date":3}', '{"regionId":"atlantis"}'].map(readEdits)).toEqual([
    {},
    {},
    {},
    {},
    {},
    {},
  ]);
});
