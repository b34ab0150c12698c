import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../canonical';
import type { JsonObject } from '../json';
import { REPORT_LIMITS } from '../limits/reporting';
import type { Reef } from '../reef/reef';
import { askedQuestions, DONT_KNOW, EXPERIENCE_QUESTIONS, experienceAnswers, withAnswers } from './experience';
import { bandOf, changesOf, checkEdits, logOf, namedPlaceId, type LogEdits } from './log';
import { enteredDateFault } from './rules';
import { EXPERIENCE_KEYS } from './survey';

const TODAY = '2026-11-20';
const MOORE: Reef = {
  id: '16071100104',
  gid: '16-071',
  name: 'Moore Reef',
  kind: 'Reef',
  position: { latitude: -16.874, longitude: 146.213 },
};
const DOC: JsonObject = {
  id: 'survey0000000001',
  name: 'Milln',
  date: TODAY,
  loc: { id: 'named:milln', regionId: 'gbr', name: 'Milln', from: 'a newer app' },
  type: 'scuba',
};
const after = (doc: JsonObject, edits: LogEdits): JsonObject => ({ ...doc, ...changesOf(doc, edits) });

describe('3§5 the date of a survey', () => {
  it.each([
    ['2026-11-20', undefined],
    ['2020-09-01', undefined],
    ['2020-08-31', 'too-early'],
    ['0202-11-20', 'too-early'],
    ['2026-11-21', 'future'],
    ['2026-02-30', 'invalid'],
    ['', 'invalid'],
  ])('%s: %s', (date, fault) => {
    expect(enteredDateFault(date, TODAY)).toBe(fault);
  });

  it('every day from the census’s first to today is valid, and no other', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2015-01-01'), max: new Date('2035-01-01'), noInvalidDate: true }),
        (time) => {
          const day = time.toISOString().slice(0, 10);
          expect(enteredDateFault(day, TODAY) === undefined).toBe(day >= '2020-09-01' && day <= TODAY);
        },
      ),
    );
  });
});

describe('3§3 the log of a survey', () => {
  it('invalid fields do not block valid ones', () => {
    const { valid, faults } = checkEdits(
      {
        date: '2027-11-20',
        duration: 45,
        visibility: 900,
        point: '95, 10',
        regionId: 'palmyra',
        type: 'snorkel',
        reef: { text: ' ', picked: null },
        timeIn: '25:00',
      },
      TODAY,
    );
    expect(valid).toEqual({ duration: 45, type: 'snorkel' });
    expect(faults).toEqual({
      date: 'This date is in the future: this tablet’s clock says Fri 20 Nov 2026.',
      visibility: 'Enter metres from 0 to 100.',
      point: expect.stringContaining('from 90 S to 90 N') as string,
      regionId: 'Palmyra Atoll is not open for surveys now.',
      reef: 'Enter a reef, a site or a mooring.',
      timeIn: expect.stringContaining('09:40') as string,
    });
  });

  it('3§9 the time-of-day band follows the time until a person picks another', () => {
    const morning = after(DOC, { timeIn: '09:40' });
    expect([morning['timeofday'], after(morning, { timeIn: '12:00' })['timeofday']]).toEqual([
      'late morning',
      'early afternoon',
    ]);
    const chosen = after(morning, { timeofday: 'early morning' });
    expect(after(chosen, { timeIn: '15:10' })['timeofday']).toBe('early morning');
    expect([bandOf('00:00'), bandOf('23:59'), bandOf('24:00'), bandOf(null)]).toEqual([
      'early morning',
      'late afternoon',
      undefined,
      undefined,
    ]);
  });

  it('a reef of the table has its feature’s id and number, and a typed reef its text', () => {
    const picked = after(DOC, { reef: { text: 'Moore Reef 16-071', picked: MOORE } });
    expect(picked['loc']).toEqual({
      id: '16071100104',
      regionId: 'gbr',
      name: 'Moore Reef',
      gid: '16-071',
      _geoloc: { latitude: -16.874, longitude: 146.213 },
      from: 'a newer app',
    });
    expect(picked['name']).toBe('Moore Reef 16-071');
    expect(logOf(picked).reef).toBe('Moore Reef 16-071');
    const named = after(picked, { reef: { text: '  the   big mooring ', picked: null } });
    expect(named['loc']).toEqual({
      id: 'named:the big mooring',
      regionId: 'gbr',
      name: 'the big mooring',
      from: 'a newer app',
    });
    expect(namedPlaceId(' The big  Mooring')).toBe('named:the big mooring');
  });

  it('a nameless reef is shown by number, and a survey keeps a name of its own', () => {
    const doc = after(
      { ...DOC, name: 'Training dive' },
      { reef: { text: 'Reef 10-330', picked: { ...MOORE, id: '1', gid: '10-330', name: '' } } },
    );
    expect([logOf(doc).reef, doc['name']]).toEqual(['Reef 10-330', 'Training dive']);
  });

  it('another region keeps the reef’s name as text and drops its position', () => {
    const doc = after(after(DOC, { reef: { text: 'Moore Reef 16-071', picked: MOORE } }), { regionId: 'hawaii' });
    expect(doc['loc']).toEqual({
      id: 'named:moore reef 16-071',
      regionId: 'hawaii',
      name: 'Moore Reef 16-071',
      from: 'a newer app',
    });
    expect(doc['name']).toBe('Moore Reef 16-071');
  });

  it('a point is stored in degrees, needs confirmation and can be removed alone', () => {
    const placed = after(DOC, { point: '16 52.46 S 146 12.78 E', siteType: 'Front reef' });
    expect(logOf(placed)).toMatchObject({ siteType: 'Front reef', isPointConfirmed: false });
    const confirmed = after(placed, { isPointConfirmed: true });
    expect([logOf(confirmed).isPointConfirmed, logOf(after(confirmed, { point: '0, 0' })).isPointConfirmed]).toEqual([
      true,
      false,
    ]);
    expect(after(confirmed, { point: '' })['site']).toEqual({ type: 'Front reef' });
  });

  it('equal or empty values on both sides are not a change', () => {
    expect(changesOf(DOC, { camera: '', siteName: ' ', duration: null, answers: {} })).toEqual({});
  });

  it('any edits read back as entered, retain other fields and are idempotent', () => {
    const answers = fc.dictionary(fc.constantFrom(...EXPERIENCE_KEYS), fc.constantFrom('', DONT_KNOW, 'Plenty'));
    const edits: fc.Arbitrary<LogEdits> = fc.record(
      {
        date: fc.constantFrom('2026-11-19', '2027-01-01', ''),
        timeIn: fc.constantFrom('09:40', '9:40', null),
        type: fc.constantFrom('scuba' as const, 'snorkel' as const),
        duration: fc.option(fc.integer({ min: -5, max: 2000 })),
        visibility: fc.option(fc.double({ min: -1, max: 200, noNaN: true })),
        camera: fc.string(),
        siteName: fc.string(),
        point: fc.constantFrom('', '-16.5, 146', '95, 0', 'there'),
        reef: fc.record({ text: fc.string(), picked: fc.constantFrom(null, MOORE) }),
        regionId: fc.constantFrom('gbr' as const, 'palmyra' as const, 'redsea' as const),
        answers,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(edits, (entered) => {
        const { valid, faults } = checkEdits(entered, TODAY);
        expect(Object.keys({ ...valid, ...faults }).sort()).toEqual(Object.keys(entered).sort());
        const doc = after(DOC, valid);
        const log = logOf(doc);
        if (valid.duration !== undefined) expect(log.duration).toBe(valid.duration);
        if (valid.type !== undefined) expect(log.type).toBe(valid.type);
        if (valid.date !== undefined) expect(log.date).toBe(valid.date);
        if (valid.regionId !== undefined) expect(log.regionId).toBe(valid.regionId);
        expect((doc['loc'] as JsonObject)['from']).toBe('a newer app');
        expect(canonicalJson(after(doc, valid))).toBe(canonicalJson(doc));
        expect(() => canonicalJson(doc)).not.toThrow();
      }),
    );
  });
});

describe('3§3 the survey experience', () => {
  it('every specified key has a question with distinct answers', () => {
    expect(EXPERIENCE_QUESTIONS.map(({ key }) => key)).toEqual([...EXPERIENCE_KEYS]);
    for (const { answers } of EXPERIENCE_QUESTIONS) expect(new Set(answers).size).toBe(answers?.length ?? 0);
  });

  it('3§9 answers on coral cover are the bands of the results', () => {
    const { answers = [] } = EXPERIENCE_QUESTIONS.find(({ key }) => key === 'coral') ?? {};
    const upTo = answers.map((text) => (text.startsWith('Over') ? Infinity : Number(/(\d+)%$/.exec(text)?.[1])));
    expect(upTo).toEqual(REPORT_LIMITS.coralCoverBands.map(({ until }) => until));
  });

  it('an answer is the first item of its list, and later items and unknown keys stay', () => {
    const before = { coral: ['Under 10%', 'note'], ours: ['x'] };
    expect(withAnswers(before, { coral: '10 to 30%', water: DONT_KNOW })).toEqual({
      coral: ['10 to 30%', 'note'],
      water: [DONT_KNOW],
      ours: ['x'],
    });
    expect(withAnswers(before, { coral: '' })).toEqual({ ours: ['x'] });
    expect(experienceAnswers({ coral: ['10 to 30%', 'note'], water: [], colour: [3], overall: 'x' })).toEqual({
      coral: '10 to 30%',
      colour: '3',
    });
    expect(experienceAnswers('none')).toEqual({});
  });

  it('the look of bleached coral is asked only if some was seen', () => {
    expect(
      [
        {},
        { coralBleaching: 'None' },
        { coralBleaching: DONT_KNOW },
        { coralBleaching: 'Some, 10 to 30%' },
        { coralBleaching: 'None', coralBleachingType: 'Pale' },
      ].map((answers) => askedQuestions(answers).length),
    ).toEqual([8, 8, 8, 9, 9]);
  });
});
