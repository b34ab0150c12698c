import { expect, test } from 'vitest';
import { ReefError } from '../../domain/errors';
import type { SurveyId } from '../../domain/ids';
import type { Added } from '../../data/repositories';
import { makeAddingQueue } from './adding';

const SURVEY = 'survey0000000001' as SurveyId;

/** Photographs whose saving is decided by the test. */
function heldImages() {
  const calls: { name: string; settle: (outcome: Added['outcome'] | Error) => void }[] = [];
  return {
    calls,
    addPhotograph: (file: File) =>
      new Promise<Added>((resolve, reject) => {
        calls.push({ name: file.name, settle: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve({ id: 'i', sha256: 's', outcome } as unknown as Added)) });
      }),
  };
}

const files = (...names: string[]) => names.map((name) => new File(['x'], name));
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

test('1§5 a refused file stays in the list with its words, and the ones behind it are still added', async () => {
  const images = heldImages();
  const queue = makeAddingQueue(images);
  queue.add(files('a.jpg', 'drawing.jpg', 'c.jpg'), SURVEY);
  images.calls[0]!.settle('saved');
  images.calls[1]!.settle(new ReefError('unsupported-media'));
  await settled();
  images.calls[2]!.settle('known');
  await settled();
  expect(queue.get().items).toMatchObject([{ name: 'drawing.jpg', state: { status: 'refused', error: { code: 'unsupported-media' } } }]);
  expect(queue.get().done.get(SURVEY)).toEqual({ saved: 1, known: 1 });
  queue.dismiss(SURVEY);
  expect(queue.get().items).toEqual([]);
});

test('protocol: two photographs at a time, in the order given', async () => {
  const images = heldImages();
  const queue = makeAddingQueue(images);
  queue.add(files('1', '2', '3', '4'), SURVEY);
  expect(images.calls.map(({ name }) => name)).toEqual(['1', '2']);
  images.calls[1]!.settle('saved');
  await settled();
  expect(images.calls.map(({ name }) => name)).toEqual(['1', '2', '3']);
  expect(queue.get().items.map(({ state }) => state.status)).toEqual(['reading', 'reading', 'waiting']);
});

test('a file that the browser cannot read any more is named as not saved', async () => {
  const images = heldImages();
  const queue = makeAddingQueue(images);
  queue.add(files('card.jpg'), SURVEY);
  images.calls[0]!.settle(new Error('The file is gone'));
  await settled();
  const item = queue.get().items[0]!;
  expect(item.state.status === 'refused' && item.state.error.message).toBe('It could not be read (The file is gone). It is not saved. Add it again.');
});
