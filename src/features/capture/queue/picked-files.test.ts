import { expect, test } from 'vitest';
import { readDroppedFiles, leftOutText, sortByName, sortFolder, type DroppedItem } from './picked-files';

const file = (name: string, content = 'x', type = '') => new File([content], name, { type });
const item = (given: File): DroppedItem => ({ kind: 'file', getFile: () => Promise.resolve(given) });
const folder = (...entries: DroppedItem[]): DroppedItem => ({
  kind: 'directory',
  getEntries: async function* () {
    yield* entries;
  },
});

test('3§3 image: files are added in the order of their names, as people count', () => {
  const given = ['IMG_10.jpg', 'IMG_9.jpg', 'img_1.JPG', 'A2.jpg'].map((name) => new File(['x'], name));
  expect(sortByName(given).map(({ name }) => name)).toEqual(['A2.jpg', 'img_1.JPG', 'IMG_9.jpg', 'IMG_10.jpg']);
});

test('of a mixed folder photographs are added, and other files counted by reason', () => {
  const { photographs, leftOut } = sortFolder([
    file('A.JPG'),
    file('b.heic'),
    file('c.dng'),
    file('D.ORF'),
    file('clip.MP4'),
    file('clip2.mov'),
    file('notes.txt'),
    file('.DS_Store'),
    file('._A.JPG'),
    file('shot', 'x', 'image/jpeg'),
    file('map.svg', 'x', 'image/svg+xml'),
  ]);
  expect(photographs.map(({ name }) => name)).toEqual(['A.JPG', 'b.heic', 'c.dng', 'D.ORF', 'shot']);
  expect(leftOut.map(({ name, why }) => `${name}: ${why}`)).toEqual([
    'clip.MP4: a video',
    'clip2.mov: a video',
    'notes.txt: not a photograph',
    '.DS_Store: a system file',
    '._A.JPG: a system file',
    'map.svg: not a photograph',
  ]);
  expect(leftOutText(leftOut)).toBe('2 system files, 2 videos, 2 other files');
});

test('dropped folders are read to the end, and loose files stay as they are', async () => {
  const { photographs, leftOut } = await readDroppedFiles([
    item(file('loose.txt')),
    folder(item(file('1.jpg')), folder(item(file('2.jpg')), item(file('film.mov')))),
    { kind: 'text' },
  ]);
  expect(photographs.map(({ name }) => name)).toEqual(['loose.txt', '1.jpg', '2.jpg']);
  expect(leftOut).toEqual([{ name: 'film.mov', why: 'a video' }]);
});

test('an unreadable dropped file is named, and the others are added', async () => {
  const gone = { kind: 'file' as const, name: 'gone.jpg', getFile: () => Promise.reject(new Error('not there')) };
  const { photographs, leftOut } = await readDroppedFiles([gone, item(file('1.jpg'))]);
  expect(photographs.map(({ name }) => name)).toEqual(['1.jpg']);
  expect(leftOut).toEqual([{ name: 'gone.jpg', why: 'could not be opened (not there)' }]);
});
