import { expect, test } from 'vitest';
import { samplesOf } from './pointers';

const box = { left: 100, top: 20 };
const move = { clientX: 150, clientY: 60 };

test.each([
  ['several samples', { ...move, getCoalescedEvents: () => [{ clientX: 140, clientY: 50 }, move] }, [40, 30, 50, 40]],
  ['no samples, as of a synthetic event', { ...move, getCoalescedEvents: () => [] }, [50, 40]],
  ['no such method, as before Safari 18.2', move, [50, 40]],
])('a move with %s paints its places', (_what, event, samples) => {
  expect(samplesOf(event, box)).toEqual(samples);
});
