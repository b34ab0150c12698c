import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ScrollSpeed } from './scroll-speed';

/** Frames of 16 ms. */
const nextFrame = (call: () => void): number => Number(setTimeout(call, 16));

describe('3§2 tiles are not read while they scroll past fast', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('calls at once while nothing moves or the roll moves slowly', () => {
    const pass = new ScrollSpeed(nextFrame);
    const call = vi.fn();
    pass.whenSlow(call);
    pass.addScroll(0, 0);
    pass.addScroll(16, 8);
    pass.whenSlow(call);
    expect(call).toHaveBeenCalledTimes(2);
  });

  it('waits during fast scrolling and calls once it slows down', () => {
    const pass = new ScrollSpeed(nextFrame);
    const call = vi.fn();
    pass.addScroll(0, 0);
    pass.addScroll(16, 80);
    pass.whenSlow(call);
    pass.addScroll(32, 160);
    expect(call).not.toHaveBeenCalled();
    pass.addScroll(48, 165);
    vi.advanceTimersByTime(16);
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('calls when the movement ends without a last slow step', () => {
    const pass = new ScrollSpeed(nextFrame);
    const call = vi.fn();
    pass.addScroll(0, 0);
    pass.addScroll(16, 200);
    pass.whenSlow(call);
    vi.advanceTimersByTime(1000);
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('does not call for a tile that is gone', () => {
    const pass = new ScrollSpeed(nextFrame);
    const call = vi.fn();
    pass.addScroll(0, 0);
    pass.addScroll(16, 200);
    pass.whenSlow(call)();
    vi.advanceTimersByTime(1000);
    expect(call).not.toHaveBeenCalled();
  });

  it('calls a few per frame, and stops once the roll speeds up again', () => {
    const pass = new ScrollSpeed(nextFrame);
    const call = vi.fn();
    pass.addScroll(0, 0);
    pass.addScroll(16, 200);
    for (let i = 0; i < 20; i++) pass.whenSlow(() => call(i));
    pass.addScroll(32, 201);
    vi.advanceTimersByTime(16);
    expect(call.mock.calls.flat()).toEqual([0, 1, 2, 3]);
    pass.addScroll(48, 400);
    vi.advanceTimersByTime(32);
    expect(call).toHaveBeenCalledTimes(4);
    vi.advanceTimersByTime(1000);
    expect(call.mock.calls.flat()).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });
});
