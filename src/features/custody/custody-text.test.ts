import { describe, expect, test } from 'vitest';
import type { PhotographStatus, SurveyCustody } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import type { ImageId, SurveyId } from '../../domain/ids';
import { WAFFLE_CELL } from '../../ui/feedback/waffle-layout';
import {
  waffleCell,
  totalsText,
  lightsAt,
  lostByBoxText,
  missingText,
  placeText,
  formatTime,
  totalsOf,
  shortVerdictTitle,
  verdictTitle,
  waffleText,
} from './custody-text';

const NOW = new Date(2026, 10, 21, 12, 0);
const at = (...[h, m]: [number, number]) => new Date(2026, 10, 21, h, m).toISOString();
const one: PhotographStatus = {
  id: 'image0000001' as ImageId,
  number: 1,
  sha256: '',
  place: 'tablet',
  isOnTablet: true,
  isFreed: false,
  to: 'box',
  fraction: null,
  box: null,
  shore: null,
  lostBy: null,
  reason: null,
  isEditOwed: false,
};
const boxed: PhotographStatus = { ...one, place: 'box', box: { name: 'Reef Box', storedAt: at(10, 31) } };
const survey = (change: Partial<SurveyCustody>): SurveyCustody => ({
  surveyId: 's' as SurveyId,
  name: '',
  date: '',
  createdAt: '',
  isOfOthers: false,
  total: 0,
  tablet: 0,
  box: 0,
  shore: 0,
  twice: 0,
  alone: 0,
  held: 0,
  editsOwed: 0,
  elsewhere: 0,
  lostByBox: 0,
  missing: 0,
  lost: 0,
  aloneBytes: 0,
  onItsWay: 0,
  ...change,
});

describe('1§8 texts of where the photographs are', () => {
  test('one sentence gives the facts and never leaves out what is lost', () => {
    expect(totalsText(totalsOf([survey({ total: 1000, twice: 900 }), survey({ total: 124, twice: 66 })]))).toBe(
      '1,124 photographs. 966 are in two places. None is lost.',
    );
    expect(totalsText(totalsOf([survey({ total: 3, twice: 1, lost: 1, elsewhere: 1 })]))).toBe(
      '3 photographs. 1 is in two places. 1 is on other tablets. 1 is damaged on this tablet: keep the card.',
    );
    expect(totalsText(totalsOf([]))).toContain('No photographs yet');
  });

  test('each sentence names the holder, since when, and what happens next', () => {
    expect(placeText(boxed, NOW)).toBe('on Reef Box since 10:31, with receipt.');
    expect(placeText({ ...boxed, isOnTablet: false, isEditOwed: true }, NOW)).toBe(
      'on Reef Box since 10:31, with receipt; not on this tablet. A later change to its record is still to send.',
    );
    expect(placeText({ ...one, place: 'on-its-way', fraction: 0.629 }, NOW)).toBe('on its way, 62%');
    expect(placeText({ ...one, reason: new ReefError('timeout').toWire() }, NOW)).toBe(
      'saved on this tablet only. The box did not answer in time. Retrying automatically. It is sent again automatically.',
    );
    expect(placeText({ ...one, place: 'held', reason: new ReefError('image-exists').toWire() }, NOW)).toContain(
      'It is safe on this tablet',
    );
  });

  test('what the box lost is shown with what is safe and what to do', () => {
    const lost = (change: Partial<SurveyCustody>) => lostByBoxText(totalsOf([survey(change)]));
    expect(lost({ lostByBox: 1 })).toEqual({
      title: '1 photograph damaged or missing on the box',
      detail: 'It is still safe on this tablet, and is sent again automatically. Keep every camera card until then.',
    });
    expect(lost({ lostByBox: 3, missing: 1 })).toEqual({
      title: '3 photographs damaged or missing on the box',
      detail:
        'This tablet sends those that it still has again automatically. 1 is neither on this tablet nor ashore: open the app on the tablet that took it, or add it again from the camera card. Keep every camera card until then.',
    });
    expect(lost({ lostByBox: 2, lost: 1 }).detail).not.toContain('safe');
    expect(totalsText(totalsOf([survey({ total: 3, twice: 1, missing: 2 })]))).toBe(
      '3 photographs. 1 is in two places. 2 are missing from the box: keep the card.',
    );
    expect(placeText({ ...one, lostBy: 'Reef Box' }, NOW)).toBe(
      'saved on this tablet only. The copy on Reef Box is damaged or missing. It is sent again automatically.',
    );
    const missing: PhotographStatus = { ...one, isOnTablet: false, place: 'missing', lostBy: 'Reef Box' };
    expect(placeText(missing, NOW)).toBe(
      'missing: the copy on Reef Box is damaged or gone, and this tablet has none. Open the app on the tablet that took it, or add it again from its camera card.',
    );
    expect([waffleText([missing]), waffleCell(missing)]).toEqual(['1 missing from the box', WAFFLE_CELL.look]);
    expect(lightsAt(missing)).toEqual({ tablet: 'off', box: 'off', shore: 'off' });
  });

  test('times are short for today, this week and earlier', () => {
    expect(formatTime(at(9, 5), NOW)).toBe('09:05');
    expect(formatTime(new Date(2026, 10, 19, 15, 22).toISOString(), NOW)).toBe('Thu 15:22');
    expect(formatTime(new Date(2026, 9, 2, 15, 22).toISOString(), NOW)).toBe('2 Oct 15:22');
    expect(formatTime('never', NOW)).toBe('an unknown time');
  });

  test('the waffle’s text counts every state, and what is on hold is marked', () => {
    expect(waffleText([boxed, boxed, one, { ...one, place: 'held' }])).toBe(
      '2 on the box, 1 on hold, 1 on this tablet only',
    );
    expect(
      [boxed, one, { ...one, place: 'held' as const }, { ...one, place: 'on-its-way' as const }].map(waffleCell),
    ).toEqual([WAFFLE_CELL.safe, WAFFLE_CELL.here, WAFFLE_CELL.look, WAFFLE_CELL.going]);
  });

  test('protocol: receipts light the box, and local bytes light the tablet', () => {
    expect(lightsAt(boxed)).toEqual({ tablet: 'on', box: 'on', shore: 'off' });
    expect(lightsAt({ ...one, isOnTablet: false, place: 'elsewhere' })).toEqual({
      tablet: 'off',
      box: 'off',
      shore: 'off',
    });
  });

  test('an earlier verdict stays with its time and the name of who was asked', () => {
    const last = { at: NOW.toISOString(), boxName: 'Reef Box' };
    const title = `Safe as of ${formatTime(last.at, NOW)}, asked of Reef Box`;
    for (const kind of ['check-now', 'check-later'] as const) {
      expect(verdictTitle({ kind, total: 2, last }, 'box', NOW)).toBe(title);
      expect(shortVerdictTitle({ kind, total: 2, last }, 'box', 'Moore Reef', NOW)).toBe(`${title}: Moore Reef`);
    }
  });

  test('only one verdict says safe to wipe', () => {
    expect(verdictTitle({ kind: 'safe', total: 1, at: '', boxName: '', onTablet: 1 }, 'box', NOW)).toBe(
      'Safe to wipe this card',
    );
    for (const verdict of [
      { kind: 'keep', total: 1, onBox: 0, blockers: [] },
      { kind: 'check-now', total: 1, last: null },
      { kind: 'check-later', total: 1, last: null },
      { kind: 'nothing' },
    ] as const)
      expect(verdictTitle(verdict, 'box', NOW)).toContain('Do not wipe');
    expect(missingText({ kind: 'no-receipt', count: 158 })).toEqual({
      title: '158 photographs without a receipt from the box',
      detail: 'They have only one copy besides the card.',
    });
    expect(missingText({ kind: 'ashore-alone', count: 2 })).toEqual({
      title: '2 photographs ashore, not on this box',
      detail:
        'The shore has given a receipt for each. Keep the card until this box has them too, or until the shore confirms again, away from this box.',
    });
  });
});
