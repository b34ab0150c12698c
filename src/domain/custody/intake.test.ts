import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SurveyId } from '../ids';
import { acknowledgeIntake, newIntake, fileKey, isIntakeClosed, withFilesReread, settleIntake } from './intake';

const file = (n: number) => ({ name: `IMG_${n}.JPG`, size: 100 + n, lastModified: 5 });
const begin = (...ns: number[]) =>
  newIntake('batch0000001', 'survey000001' as SurveyId, '2026-11-21T00:00:00.000Z', ns.map(file));

describe('receipts: a batch is retained until each file is accounted for', () => {
  test('an interrupted batch leaves its remaining files unread', () => {
    const after = settleIntake(begin(1, 2, 3), { taken: [fileKey(file(2))], leftOut: [] });
    expect(after.unread).toEqual([fileKey(file(1)), fileKey(file(3))]);
    expect(isIntakeClosed(after)).toBe(false);
  });

  test('a refused file stays until a person has seen it', () => {
    const after = settleIntake(begin(1), {
      taken: [],
      leftOut: [{ key: fileKey(file(1)), name: 'IMG_1.JPG', why: 'no photograph' }],
    });
    expect(after).toMatchObject({ unread: [], leftOut: [{ name: 'IMG_1.JPG', why: 'no photograph' }] });
    expect([isIntakeClosed(after), isIntakeClosed(acknowledgeIntake(after))]).toEqual([false, true]);
  });

  test('reading the card again closes an interrupted batch, counting equal names separately', () => {
    const broken = begin(1, 2, 2);
    expect(isIntakeClosed(withFilesReread(broken, [fileKey(file(1)), fileKey(file(2))]))).toBe(false);
    expect(
      isIntakeClosed(withFilesReread(broken, [fileKey(file(1)), fileKey(file(2)), fileKey(file(2)), fileKey(file(9))])),
    ).toBe(true);
  });

  test('the batch closes with its last file, in any order and portions', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(5), { minLength: 1 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
        (given, portions) => {
          let intake = begin(...given);
          const left = given.map((n) => fileKey(file(n)));
          while (left.length > 0) {
            expect(isIntakeClosed(intake)).toBe(false);
            intake = settleIntake(intake, { taken: left.splice(0, portions.next().value as number), leftOut: [] });
          }
          expect(isIntakeClosed(intake)).toBe(true);
        },
      ),
    );
  });
});
