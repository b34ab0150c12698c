import { afterEach, expect, test, vi } from 'vitest';
import { LocalSetting } from './local-settings';

afterEach(() => vi.unstubAllGlobals());

function stubBrowser(): { readonly stored: Map<string, string>; readonly window: EventTarget } {
  const stored = new Map<string, string>();
  const window = new EventTarget();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  });
  vi.stubGlobal('addEventListener', window.addEventListener.bind(window));
  vi.stubGlobal('removeEventListener', window.removeEventListener.bind(window));
  return { stored, window };
}

const sizes = (): LocalSetting<{ readonly n: number }> =>
  new LocalSetting(
    'size',
    (stored) => ({ n: Number(stored ?? 7) }),
    ({ n }) => String(n),
  );

test('a setting returns its default, stores a value and notifies until unsubscribed', () => {
  const { stored } = stubBrowser();
  const size = sizes();
  const listener = vi.fn();
  const stop = size.subscribe(listener);
  expect(size.get()).toEqual({ n: 7 });
  size.set({ n: 9 });
  expect([size.get(), stored.get('size')]).toEqual([{ n: 9 }, '9']);
  expect(size.get()).toBe(size.get());
  stop();
  size.set({ n: 1 });
  expect(listener).toHaveBeenCalledOnce();
});

test('a setting follows another tab', () => {
  const { stored, window } = stubBrowser();
  const size = sizes();
  const listener = vi.fn();
  const stop = size.subscribe(listener);
  stored.set('size', '3');
  window.dispatchEvent(Object.assign(new Event('storage'), { key: 'other' }));
  expect(listener).not.toHaveBeenCalled();
  window.dispatchEvent(Object.assign(new Event('storage'), { key: 'size' }));
  expect(listener).toHaveBeenCalledOnce();
  expect(size.get()).toEqual({ n: 3 });
  stop();
  window.dispatchEvent(Object.assign(new Event('storage'), { key: null }));
  expect(listener).toHaveBeenCalledOnce();
});

test('a setting lasts as long as the page where the browser refuses storage', () => {
  stubBrowser();
  vi.stubGlobal('localStorage', {
    getItem: () => {
      throw new Error('refused');
    },
    setItem: () => {
      throw new Error('refused');
    },
  });
  const size = sizes();
  size.set({ n: 2 });
  expect(size.get()).toEqual({ n: 2 });
});
