import { describe, expect, test } from 'vitest';
import type { PackView } from '../../data/repositories';
import { packProgress } from './pack-progress';

const items = [
  { name: 'reefs-gbr', bytes: 1000, sha256: 'a' },
  { name: 'base-gbr', bytes: 200, sha256: 'b' },
];
const view = (name: string, status: PackView['status'], received: number, sha256: string | null = null): PackView => ({
  name,
  status,
  received,
  total: received,
  sha256,
  at: null,
  why: status === 'failed' ? { code: 'disconnected', message: 'Lost the connection.' } : null,
});

describe('1§7 progress of a map that is taken along', () => {
  test.each([
    ['none', [], 0],
    ['none', [view('reefs-hawaii', 'kept', 500, 'x')], 0],
    ['fetching', [view('reefs-gbr', 'fetching', 400)], 400],
    ['paused', [view('reefs-gbr', 'kept', 1000, 'a')], 1000],
    ['paused', [view('reefs-gbr', 'paused', 300)], 300],
    ['failed', [view('reefs-gbr', 'failed', 300), view('base-gbr', 'kept', 200, 'b')], 500],
    ['kept', [view('reefs-gbr', 'kept', 1000, 'a'), view('base-gbr', 'kept', 200, 'b')], 1200],
  ] as const)('it is %s', (status, packs, received) => {
    expect(packProgress(items, packs)).toMatchObject({ status, received, total: 1200, isOld: false });
  });

  test('an older version counts as stored, and as old', () => {
    const packs = [view('reefs-gbr', 'kept', 900, 'old'), view('base-gbr', 'kept', 200, 'b')];
    expect(packProgress(items, packs)).toMatchObject({ status: 'kept', received: 200, isOld: true });
  });

  test('no archive is not a kept map', () => {
    expect(packProgress([], []).status).toBe('none');
  });
});
