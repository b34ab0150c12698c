import { expect, test, vi } from 'vitest';
import { afterFirstView, holdHeavyWork } from './first-view';

test('heavy work waits for the last hold, and for none longer than some seconds', async () => {
  vi.useFakeTimers();
  await afterFirstView();
  const order: string[] = [];
  const [first, second] = [holdHeavyWork(), holdHeavyWork()];
  const begun = afterFirstView().then(() => order.push('begun'));
  first();
  first();
  await Promise.resolve();
  order.push('one hold is left');
  second();
  await begun;
  expect(order).toEqual(['one hold is left', 'begun']);

  holdHeavyWork();
  const late = afterFirstView();
  vi.runAllTimers();
  await late;
  vi.useRealTimers();
});
