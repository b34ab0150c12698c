import { describe, expect, it } from 'vitest';
import { IntakePace } from './intake-pace';

const MB = 1_000_000;

describe('the cloud: pictures wait for photographs', () => {
  it('is busy while photographs come as fast as a small machine takes them, and not long after', () => {
    let now = 0;
    const pace = new IntakePace({ elapsed: () => now, processors: 2 });
    expect(pace.isBusy).toBe(false);
    for (; now < 3000; now += 250) pace.recordBytes(4 * MB);
    expect(pace.isBusy).toBe(true);
    now += 3000;
    expect(pace.isBusy).toBe(false);
  });

  it('a link at sea is no reason to wait', () => {
    let now = 0;
    const pace = new IntakePace({ elapsed: () => now, processors: 2 });
    for (; now < 60_000; now += 5000) {
      pace.recordBytes(4 * MB);
      expect(pace.isBusy).toBe(false);
    }
  });

  it('a machine with processors to spare makes pictures at any time', () => {
    const pace = new IntakePace({ elapsed: () => 0, processors: 4 });
    pace.recordBytes(400 * MB);
    expect(pace.isBusy).toBe(false);
  });
});
