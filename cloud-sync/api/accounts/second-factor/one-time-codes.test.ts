import { describe, expect, it } from 'vitest';
import { codeOfStep, otpauthUri, stepAt, stepOfCode, toBase32 } from './one-time-codes';

/** Secret of the test vectors in RFC 4226 and RFC 6238. */
const SECRET = Buffer.from('12345678901234567890', 'ascii');

describe('protocol: one-time codes', () => {
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('protocol: RFC 6238, appendix B: the code at %i s ends like %s', (seconds, eight) =>
    expect(codeOfStep(SECRET, stepAt(seconds * 1000))).toBe(eight.slice(2)),
  );

  it('protocol: RFC 4226, appendix D: the first ten codes', () =>
    expect(Array.from({ length: 10 }, (_, step) => codeOfStep(SECRET, step))).toEqual(
      '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' '),
    ));

  it.each([
    ['', ''],
    ['f', 'MY'],
    ['foobar', 'MZXW6YTBOI'],
    ['12345678901234567890', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'],
  ])('protocol: RFC 4648, 10: base32 of "%s" is %s', (text, encoded) =>
    expect(toBase32(Buffer.from(text, 'ascii'))).toBe(encoded),
  );

  it('protocol: a code counts one step early and late, once, and never after a later one', () => {
    const time = 1_234_567_890_000;
    const now = stepAt(time);
    const find = (step: number, after = 0) => stepOfCode(SECRET, codeOfStep(SECRET, step), { time, after });
    expect([-2, -1, 0, 1, 2].map((ahead) => find(now + ahead))).toEqual([undefined, now - 1, now, now + 1, undefined]);
    expect([find(now, now), find(now - 1, now), find(now + 1, now)]).toEqual([undefined, undefined, now + 1]);
    expect(stepOfCode(SECRET, '005 924', { time, after: 0 })).toBe(now);
    expect(stepOfCode(SECRET, '', { time, after: 0 })).toBeUndefined();
  });

  it('protocol: the address for apps names issuer, account and secret', () =>
    expect(otpauthUri(SECRET, 'a b@example.org')).toBe(
      'otpauth://totp/Great%20Reef%20Census:a%20b%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Great%20Reef%20Census',
    ));
});
