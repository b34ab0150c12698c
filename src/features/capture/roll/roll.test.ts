import { placedText, positionsText } from '../camera-clock/TrackPlacement';
import { expect, test } from 'vitest';
import type { PhotographView } from '../../../data/repositories';
import type { ImageId, Sha256 } from '../../../domain/ids';
import type { PhotographHint } from '../../../domain/image/hints';
import type { AddingItem } from '../queue/adding-state';
import { surveyCameras } from '../camera-clock/survey-cameras';
import { rollItemsOf, countHints, createNumbering, moveTarget } from './roll-items';
import { parseTime } from '../camera-clock/ClockDialog';
import { columnCount } from './use-roll-layout';
import { rollKeyAction } from './roll-keys';
import { noRoomText } from '../queue/use-add-files';
import { cardVerdict, rollItemLabel, hintCountText, elsewhereText } from '../capture-text';

const id = (n: number) => `image${n}` as ImageId;
const photograph = (n: number, more: Partial<PhotographView> = {}): PhotographView =>
  ({
    id: id(n),
    name: `P10${n}.JPG`,
    sha256: `${n}` as Sha256,
    hints: [],
    preview: 'here',
    custody: { status: 'tablet' },
    camera: { model: 'TG-6' },
    taken: { camera: null, utc: null },
    position: null,
    ...more,
  }) as unknown as PhotographView;
const known = (key: number, of: number): AddingItem => ({
  key,
  id: id(key),
  name: `dup${key}.jpg`,
  state: { status: 'known', id: id(of), sha256: `${of}` as Sha256 },
});
const refused = (key: number): AddingItem => ({
  key,
  id: id(key),
  name: `bad${key}.jpg`,
  state: {
    status: 'refused',
    error: { code: 'unsupported-media', message: 'This file is a video, not a photograph.', retryable: false },
  },
});
const pending = (key: number, name: string, status: 'reading' | 'waiting'): AddingItem => ({
  key,
  id: id(key),
  name,
  state: { status },
});

const shown = (cells: ReturnType<typeof rollItemsOf>) =>
  cells.map((cell) =>
    cell.kind === 'photograph'
      ? `${cell.number}`
      : cell.kind === 'known'
        ? `same as ${cell.twin?.number ?? 'none'}`
        : `${cell.file.name} ${cell.file.state.status}`,
  );

test('3§3 the roll: duplicates and refused files stay in place, pending ones come last', () => {
  const photographs = [1, 2, 3, 4].map((n) => photograph(n));
  const keys = new Map([
    [id(3), 10],
    [id(4), 13],
  ]);
  const adding: AddingItem[] = [
    known(11, 1),
    refused(12),
    known(14, 9),
    pending(15, 'e.jpg', 'reading'),
    pending(16, 'f.jpg', 'waiting'),
  ];
  expect(shown(rollItemsOf(photographs, adding, keys))).toEqual([
    '1',
    '2',
    '3',
    'same as 1',
    'bad12.jpg refused',
    '4',
    'same as none',
    'e.jpg reading',
    'f.jpg waiting',
  ]);
});

test('3§3 the roll: a listed photograph is not shown as being added, whatever the queue says', () => {
  const adding = [pending(2, 'P101.JPG', 'reading'), pending(3, 'c.jpg', 'reading'), pending(4, 'd.jpg', 'waiting')];
  const photographs = [1, 3, 4].map((n) => photograph(n));
  expect(shown(rollItemsOf(photographs, adding, new Map()))).toEqual(['1', '2', '3', 'P101.JPG reading']);
});

test('3§3 the roll: only changed tiles are redrawn', () => {
  const photographs = [1, 2, 3].map((n) => photograph(n));
  const waiting = pending(15, 'e.jpg', 'waiting');
  const before = rollItemsOf(photographs.slice(0, 2), [waiting], new Map());
  const after = rollItemsOf(photographs, [waiting], new Map());
  expect([after[0] === before[0], after[1] === before[1], after[3] === before[2]]).toEqual([true, true, true]);
  const moved = rollItemsOf(
    [2, 1].flatMap((n) => photographs[n - 1] ?? []),
    [],
    new Map(),
  );
  expect([moved[0] === before[1], shown(moved)]).toEqual([false, ['1', '2']]);
});

test('3§3 the roll: numbers follow the order and are reused when photographs are appended', () => {
  const of = createNumbering();
  const first = of([photograph(1), photograph(2)]);
  const more = of([photograph(1), photograph(2), photograph(3)]);
  expect(more).toBe(first);
  expect([1, 2, 3, 4].map((n) => more(id(n)))).toEqual([1, 2, 3, null]);
  const moved = of([photograph(3), photograph(1), photograph(2)]);
  expect(moved).not.toBe(first);
  expect([1, 2, 3].map((n) => moved(id(n)))).toEqual([2, 3, 1]);
  const fewer = of([photograph(3), photograph(1)]);
  expect(fewer).not.toBe(moved);
  expect([1, 2, 3].map((n) => fewer(id(n)))).toEqual([2, null, 1]);
});

test('3§3 the roll: the hint filter shows flagged photographs with their original numbers', () => {
  const photographs = [
    photograph(1),
    photograph(2, { hints: [{ kind: 'blurred' }] }),
    photograph(3, { hints: [{ kind: 'too-dark' }, { kind: 'near-duplicate', of: id(1) }] }),
  ];
  expect(shown(rollItemsOf(photographs, [known(1, 1)], new Map(), 'hints'))).toEqual(['2', '3']);
  expect(countHints(photographs)).toMatchObject({ photographs: 2, blurred: 1, 'too-dark': 1, 'near-duplicate': 1 });
  expect(hintCountText(countHints(photographs))).toBe('1 is blurred, 1 is too dark, 1 is nearly the same as another.');
});

test('3§3 the roll: a screen reader hears name, state and hint', () => {
  const hints: PhotographHint[] = [{ kind: 'near-duplicate', of: id(1) }];
  const [cell] = rollItemsOf([photograph(2, { hints, preview: 'none' })], [], new Map());
  expect(rollItemLabel(cell!, () => 7)).toBe(
    '1, P102.JPG. saved on this tablet. no preview, the original is saved and safe. Like 7',
  );
  expect(rollItemLabel({ kind: 'adding', key: 'k', file: refused(1) }, () => null)).toBe(
    'bad1.jpg. Left out: This file is a video, not a photograph.',
  );
});

test('3§3 the keyboard moves one or several photographs by one place, never past the ends', () => {
  const cells = rollItemsOf(
    [1, 2, 3, 4].map((n) => photograph(n)),
    [known(1, 1)],
    new Map(),
  );
  expect(moveTarget(cells, [id(2)], -1)).toBe(id(1));
  expect(moveTarget(cells, [id(2)], 1)).toBe(id(4));
  expect(moveTarget(cells, [id(3)], 1)).toBe(null);
  expect(moveTarget(cells, [id(4)], 1)).toBe(undefined);
  expect(moveTarget(cells, [id(1)], -1)).toBe(undefined);
  expect(moveTarget(cells, [id(2), id(3)], 1)).toBe(null);
  expect(moveTarget(cells, [], 1)).toBe(undefined);
});

test('arrow keys stay inside the roll, and Ctrl and letters are left to the browser', () => {
  const place = { index: 6, columns: 5, count: 12, pageRows: 2 };
  const key = (name: string, more: Partial<Record<'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {}) =>
    rollKeyAction({ key: name, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more }, place);
  expect(key('ArrowDown')).toEqual({ kind: 'go', to: 11, extends: false });
  expect(key('ArrowUp', { shiftKey: true })).toEqual({ kind: 'go', to: 1, extends: true });
  expect(key('PageDown')).toEqual({ kind: 'go', to: 11, extends: false });
  expect(key('End')).toEqual({ kind: 'go', to: 11, extends: false });
  expect(key('ArrowLeft', { altKey: true })).toEqual({ kind: 'move', by: -1 });
  expect([key('x'), key('c', { ctrlKey: true })]).toEqual([null, null]);
  expect(
    rollKeyAction(
      { key: 'Enter', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false },
      { ...place, count: 0 },
    ),
  ).toBe(null);
});

test('tiles per row: 5 on a tablet, 4 on deck, 3 on a phone, 7 on a desktop', () => {
  expect([
    columnCount(707, false),
    columnCount(718, true),
    columnCount(358, false),
    columnCount(968, false),
    columnCount(358, true),
  ]).toEqual([5, 4, 3, 7, 2]);
});

test('3§3 image: a clock jump is found by the camera’s numbering in any order of the roll', () => {
  const at = (n: number, said: string) => photograph(n, { name: `P10${n}.JPG`, taken: { camera: said, utc: null } });
  const steady = [at(3, '2026-11-20T09:02:00'), at(1, '2026-11-20T09:00:00'), at(2, '2026-11-20T09:01:00')];
  expect(surveyCameras(steady, [])[0]).toMatchObject({
    name: 'TG-6',
    photographs: 3,
    clock: null,
    jumps: [],
    knowsZone: false,
  });
  const jumping = [at(1, '2026-11-20T09:00:00'), at(2, '2016-01-01T00:00:10'), at(3, '2016-01-01T00:01:10')];
  expect(surveyCameras(jumping, [])[0]!.jumps).toMatchObject([{ from: 1, to: 2 }]);
  expect(surveyCameras([photograph(1)], [])).toEqual([]);
});

test('3§3 image: several cameras have a clock each', () => {
  const of = (n: number, model: string) =>
    photograph(n, { camera: { model }, taken: { camera: '2026-11-20T09:00:00', utc: '2026-11-19T23:03:42.000Z' } });
  const cameras = surveyCameras(
    [of(1, 'A'), of(2, 'B'), of(3, 'B')],
    [{ camera: 'B', offsetMs: 1, how: 'qr', at: '' }],
  );
  expect(cameras.map(({ name, photographs, clock }) => [name, photographs, clock?.how ?? null])).toEqual([
    ['B', 2, 'qr'],
    ['A', 1, null],
  ]);
});

test('a typed time is read in camera notation', () => {
  expect(['09:36:18', '9.36.18', '093618', '9:36', '24:00:00', '9:61', 'noon'].map(parseTime)).toEqual([
    '09:36:18',
    '09:36:18',
    '09:36:18',
    '09:36:00',
    null,
    null,
    null,
  ]);
});

test('a photograph of which no picture is here says where it is: ashore, on the box, or on another tablet', () => {
  const stored = { node: 'n', storedAt: '2026-11-20T09:40:00.000Z' };
  expect(elsewhereText({ status: 'shore', ...stored, aboard: false })).toBe('Ashore, no picture here');
  expect(elsewhereText({ status: 'box', ...stored })).toBe('On the box, no picture here');
  expect(elsewhereText({ status: 'tablet', lostBy: 'Reef Box' })).toBe('Missing from the box');
  expect(elsewhereText({ status: 'tablet' })).toBe('On another tablet');
});

test('positions speak of the track only where the box has GPS, and offer the position of the dive', () => {
  const bare = { without: 4, unset: 0, timeless: 0, hasDive: false, hasGps: false };
  expect(positionsText(bare)).toBe('Enter the position of the dive under “Place, camera and more” to use it for all.');
  expect(positionsText({ ...bare, hasDive: true })).toBe('The dive has a position.');
  expect(positionsText({ ...bare, timeless: 4 })).not.toContain('track');
  expect(positionsText({ ...bare, hasGps: true, timeless: 4, hasDive: true })).toBe(
    'Their files have no time, so the vessel’s track cannot place them. The dive has a position.',
  );
});

test('a track that was not read leaves hope for the photographs without a position', () => {
  const result = { placed: 1, without: 2 };
  expect(placedText(result, 'track')).toBe(
    '1 photograph placed where the vessel was; for 2, the track has no position at the time they were taken.',
  );
  expect(placedText({ ...result, isTrackUnread: true }, 'track')).toBe(
    '1 photograph placed where the vessel was; for 2, the box’s track could not be read. Try again once the box is connected.',
  );
});

test('the summary begins with what is safe and never calls wiping safe', () => {
  const counts = {
    total: 205,
    tablet: 205,
    box: 0,
    shore: 0,
    receipted: 0,
    onItsWay: 0,
    alone: 205,
    missing: 0,
    edits: 0,
  };
  expect(cardVerdict(counts, { reading: 0, waiting: 0, isPaused: false })).toEqual([
    'Keep the card in the camera bag.',
    '205 are on this tablet only. Do not wipe it yet.',
  ]);
  expect(cardVerdict(counts, { reading: 2, waiting: 3, isPaused: true })[1]).toBe(
    '5 photographs still to be read, paused. 205 are on this tablet only.',
  );
  // One message at a time: adding the card again, not keeping it in the bag.
  expect(cardVerdict(counts, { reading: 0, waiting: 0, isPaused: false }, 2)).toEqual([
    '2 photographs of the card were not read: add the same card again.',
    '205 are on this tablet only. Do not wipe it yet.',
  ]);
  expect(
    cardVerdict({ ...counts, alone: 0, box: 205, receipted: 205 }, { reading: 0, waiting: 0, isPaused: false }).join(
      ' ',
    ),
  ).not.toMatch(/wipe/);
  const said = (of: Partial<typeof counts>) =>
    cardVerdict({ ...counts, alone: 0, ...of }, { reading: 0, waiting: 0, isPaused: false });
  expect(said({ box: 203, receipted: 203, missing: 2 })).toEqual([
    'Keep the camera card.',
    '2 photographs are missing from the box. Add them again from the card.',
  ]);
  expect(said({ box: 205, receipted: 205 })).toEqual([
    'All of this survey is on the box.',
    'Each photograph has its receipt.',
  ]);
  expect(said({ box: 205, shore: 5, receipted: 205 })).toEqual([
    'All of this survey is on the box.',
    'Each photograph has its receipt; 5 are ashore too.',
  ]);
  expect(said({ box: 205, shore: 205, receipted: 205, edits: 2 })).toEqual([
    'All of this survey is ashore.',
    'Each photograph has its receipt. 2 changes are still to be sent.',
  ]);
  expect(said({ box: 205, shore: 205, receipted: 205 })).toEqual([
    'All of this survey is ashore.',
    'Each photograph has its receipt.',
  ]);
  expect(said({ tablet: 200, box: 200, receipted: 200 })[0]).toBe('Nothing here is only on this tablet.');
});

test('3§3 a batch that does not fit is reported with plain figures', () => {
  expect(noRoomText(500, 2_100_000_000, 1_300_000_000)).toBe(
    'These 500 photographs need 2.1 GB, and this tablet has 1.3 GB free. None of them was added. Everything saved before is safe. Keep the card, and free up space on this tablet, or add fewer at a time.',
  );
  expect(noRoomText(1, 3_000_000, 0)).toContain('next to nothing');
});
