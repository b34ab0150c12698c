import { Emitter } from '../../../base/emitter';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATEGORY_CLASSES, categoryClass } from '../../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import type { MarkEdit } from '../../../domain/analysis/mark-log';
import { freeDrawBody, NO_PRESERVED_TRACES, readFreeDraw } from '../../../domain/analysis/free-draw/record';
import { statsOf } from '../../../domain/analysis/free-draw/stats';
import type { AnalysisId, ImageId, PersonId, SurveyId } from '../../../domain/ids';
import type { JsonObject } from '../../../domain/json';
import type { Position } from '../../../domain/geobuf/geojson';
import { createTracingEngine } from '../../../workers/tracing/tracing-engine';
import type { TracingSnapshot, TracingSession } from '../../../workers/tracing/tracing.api';
import { savedWork } from './cover';
import { TraceEditor } from './trace-editor';

const branching = categoryClass('reef_hardcoral_branching')!;
const soft = categoryClass('reef_softcoral')!;
const focus = categoryClass('flag_focus')!;
const RULE = { width: 200, height: 100, penWidth: 10 };

/** Editor over the real engine, without a canvas; `kept` is what the journal would hold. */
async function scene(marks: readonly FreeDrawMark[] = [], undone: readonly FreeDrawMark[] = []) {
  const engine = createTracingEngine({ resize: () => undefined, put: () => undefined });
  const kept: MarkEdit<FreeDrawMark>[] = [];
  const said: string[] = [];
  const failed: unknown[] = [];
  const changed = new Emitter();
  const world: { standing: TracingSnapshot | null; now: number; breaks: boolean } = {
    standing: null,
    now: 1000,
    breaks: false,
  };
  const done = (standing: TracingSnapshot): Promise<TracingSnapshot> => {
    if (world.breaks) return Promise.reject(new Error('broken'));
    world.standing = standing;
    changed.emit();
    return Promise.resolve(standing);
  };
  const session = {
    get snapshot() {
      return world.standing;
    },
    subscribe: changed.subscribe,
    begin: (
      setting: Parameters<TracingSession['begin']>[0],
      first: Parameters<TracingSession['begin']>[1],
      second: Parameters<TracingSession['begin']>[2],
    ) => done(engine.begin(setting, first, second)),
    draw: (points: Float64Array, label: number) => void done(engine.draw(points, label)),
    discardStroke: () => done(engine.discardStroke()),
    apply: (edit: Parameters<TracingSession['apply']>[0]) => done(engine.apply(edit)),
  } as unknown as TracingSession;
  const easel = new TraceEditor({
    session,
    journalQueue: { apply: (edit) => void kept.push(edit) },
    marks,
    undone,
    now: () => world.now,
    showMessage: (words) => void said.push(words),
    onFailed: (error) => void failed.push(error),
  });
  await easel.begin(RULE, [], 0.6);
  const covered = (): number => RULE.width * RULE.height - (world.standing?.counts[0] ?? 0);
  return { easel, kept, said, failed, world, covered };
}

const line = (y: number, count = 8): Position[] =>
  Array.from({ length: count }, (_, i) => [0.1 + (0.8 * i) / (count - 1), y + (i % 2) * 0.05]);

test('2§4 free-draw: strokes, undo and redo are journalled in order', async () => {
  const { easel, kept, covered } = await scene();
  easel.paintWith(branching);
  easel.host.draw(Float64Array.from(line(0.4).flat()));
  const live = covered();
  expect(live).toBeGreaterThan(0);
  easel.host.finish({ kind: 'stroke', points: line(0.4) });
  const one = covered();
  easel.apply({ kind: 'undo' });
  expect(covered()).toBe(0);
  easel.apply({ kind: 'undo' });
  easel.apply({ kind: 'redo' });
  expect(covered()).toBe(one);
  expect(kept.map(({ kind }) => kind)).toEqual(['add', 'undo', 'redo']);
  expect(kept[0]).toMatchObject({ mark: { kind: 'stroke', since: 1000, paints: branching } });
  expect(easel.state).toMatchObject({ marks: 1, canUndo: true, canRedo: false });
});

test('2§4, 2§9 "minimum 4 points for a trace": a shorter one is discarded and reported', async () => {
  const { easel, kept, said, covered } = await scene();
  easel.paintWith(branching);
  easel.host.draw(Float64Array.of(0.5, 0.5));
  easel.host.finish({ kind: 'stroke', points: [[0.5, 0.5]] });
  expect([covered(), said.length]).toEqual([0, 0]);
  easel.host.finish({ kind: 'stroke', points: line(0.5, 3) });
  expect([covered(), kept.length, said.length]).toEqual([0, 0, 1]);
});

test('2§4 a flag covers the strokes until it is undone', async () => {
  const { easel, kept, covered } = await scene();
  easel.paintWith(soft);
  easel.host.finish({ kind: 'stroke', points: line(0.5) });
  const one = covered();
  easel.fill(focus);
  expect(covered()).toBe(RULE.width * RULE.height);
  await expect.poll(() => easel.cover.flag).toBe(focus);
  easel.apply({ kind: 'undo' });
  expect(covered()).toBe(one);
  await expect.poll(() => easel.cover.flag).toBeNull();
  expect(kept.map(({ kind }) => kind)).toEqual(['add', 'add', 'undo']);
});

test('2§2 earlier marks are restored, undone ones can be redone, and times increase', async () => {
  const before: FreeDrawMark = { kind: 'stroke', since: 5000, paints: soft, points: line(0.2) };
  const { easel, kept, covered, world } = await scene(
    [before],
    [{ kind: 'stroke', since: 6000, paints: soft, points: line(0.7) }],
  );
  const one = covered();
  expect(one).toBeGreaterThan(0);
  easel.apply({ kind: 'redo' });
  expect(covered()).toBeGreaterThan(one);
  world.now = 10;
  easel.paintWith('erase');
  easel.host.finish({ kind: 'stroke', points: line(0.2) });
  expect(kept.at(-1)).toMatchObject({ mark: { since: 6001, paints: 'erase' } });
});

test('2§4 nothing is painted without picture or tool, and a broken engine is reported', async () => {
  const { easel, kept, failed, world, covered } = await scene();
  easel.host.draw(Float64Array.from(line(0.4).flat()));
  easel.host.finish({ kind: 'stroke', points: line(0.4) });
  expect([covered(), kept.length]).toEqual([0, 0]);
  easel.paintWith(branching);
  world.breaks = true;
  easel.host.finish({ kind: 'stroke', points: line(0.4) });
  await expect.poll(() => failed.length).toBe(1);
  // The stroke is journalled anyway: the next engine shows it.
  expect(kept).toHaveLength(1);
});

test('edits during a save reach the record or the journal', async () => {
  const { easel, kept, world } = await scene();
  easel.paintWith(branching);
  for (const y of [0.2, 0.5]) easel.host.finish({ kind: 'stroke', points: line(y) });
  const holding = easel.lock();
  easel.host.finish({ kind: 'stroke', points: line(0.8) });
  easel.apply({ kind: 'undo' });
  easel.apply({ kind: 'clear' });
  const { marks, counts } = await holding;
  expect([marks.length, easel.marks.length, kept.length, easel.state.canUndo]).toEqual([2, 2, 2, false]);
  expect(counts).toEqual(world.standing?.counts);
  easel.unlock();
  easel.apply({ kind: 'undo' });
  expect([marks.length, easel.marks.length, kept.length]).toEqual([2, 1, 3]);
});

test('2§3 cover is a pure function of the record, live or reloaded', async () => {
  const place = fc.tuple(
    fc.double({ min: -0.2, max: 1.2, noNaN: true }),
    fc.double({ min: -0.2, max: 1.2, noNaN: true }),
  );
  const within = fc.tuple(
    fc.integer({ min: 0, max: 1e5 }).map((n) => n / 1e5),
    fc.integer({ min: 0, max: 1e5 }).map((n) => n / 1e5),
  );
  const ring = fc.array(within, { minLength: 3, maxLength: 6 }).map((corners) => [...corners, corners[0]!]);
  const flag = categoryClass('flag_close')!;
  const act = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        paints: fc.constantFrom(branching, soft, 'erase' as const),
        made: fc.oneof(
          fc.record({ kind: fc.constant('stroke' as const), points: fc.array(place, { minLength: 4, maxLength: 12 }) }),
          fc.record({ kind: fc.constant('polygon' as const), rings: fc.array(ring, { minLength: 1, maxLength: 2 }) }),
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(categoryClass('background_water')!, flag, focus).map((fill) => ({ fill })),
    },
    { weight: 3, arbitrary: fc.constantFrom('undo' as const, 'redo' as const, 'live' as const, 'back' as const) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 25 }),
      fc.constantFrom(1 as const, 3 as const),
      async (acts, version) => {
        const { easel, world } = await scene();
        for (const one of acts) {
          if (one === 'undo' || one === 'redo') easel.apply({ kind: one });
          else if (one === 'live') easel.host.draw(Float64Array.from(line(0.3).flat()));
          else if (one === 'back') world.now -= 40_000_000_000;
          else if ('fill' in one) easel.fill(one.fill);
          else {
            easel.paintWith(one.paints);
            easel.host.finish(one.made);
          }
        }
        const { marks: all, counts } = await easel.lock();
        const { marks, stats } = savedWork(all, counts);
        const body = freeDrawBody({
          id: 'Analysis00000001' as AnalysisId,
          version,
          savedAt: '2026-11-20T00:00:00.000Z',
          author: {
            uid: 'Ana0000000000001' as PersonId,
            name: { first: 'Ana', last: '' },
            isExpert: false,
            isVerified: false,
          },
          image: { id: 'Image00000000001' as ImageId, path: null, user: null },
          survey: { id: 'Survey0000000001' as SurveyId, name: '', regionId: null },
          marks,
          width: 200,
          height: 100,
          stats,
          preview: null,
          previous: null,
          preserved: NO_PRESERVED_TRACES,
        });
        const read = readFreeDraw(JSON.parse(JSON.stringify(body)) as JsonObject);
        if (read.kind !== 'free-draw') throw new Error(read.kind);
        const again = await scene(read.marks);
        expect(statsOf(again.world.standing!.counts, CATEGORY_CLASSES)).toEqual(stats);
        if (!all.some(({ paints }) => paints === flag || paints === focus))
          expect(again.world.standing!.counts).toEqual(counts);
        easel.close();
        again.easel.close();
      },
    ),
    { numRuns: 300 },
  );
});
