import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { ReefError } from '../../domain/errors';
import { REFUSALS_PER_MINUTE, Refusals } from './refusals';

describe('protocol: refused sign-ins and rights', () => {
  let now = 0;
  let lines: Record<string, unknown>[] = [];
  let refusals: Refusals;
  beforeEach(() => {
    now = 1000;
    lines = [];
    const write = (line: string): unknown => lines.push(JSON.parse(line) as Record<string, unknown>);
    refusals = new Refusals(pino({ base: null, timestamp: false }, { write }), () => now);
  });
  const forbidden = new ReefError('forbidden');

  it('protocol: a source has its own answer up to the limit, waits beyond it, and starts again after a minute', () => {
    const codes = (count: number, source = 'a'): string[] =>
      Array.from({ length: count }, () => refusals.limit(source, forbidden).code);
    expect(codes(REFUSALS_PER_MINUTE).every((code) => code === 'forbidden')).toBe(true);
    now += 59_000;
    expect(refusals.limit('a', forbidden)).toMatchObject({ code: 'rate-limited', details: { retryAfterMs: 1000 } });
    expect(codes(1, 'b')).toEqual(['forbidden']);
    now += 1000;
    expect(codes(1)).toEqual(['forbidden']);
  });

  it('protocol: a repeated refusal is one line a minute, with the number of the others', () => {
    const refuse = (): void => refusals.note({ route: 'GET /api/fleet', error: forbidden, by: 'Person1' });
    for (let n = 0; n < 5; n++) refuse();
    now += 60_000;
    refuse();
    const line = { level: 40, msg: 'a right was refused', route: 'GET /api/fleet', code: 'forbidden', by: 'Person1' };
    expect(lines).toEqual([line, { ...line, alsoBefore: 4 }]);
  });

  it('protocol: other errors are no refusals', () => {
    for (const code of ['bad-message', 'not-found', 'internal', 'rate-limited'] as const)
      refusals.note({ route: 'GET /x', error: new ReefError(code) });
    expect(lines).toEqual([]);
    refusals.note({ route: 'POST /x', error: new ReefError('bad-message', { auth: 'auth/wrong-password' }) });
    expect(lines).toMatchObject([{ msg: 'a sign-in was refused', auth: 'auth/wrong-password' }]);
  });
});
