import { expect, test } from 'vitest';
import type { StrokeJournal } from '../../../data/repositories';
import { categoryClass } from '../../../domain/analysis/free-draw/categories';
import type { FreeDrawMark } from '../../../domain/analysis/free-draw/marks';
import { JournalQueue, type JournalQueueState } from './journal-queue';

const mark = (since: number): FreeDrawMark => ({ kind: 'zap', since, paints: categoryClass('background_water')! });

function scene() {
  const done: string[] = [];
  const told: JournalQueueState[] = [];
  const timers: { run: () => void; ms: number }[] = [];
  const world = { fails: false };
  const say = async (what: string): Promise<void> => {
    await Promise.resolve();
    if (world.fails) throw new Error('full');
    done.push(what);
  };
  const journal: StrokeJournal = { apply: (edit) => say(edit.kind === 'add' ? `add ${edit.mark.since}` : edit.kind) };
  const queue = new JournalQueue({
    journal,
    schedule: (run, ms) => {
      const timer = { run, ms };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    onChange: (state) => void told.push(state),
  });
  return { queue, done, told, timers, world };
}

test('2§4 free-draw: actions are journalled in order', async () => {
  const { queue, done } = scene();
  queue.apply({ kind: 'add', mark: mark(1) });
  queue.apply({ kind: 'undo' });
  queue.apply({ kind: 'redo' });
  queue.apply({ kind: 'clear' });
  queue.apply({ kind: 'add', mark: mark(2) });
  await queue.flush();
  expect(done).toEqual(['add 1', 'undo', 'redo', 'clear', 'add 2']);
  expect(queue.state).toEqual({ pending: 0, failed: null });
});

test('2§4 free-draw: a stroke that failed to save waits with its successors and is retried', async () => {
  const { queue, done, timers, world, told } = scene();
  world.fails = true;
  queue.apply({ kind: 'add', mark: mark(1) });
  queue.apply({ kind: 'add', mark: mark(2) });
  await expect(queue.flush()).rejects.toThrow('full');
  expect(queue.state).toMatchObject({ pending: 2, failed: { message: 'full' } });
  expect(told.at(-1)).toMatchObject({ pending: 2 });
  queue.apply({ kind: 'undo' });
  expect(timers).toHaveLength(1);
  world.fails = false;
  timers.splice(0)[0]!.run();
  await queue.flush();
  expect(done).toEqual(['add 1', 'add 2', 'undo']);
  expect(queue.state).toEqual({ pending: 0, failed: null });
});

test('2§4 free-draw: retries slow down, and a flush retries at once', async () => {
  const { queue, timers, world, done } = scene();
  world.fails = true;
  queue.apply({ kind: 'add', mark: mark(1) });
  const waits: number[] = [];
  for (let i = 0; i < 7; i++) {
    await expect.poll(() => timers.length).toBe(1);
    const timer = timers.splice(0)[0]!;
    waits.push(timer.ms);
    timer.run();
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  await expect.poll(() => timers.length).toBe(1);
  world.fails = false;
  await queue.flush();
  expect(timers).toHaveLength(0);
  expect(done).toEqual(['add 1']);
});
