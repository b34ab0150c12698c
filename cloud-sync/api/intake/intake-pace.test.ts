import { describe, expect, it } from 'vitest';
import { IntakePace } from './intake-pace';

const MB = 1_000_000;

describe('the cloud: picture jobs yield to incoming photographs', () => {
  it('the pace is busy while photographs stream in on a small machine, and idle soon after', () => {
    let now = 0;
    const pace = new IntakePace({ elapsed: () => now, processors: 2 });
    expect(pace.isBusy).toBe(false);
    for (; now < 3000; now += 250) pace.recordBytes(4 * MB);
    expect(pace.isBusy).toBe(true);
    now += 3000;
    expect(pace.isBusy).toBe(false);
  });

  it('a slow link at sea does not make the pace busy', () => {
    let now = 0;
    const pace = new IntakePace({ elapsed: () => now, processors: 2 });
    for (; now < 60_000; now += 5000) {
      pace.recordBytes(4 * MB);
      expect(pace.isBusy).toBe(false);
    }
  });

  it('a machine with spare processors is never busy', () => {
    const pace = new IntakePace({ elapsed: () => 0, processors: 4 });
    pace.recordBytes(400 * MB);
    expect(pace.isBusy).toBe(false);
  });
});
