import { expect, test } from 'vitest';
import { depthOf } from './depth';
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
