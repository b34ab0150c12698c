import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReefError } from '../errors';
import type { CardFacts, CardOriginal } from './wipe-verdict';
import { CHECK_COUNTS_MS, originalsKey, verdictUrgency, wipeVerdict } from './wipe-verdict';

const BOX = { nodeId: 'box000000001', storeEpoch: 'life00000001' };
const held = new ReefError('receipt-mismatch').toWire();

function original(i: number, change: Partial<CardOriginal> = {}): CardOriginal {
  return {
    id: `image${i}`,
    sha256: `${i}`.padStart(64, '0'),
    receiptNode: BOX.nodeId,
    ashore: false,
    isLostByBox: false,
    held: null,
    isOnTablet: true,
    ...change,
  };
}

function facts(originals: readonly CardOriginal[], change: Partial<CardFacts> = {}): CardFacts {
  return {
    originals,
    reading: 0,
    unread: 0,
    leftOut: [],
    box: BOX,
    check: {
      ...BOX,
      boxName: 'Reef Box',
      of: originalsKey(originals),
      count: originals.length,
      missing: [],
      at: '2026-11-21T03:00:00.000Z',
      elapsed: 1000,
    },
    elapsed: 2000,
    wiped: false,
    ...change,
  };
}

const three = [original(1), original(2), original(3)];

describe('receipts: a camera card is safe only if every original is on the box, checked just now', () => {
  test('a card is safe if all conditions hold, with the box and the time of the check', () => {
    expect(wipeVerdict(facts(three))).toEqual({
      kind: 'safe',
      total: 3,
      at: '2026-11-21T03:00:00.000Z',
      boxName: 'Reef Box',
      onTablet: 3,
    });
  });

  test.each<[string, Partial<CardFacts>, readonly CardOriginal[], string]>([
    ['a tab still reads', { reading: 1 }, three, 'keep'],
    ['a tab was killed in the middle of the card', { unread: 2 }, three, 'keep'],
    ['a refused file was not dismissed', { leftOut: [{ name: 'IMG_4.CR3', why: 'not a photograph' }] }, three, 'keep'],
    ['the storage was found emptied', { wiped: true }, three, 'keep'],
    ['one has no receipt', {}, [original(1), original(2, { receiptNode: null })], 'keep'],
    ['one is on hold', {}, [original(1), original(2, { receiptNode: null, held })], 'keep'],
    ['the receipt is from another box', {}, [original(1, { receiptNode: 'box000000002' })], 'keep'],
    ['the box is away', { box: null }, three, 'check-later'],
    ['the box has a new epoch', { box: { ...BOX, storeEpoch: 'life00000002' } }, three, 'check-now'],
    ['another box answers', { box: { nodeId: 'box000000002', storeEpoch: 'x' } }, three, 'keep'],
    ['nothing was checked', { check: null }, three, 'check-now'],
    ['the check is of an earlier start', { check: { ...facts(three).check!, elapsed: null } }, three, 'check-now'],
    ['the check is old', { elapsed: 1000 + CHECK_COUNTS_MS }, three, 'check-now'],
    ['the check is of the future', { elapsed: 999 }, three, 'check-now'],
    ['the check found one missing', { check: { ...facts(three).check!, missing: ['image2'] } }, three, 'keep'],
    ['the box reported one as lost', {}, [original(1), original(2, { receiptNode: null, isLostByBox: true })], 'keep'],
    ['a photograph was added after the check', { check: facts(three.slice(1)).check }, three, 'check-now'],
    [
      'other bytes than were checked',
      { check: facts([original(1), original(2), original(3, { sha256: 'f'.repeat(64) })]).check },
      three,
      'check-now',
    ],
  ])('%s: the card is not safe', (_name, change, originals, say) => {
    expect(wipeVerdict(facts(originals, change)).kind).toBe(say);
  });

  test('1§7 an earlier check of the same box and originals is kept with its time', () => {
    const check = { ...facts(three).check!, elapsed: null };
    const last = { at: check.at, boxName: 'Reef Box' };
    expect(wipeVerdict(facts(three, { check }))).toEqual({ kind: 'check-now', total: 3, last });
    expect(wipeVerdict(facts(three, { check, box: null }))).toEqual({ kind: 'check-later', total: 3, last });
    for (const change of [
      { check: { ...check, storeEpoch: 'life00000002' } },
      { check: { ...check, of: 'others' } },
      { check: { ...check, of: 'others' }, box: null },
      { check: { ...check, missing: ['image2'] }, box: null },
      { check: null },
    ])
      expect(wipeVerdict(facts(three, change))).toMatchObject({ last: null });
  });

  test('a card with photographs on this tablet only is the most urgent, a safe one the least', () => {
    const urgency = (originals: readonly CardOriginal[], change: Partial<CardFacts> = {}) =>
      verdictUrgency(wipeVerdict(facts(originals, change)));
    const alone = urgency([original(1), original(2, { receiptNode: null })]);
    const leftOut = urgency(three, { leftOut: [{ name: 'a.txt', why: 'no photograph' }] });
    expect([alone, leftOut, urgency(three, { check: null }), urgency(three)]).toEqual([0, 1, 2, 3]);
  });

  test('missing items are listed with their counts', () => {
    const verdict = wipeVerdict(
      facts([original(1), original(2, { receiptNode: null }), original(3, { receiptNode: null, held })], {
        reading: 4,
        unread: 5,
        leftOut: [{ name: 'a.txt', why: 'no photograph' }],
      }),
    );
    expect(verdict).toMatchObject({ kind: 'keep', total: 3, onBox: 1 });
    expect(verdict.kind === 'keep' && verdict.blockers.map(({ kind }) => kind)).toEqual([
      'reading',
      'unread',
      'left-out',
      'held',
      'no-receipt',
    ]);
  });

  test('one that a check missed and the box then reported as lost counts once', () => {
    const lost = [original(1), original(2, { receiptNode: null, isLostByBox: true })];
    const check = { ...facts(lost).check!, missing: ['image2'] };
    for (const change of [{}, { check }, { box: null }])
      expect(wipeVerdict(facts(lost, change))).toEqual({
        kind: 'keep',
        total: 2,
        onBox: 1,
        blockers: [{ kind: 'gone-from-box', count: 1 }],
      });
  });

  test('photographs ashore or on another box are listed apart from those without a receipt', () => {
    const kinds = (originals: readonly CardOriginal[]) => {
      const verdict = wipeVerdict(facts(originals));
      return verdict.kind === 'keep' && [verdict.onBox, ...verdict.blockers];
    };
    expect(
      kinds([original(1), original(2, { receiptNode: null }), original(3, { receiptNode: null, ashore: true })]),
    ).toEqual([1, { kind: 'no-receipt', count: 1 }, { kind: 'ashore-alone', count: 1 }]);
    expect(
      kinds([
        original(1),
        original(2, { receiptNode: 'box000000002' }),
        original(3, { receiptNode: 'box000000002', ashore: true }),
      ]),
    ).toEqual([1, { kind: 'other-box', count: 1 }, { kind: 'ashore-alone', count: 1 }]);
    expect(wipeVerdict(facts([original(1), original(2, { ashore: true })])).kind).toBe('safe');
  });

  test('an unreachable box shows its last check of these photographs, with its time', () => {
    expect(wipeVerdict(facts(three, { box: null }))).toMatchObject({
      last: { at: '2026-11-21T03:00:00.000Z', boxName: 'Reef Box' },
    });
    expect(wipeVerdict(facts([...three, original(4)], { box: null, check: facts(three).check }))).toMatchObject({
      kind: 'check-later',
      last: null,
    });
  });

  test('a photograph freed from the tablet is counted and does not change the verdict', () => {
    expect(wipeVerdict(facts([original(1), original(2, { isOnTablet: false })], {}))).toMatchObject({
      kind: 'safe',
      onTablet: 1,
    });
  });

  test('for any facts, safe requires every condition', () => {
    const anOriginal = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      sha256: fc.constantFrom('1', '2'),
      receiptNode: fc.constantFrom(BOX.nodeId, 'box000000002', null),
      ashore: fc.boolean(),
      isLostByBox: fc.boolean(),
      held: fc.constantFrom(null, held),
      isOnTablet: fc.boolean(),
    });
    const life = fc.constantFrom(
      BOX,
      { nodeId: 'box000000002', storeEpoch: 'x' },
      { ...BOX, storeEpoch: 'life00000002' },
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(anOriginal, { selector: ({ id }) => id }),
        fc.record({
          reading: fc.nat(1),
          unread: fc.nat(1),
          left: fc.nat(1),
          box: fc.option(life),
          wiped: fc.boolean(),
          elapsed: fc.integer({ min: 0, max: 2 * CHECK_COUNTS_MS }),
        }),
        fc.option(
          fc.record({
            life,
            fits: fc.boolean(),
            missing: fc.subarray(['a', 'b']),
            elapsed: fc.option(fc.integer({ min: 0, max: CHECK_COUNTS_MS })),
          }),
        ),
        (originals, { left, ...rest }, made) => {
          const check =
            made === null
              ? null
              : {
                  ...made.life,
                  boxName: 'B',
                  of: made.fits ? originalsKey(originals) : 'others',
                  count: originals.length,
                  missing: made.missing,
                  at: '',
                  elapsed: made.elapsed,
                };
          const given: CardFacts = { originals, ...rest, leftOut: left === 1 ? [{ name: 'x', why: 'y' }] : [], check };
          if (wipeVerdict(given).kind !== 'safe') return;
          expect(originals.length).toBeGreaterThan(0);
          expect([rest.reading, rest.unread, left, rest.wiped]).toEqual([0, 0, 0, false]);
          expect(originals.every(({ receiptNode }) => receiptNode === rest.box?.nodeId)).toBe(true);
          expect(check).toMatchObject({ ...rest.box, of: originalsKey(originals), missing: [] });
          expect(rest.elapsed - (check!.elapsed ?? Number.NaN)).toBeLessThan(CHECK_COUNTS_MS);
        },
      ),
      { numRuns: 5000 },
    );
  });
});
