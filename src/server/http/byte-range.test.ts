import { describe, expect, it } from 'vitest';
import { byteRange } from './byte-range';

describe('protocol, Edge HTTP: ranges of a blob', () => {
  it.each([
    [undefined, undefined],
    ['bytes=0-', { start: 0, end: 99 }],
    ['bytes=10-19', { start: 10, end: 19 }],
    ['bytes=10-1000', { start: 10, end: 99 }],
    ['bytes=-5', { start: 95, end: 99 }],
    ['bytes=-500', { start: 0, end: 99 }],
    ['bytes=99-', { start: 99, end: 99 }],
    ['bytes=100-', 'beyond'],
    ['bytes=-0', 'beyond'],
    ['bytes=9-1', undefined],
    ['bytes=0-1,5-6', undefined],
    ['items=1', undefined],
    ['bytes=-', undefined],
  ])('protocol: %s', (header, range) => expect(byteRange(header, 100)).toEqual(range));
});
