import { afterEach, expect, test, vi } from 'vitest';
import { beginReading, type ShownVersion } from './read-first-picture';
import { textKeyOf } from './stored-painting';

const URL = '/cdn/map/gbr/first.json';
const [OLD, NEW] = ['{"n":1}', '{"n":2}'];

afterEach(() => vi.unstubAllGlobals());

/** Reads with a stored painting of a text; what was shown, and how often the image was closed. */
async function read(painted: string, stored: string, served: string | null) {
  const close = vi.fn();
  const facts = encodeURIComponent(JSON.stringify({ text: textKeyOf(painted) }));
  vi.stubGlobal('askedFirstPicture', {
    url: URL,
    painting: Promise.resolve({ facts, image: { close } }),
    stored: Promise.resolve(stored),
    served: new Promise((resolve) => setTimeout(() => resolve(served), 20)),
  });
  const shown: [unknown, ShownVersion['isPainted']][] = [];
  await beginReading(
    URL,
    (json, { isPainted }) => shown.push([json, isPainted]),
    () => true,
  );
  return { shown, closed: close.mock.calls.length };
}

test('a stored painting stands for the text that it was painted of, and for no other', async () => {
  expect((await read(OLD, OLD, null)).shown).toEqual([[{ n: 1 }, true]]);
  // Stored beside another text: as by a page that the app had taken over before that text came.
  expect((await read(OLD, NEW, null)).shown).toEqual([[{ n: 2 }, false]]);
  expect((await read(OLD, OLD, NEW)).shown).toEqual([
    [{ n: 1 }, true],
    [{ n: 2 }, false],
  ]);
  expect((await read(OLD, NEW, OLD)).shown).toEqual([
    [{ n: 2 }, false],
    [{ n: 1 }, false],
  ]);
});

test('the image of a painting is closed once it is drawn', async () => {
  expect((await read(OLD, OLD, null)).closed).toBe(1);
});
