import { describe, expect, it } from 'vitest';
import type { ImageId } from '../ids';
import type { Numbered } from './clock-jumps';
import { clockJumps } from './clock-jumps';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 20, 8);
const shot = (name: string, ms: number | null, camera: string | null = 'TG-6'): Numbered => ({
  id: name as ImageId,
  name,
  taken: ms === null ? null : new Date(START + ms).toISOString().slice(0, 19),
  camera,
});

describe('3§3 image: a jump of a camera’s clock between photographs', () => {
  it('a step back, or ahead by more than a day’s work, is found', () => {
    expect(
      clockJumps([
        shot('P1010003.JPG', -9 * HOUR),
        shot('P1010001.JPG', 0),
        shot('P1010002.JPG', 5000),
        shot('P1010004.JPG', HOUR),
      ]),
    ).toEqual([
      { before: 'P1010002.JPG', after: 'P1010003.JPG', byMs: -9 * HOUR - 5000 },
      { before: 'P1010003.JPG', after: 'P1010004.JPG', byMs: 10 * HOUR },
    ]);
  });

  it('a day of photographs, swapped bursts and restarted numbers are not a jump', () => {
    expect(
      clockJumps([
        shot('DSC_9998.jpg', 0),
        shot('DSC_9999.jpg', 3 * HOUR),
        shot('DSC_0001.jpg', 3 * HOUR + 2000),
        shot('DSC_0002.jpg', 3 * HOUR + 1000),
        shot('DSC_0003.jpg', 10 * HOUR),
      ]),
    ).toEqual([]);
  });

  it('cameras and differently named rolls are not compared', () => {
    expect(
      clockJumps([shot('G1.jpg', 0, 'A'), shot('G2.jpg', -5 * HOUR, 'B'), shot('H3.jpg', -3 * HOUR, 'A')]),
    ).toEqual([]);
  });

  it('photographs without time or number are skipped and hide no jump around them', () => {
    expect(
      clockJumps([shot('I1.jpg', 0), shot('I2.jpg', null), shot('I3.jpg', -HOUR), shot('reef.jpg', -99 * HOUR)]),
    ).toEqual([{ before: 'I1.jpg', after: 'I3.jpg', byMs: -HOUR }]);
    expect(clockJumps([])).toEqual([]);
  });
});
