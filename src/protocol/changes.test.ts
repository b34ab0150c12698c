import { describe, expect, it } from 'vitest';
import { changesParamsSchema } from './changes';

describe('protocol, Edge socket 8: parameters of `changes`', () => {
  it.each([
    [{}, { since: 0, limit: 1000 }],
    [
      { since: 7, limit: 1 },
      { since: 7, limit: 1 },
    ],
    [
      { since: '12', limit: '1000' },
      { since: 12, limit: 1000 },
    ],
  ])('protocol: %j', (given, taken) => {
    expect(changesParamsSchema.parse(given)).toEqual(taken);
  });

  it.each([true, null, [], '', ' 1', '1e3', '0x10', '-1', -1, 1.5, 1e300, '99999999999999999', 'x', {}])(
    'protocol: since %j is refused',
    (since) => {
      expect(changesParamsSchema.safeParse({ since }).error?.issues[0]?.path).toEqual(['since']);
    },
  );

  it.each([0, 1001, '0', '1001', null])('protocol: limit %j is refused', (limit) => {
    expect(changesParamsSchema.safeParse({ limit }).error?.issues[0]?.path).toEqual(['limit']);
  });
});
