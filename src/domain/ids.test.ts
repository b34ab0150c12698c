import { describe, expect, it } from 'vitest';
import { idSchema, makeId, opIdOf, opIdSchema, sha256Schema, splitOpId } from './ids';

/** Bytes 0, 1, 2 … 255, 0, 1 …: every value, in a known order. */
function counter(): (n: number) => Uint8Array {
  let next = 0;
  return (n) => Uint8Array.from({ length: n }, () => next++ % 256);
}

describe('1§9 ids', () => {
  it('1§9 "Random ids are 12 to 19 characters", 16 by default', () => {
    expect(makeId(counter())).toBe('0123456789ABCDEF');
    for (const length of [12, 16, 19]) expect(idSchema.safeParse(makeId(counter(), length)).success).toBe(true);
    for (const id of [
      '',
      'a'.repeat(11),
      'a'.repeat(20),
      'Survey-000000001',
      'Survey 000000001',
      'Surveyé000000001',
      '../../../etc/passwd',
      7,
    ]) {
      expect(idSchema.safeParse(id).success).toBe(false);
    }
  });

  it('1§9 every character is equally likely, since biased bytes are drawn again', () => {
    const bytes = counter();
    const drawn = new Map<string, number>();
    for (let i = 0; i < 31; i++)
      for (const letter of makeId(bytes, 16)) drawn.set(letter, (drawn.get(letter) ?? 0) + 1);
    expect(drawn.size).toBe(62);
    expect(Math.max(...drawn.values()) - Math.min(...drawn.values())).toBeLessThanOrEqual(2);
  });

  it('protocol: an operation id is the device and its count', () => {
    expect(opIdOf('DeviceAAAAAAAAAA', 12)).toBe('DeviceAAAAAAAAAA-12');
    expect(splitOpId('DeviceAAAAAAAAAA-12')).toEqual({ deviceId: 'DeviceAAAAAAAAAA', n: 12 });
    for (const wrong of [
      'DeviceAAAAAAAAAA',
      'DeviceAAAAAAAAAA-0',
      'DeviceAAAAAAAAAA-01',
      'DeviceAAAAAAAAAA--1',
      'short-1',
      'DeviceAAAAAAAAAA-1 ',
      'DeviceAAAAAAAAAA-1e3',
    ]) {
      expect(opIdSchema.safeParse(wrong).success).toBe(false);
    }
  });

  it('protocol: a hash is 64 lower-case hex characters', () => {
    expect(sha256Schema.safeParse('0a'.repeat(32)).success).toBe(true);
    for (const wrong of ['0A'.repeat(32), '0a'.repeat(31), `${'0a'.repeat(32)}\n`])
      expect(sha256Schema.safeParse(wrong).success).toBe(false);
  });
});
