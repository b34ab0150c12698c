import { describe, expect, it } from 'vitest';
import { Emitter } from '../../base/emitter';
import { PreviewCache } from './preview-cache';

const PICTURE = new Blob(['picture']);

/** Cache over a box: each reading is answered by hand. */
function setUp() {
  const readings: ((picture: Blob | null) => Promise<void>)[] = [];
  const answers = new Emitter();
  const cache = new PreviewCache(
    () =>
      new Promise((resolve) => {
        readings.push(async (picture) => {
          resolve(picture);
          await new Promise(setImmediate);
        });
      }),
    answers.subscribe,
  );
  const shown: string[] = [];
  return { cache, readings, answers, shown, show: () => cache.retain('a', (url) => shown.push(url)) };
}

describe('1§3 pictures from the box', () => {
  it('1§3 a tile in view reads again once the box answers, and shows its picture', async () => {
    const { readings, answers, shown, show } = setUp();
    show();
    await readings[0]?.(null);
    expect(readings).toHaveLength(1);
    answers.emit();
    await readings[1]?.(PICTURE);
    expect(shown).toEqual([expect.stringMatching(/^blob:/)]);
    answers.emit();
    expect(readings, 'what is shown is not read again').toHaveLength(2);
  });

  it('1§3 a reading that began before the box answered is repeated', async () => {
    const { readings, answers, shown, show } = setUp();
    show();
    answers.emit();
    expect(readings).toHaveLength(1);
    await readings[0]?.(null);
    await readings[1]?.(PICTURE);
    expect(shown).toHaveLength(1);
  });

  it('1§3 a tile that left reads nothing, and reads again when it returns', async () => {
    const { cache, readings, answers, shown, show } = setUp();
    const leave = show();
    await readings[0]?.(null);
    leave();
    answers.emit();
    expect(readings).toHaveLength(1);
    const leaveAgain = show();
    answers.emit();
    leaveAgain();
    await readings[1]?.(null);
    expect(readings).toHaveLength(2);
    show();
    await readings[2]?.(PICTURE);
    expect([shown.length, cache.loadedUrl('a')]).toEqual([1, shown[0]]);
  });
});
