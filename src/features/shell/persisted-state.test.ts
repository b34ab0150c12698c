import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPersistedStore } from './persisted-state';

const kept = new Map<string, string>();
const storage = {
  getItem: (name: string) => kept.get(name) ?? null,
  setItem: (name: string, value: string) => void kept.set(name, value),
};

beforeEach(() => vi.stubGlobal('localStorage', storage));
afterEach(() => {
  kept.clear();
  vi.unstubAllGlobals();
});

it('1§9 feature flags and region are persisted, with gbr as the default', () => {
  const first = createPersistedStore();
  expect(first.get()).toEqual({ featureFlags: {}, region: 'gbr' });
  let told = 0;
  first.subscribe(() => (told += 1));
  first.readUrl(undefined, { region: 'hawaii', featureFlagsOn: ['ffCms', 'trial'] });
  expect(told).toBe(1);
  expect(createPersistedStore().get()).toEqual({ featureFlags: { ffCms: true, trial: true }, region: 'hawaii' });
});

it('1§2 a URL without them changes neither, and the path beats the query', () => {
  const parts = createPersistedStore();
  parts.readUrl('redsea', { region: 'hawaii', featureFlagsOn: 'ffCms' });
  const before = parts.get();
  parts.readUrl(undefined, {});
  expect(parts.get()).toBe(before);
  expect(parts.get().region).toBe('redsea');
  parts.readUrl('nowhere', { featureFlagsOff: 'ffCms' });
  expect(parts.get()).toEqual({ featureFlags: { ffCms: false }, region: 'redsea' });
});

it.each([['not json {'], ['null'], ['[]'], ['{"region":"atlantis","featureFlags":{"a":"yes","b":true}}']])(
  '1§9 unreadable stored state (%s) yields the defaults',
  (text) => {
    kept.set('reef.parts', text);
    const { region, featureFlags } = createPersistedStore().get();
    expect(region).toBe('gbr');
    expect(featureFlags).toEqual(text.includes('"b":true') ? { b: true } : {});
  },
);

it('1§9 a browser without storage forgets them and still works', () => {
  const refuse = () => {
    throw new Error('refused');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse });
  const parts = createPersistedStore();
  parts.readUrl(undefined, { region: 'palmyra' });
  expect(parts.get().region).toBe('palmyra');
});
