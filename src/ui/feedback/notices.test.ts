import { describe, expect, it } from 'vitest';
import { Notices } from './notices';

describe('notices', () => {
  it('3§2 three notices show at once, the oldest goes first, and equal texts replace each other', () => {
    const notices = new Notices();
    for (const title of ['a', 'b', 'c', 'b', 'd']) notices.add({ title });
    expect(notices.shown().map(({ title }) => title)).toEqual(['c', 'b', 'd']);
  });

  it('3§2 a notice is removed by its owner, once', () => {
    const notices = new Notices();
    let told = 0;
    const stop = notices.subscribe(() => told++);
    const away = notices.add({ title: 'a' });
    notices.add({ title: 'a', text: 'other' });
    away();
    away();
    expect(notices.shown().map(({ text }) => text)).toEqual(['other']);
    expect(told).toBe(3);
    stop();
    notices.add({ title: 'b' });
    expect(told).toBe(3);
  });
});
