import { expect, test } from 'vitest';
import { depthOf, shareByDepth } from './depth';
import { seedNamed, seedOfCommit } from './seed';

test('a commit always yields the same seed and another commit another one', () => {
  const hashes = ['4372e92', '9de23f1', '8ff74d0'];
  expect(hashes.map(seedOfCommit)).toEqual(hashes.map(seedOfCommit));
  expect(new Set(hashes.map(seedOfCommit)).size).toBe(hashes.length);
  for (const seed of [...hashes, undefined].map(seedOfCommit)) expect(seedNamed(String(seed))).toBe(seed);
});

test.each(['', 'abc', '1.5', '-1', '2147483648'])('FAULT_SEED refuses %j', (text) => {
  expect(() => seedNamed(text)).toThrow('FAULT_SEED');
});

test('the depth is "commit" unless DEPTH says "release"', () => {
  expect([undefined, '', 'commit', 'release'].map(depthOf)).toEqual(['commit', 'commit', 'commit', 'release']);
  expect(() => depthOf('all')).toThrow('DEPTH');
});

test('the shares of a few seeds are all cases; a release has all at once', () => {
  const cases = [...'abcdefg'];
  expect([10, 11, 12].flatMap((seed) => shareByDepth(cases, 3, seed, 'commit')).sort()).toEqual(cases);
  expect(shareByDepth(cases, 3, 10, 'release')).toEqual(cases);
});
