import { expect, test } from 'vitest';
import { ReefError } from '../../../domain/errors';
import type { ImageId, SurveyId } from '../../../domain/ids';
import type { AddedPhotograph, ImageRepository } from '../../../data/repositories';
import { createAddingQueue } from './adding-queue';
import type { AddingQueue } from './adding-state';

type AddPhotographOptions = Parameters<ImageRepository['addPhotograph']>[3];

const SURVEY = 'survey0000000001' as SurveyId;
const OTHER = 'survey0000000002' as SurveyId;

/** Photographs whose saving the test controls. */
function heldImages() {
  const calls: {
    name: string;
    retakes: string | undefined;
    id: ImageId | undefined;
    settle: (outcome: AddedPhotograph['outcome'] | Error, more?: Partial<AddedPhotograph>) => void;
  }[] = [];
  let ids = 0;
  const take = (
    file: File,
    retakes: string | undefined,
    signal: AbortSignal | undefined,
    given: AddPhotographOptions,
  ) =>
    new Promise<AddedPhotograph>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      const id = `image-of-${file.name}`;
      calls.push({
        name: file.name,
        retakes,
        id: given?.id,
        settle: (outcome, more) =>
          outcome instanceof Error
            ? reject(outcome)
            : resolve({ id, sha256: `sha-of-${file.name}`, outcome, hints: [], ...more } as unknown as AddedPhotograph),
      });
    });
  return {
    calls,
    addPhotograph: (file: File, _surveyId: SurveyId, signal?: AbortSignal, options?: AddPhotographOptions) =>
      take(file, undefined, signal, options),
    newId: () => `new${++ids}` as ImageId,
    addConcurrency: 2,
    retake: (id: ImageId, file: File, signal?: AbortSignal, options?: AddPhotographOptions) =>
      take(file, id, signal, options),
  };
}

/** Queue with notifications and clock of the test. */
function queueOf(images: ReturnType<typeof heldImages>) {
  let now = 0;
  const held = { times: 0, now: 0 };
  const soon: (() => void)[] = [];
  const queue = createAddingQueue(images, {
    elapsed: () => now,
    schedule: (call) => soon.push(call),
    holdPageOpen: () => {
      held.times++;
      held.now++;
      return () => held.now--;
    },
  });
  return { queue, held, soon, tell: () => soon.splice(0).forEach((call) => call()), pass: (ms: number) => (now += ms) };
}

const files = (...names: string[]) => names.map((name) => new File(['x'], name));
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
const read = (queue: AddingQueue, survey = SURVEY) => queue.ofSurvey(survey).get();

test('1§5 a refused file stays in the list with its message, and later files are added', async () => {
  const images = heldImages();
  const { queue, tell } = queueOf(images);
  queue.add(files('a.jpg', 'drawing.jpg', 'c.jpg'), SURVEY);
  images.calls[0]!.settle('saved');
  images.calls[1]!.settle(new ReefError('unsupported-media'));
  await settled();
  images.calls[2]!.settle('known');
  await settled();
  tell();
  expect(read(queue)).toMatchObject({ total: 3, saved: 1, known: 1, refused: 1, reading: 0, waiting: 0 });
  expect(read(queue).items).toMatchObject([
    { name: 'drawing.jpg', state: { status: 'refused', error: { code: 'unsupported-media' } } },
    { name: 'c.jpg', state: { status: 'known', id: 'image-of-c.jpg' } },
  ]);
  expect(read(queue).keys.get('image-of-a.jpg' as ImageId)).toBeLessThan(read(queue).items[0]!.key);
  queue.dismiss(SURVEY);
  expect(read(queue)).toMatchObject({ total: 0, saved: 0, known: 0, refused: 0, items: [] });
});

test('protocol: two photographs are added at a time, in the order given', async () => {
  const images = heldImages();
  const { queue, tell } = queueOf(images);
  queue.add(files('1', '2', '3', '4'), SURVEY);
  expect(images.calls.map(({ name }) => name)).toEqual(['1', '2']);
  images.calls[1]!.settle('saved');
  await settled();
  tell();
  expect(images.calls.map(({ name }) => name)).toEqual(['1', '2', '3']);
  expect(read(queue).items.map(({ name, state }) => `${name} ${state.status}`)).toEqual([
    '1 reading',
    '3 reading',
    '4 waiting',
  ]);
});

test('3§3 image: a file is stored under the id that its row in the queue has', async () => {
  const images = heldImages();
  const { queue, tell } = queueOf(images);
  queue.add(files('1'), SURVEY);
  queue.add(files('2', '3'), SURVEY, { retakeOf: 'old' as ImageId });
  expect(images.calls.map(({ id }) => id)).toEqual(['new1', 'new2']);
  expect(read(queue).items.map(({ id }) => id)).toEqual(['new1', 'new2', 'new3']);
  images.calls[0]!.settle('saved');
  await settled();
  tell();
  expect(images.calls[2]!.id).toBe('new3');
});

test('a file that the browser cannot read is named as not saved', async () => {
  const images = heldImages();
  const { queue, tell } = queueOf(images);
  queue.add(files('card.jpg'), SURVEY);
  images.calls[0]!.settle(new Error('The file is gone'));
  await settled();
  tell();
  const item = read(queue).items[0]!;
  expect(item.state.status === 'refused' && item.state.error.message).toBe(
    'The file could not be read (The file is gone). It is not saved. Add it again.',
  );
});

test('1§7 with progress, pause, resume and cancel: the queue pauses and drops unsaved files', async () => {
  const images = heldImages();
  const { queue, held } = queueOf(images);
  queue.add(files('1', '2', '3', '4'), SURVEY);
  queue.add(files('5'), OTHER);
  queue.pause();
  images.calls[0]!.settle('saved');
  await settled();
  expect(images.calls).toHaveLength(2);
  queue.resume();
  expect(images.calls.map(({ name }) => name)).toEqual(['1', '2', '3']);
  queue.pause();
  queue.stop(SURVEY);
  await settled();
  queue.resume();
  await settled();
  expect(read(queue)).toMatchObject({ saved: 1, stopped: 3, reading: 0, waiting: 0, refused: 0 });
  expect(images.calls.at(-1)!.name).toBe('5');
  expect(held.now).toBe(1);
  images.calls.at(-1)!.settle('saved');
  await settled();
  expect(held).toEqual({ times: 1, now: 0 });
});

test('2,000 files at once are announced in batches, and each costs one step', async () => {
  const images = heldImages();
  const { queue, tell, soon } = queueOf(images);
  let told = 0;
  queue.ofSurvey(SURVEY).subscribe(() => told++);
  queue.add(files(...Array.from({ length: 2000 }, (_, i) => `${i}.jpg`)), SURVEY);
  expect(told).toBe(1);
  for (let i = 0; i < 2000; i++) {
    images.calls[i]!.settle('saved');
    await settled();
    if (i % 100 === 0) tell();
  }
  tell();
  expect(soon).toHaveLength(0);
  expect(told).toBeLessThan(25);
  expect(read(queue)).toMatchObject({ total: 2000, saved: 2000, items: [] });
  expect(images.calls.map(({ name }) => name)).toEqual(Array.from({ length: 2000 }, (_, i) => `${i}.jpg`));
});

test('a retake passes through the queue into the place of the old photograph', async () => {
  const images = heldImages();
  const { queue, tell } = queueOf(images);
  queue.add(files('again.jpg'), SURVEY, { retakeOf: 'old' as ImageId });
  expect(images.calls[0]!.retakes).toBe('old');
  images.calls[0]!.settle('saved', {
    detectedClock: { cameraSaid: '2026-11-20T09:36:18', boxSaid: '2026-11-19T23:40:00Z' },
  });
  await settled();
  tell();
  expect(read(queue).detectedClock).toEqual({
    cameraSaid: '2026-11-20T09:36:18',
    boxSaid: '2026-11-19T23:40:00Z',
    id: 'image-of-again.jpg',
  });
});

test('the state is the same object for every listener until something changes', async () => {
  const images = heldImages();
  const { queue, tell } = queueOf(images);
  queue.add(files('1'), SURVEY);
  const first = read(queue);
  expect(read(queue)).toBe(first);
  images.calls[0]!.settle('saved');
  await settled();
  expect(read(queue), 'not notified yet').toBe(first);
  tell();
  expect(read(queue)).not.toBe(first);
});

test('receipts: a batch learns the result of each file except cancelled ones', async () => {
  const images = heldImages();
  const { queue } = queueOf(images);
  const told: string[] = [];
  let ended = 0;
  const batch = {
    settle: ({ name }: { name: string }, outcome: { status: string }) => void told.push(`${name} ${outcome.status}`),
    end: async () => void ended++,
  };
  queue.add(files('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg'), SURVEY, { batch });
  images.calls[0]!.settle('known');
  images.calls[1]!.settle(new ReefError('unsupported-media'));
  await settled();
  expect([told, ended]).toEqual([['a.jpg taken', 'b.jpg left-out'], 0]);
  images.calls[2]!.settle('saved');
  await settled();
  queue.stop(SURVEY);
  await settled();
  expect([told, ended]).toEqual([['a.jpg taken', 'b.jpg left-out', 'c.jpg taken'], 1]);
});
