import { expect, it } from 'vitest';
import { availableProviders } from './available-providers';
import { isEmbeddedWebView } from './web-view';

it.each([
  [
    'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36',
    true,
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 334.0',
    true,
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    true,
  ],
  ['Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126 Mobile Safari/537.36 [FBAN/EMA;FBAV/400]', true],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    false,
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
    false,
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', false],
])('2§2 embedded web views are distinguished from browsers: %s', (agent, embedded) => {
  expect(isEmbeddedWebView(agent)).toBe(embedded);
});

it('2§2 Google is offered neither in an embedded web view nor aboard', () => {
  const providers = [
    { id: 'google', name: 'Google', linked: false },
    { id: 'github', name: 'GitHub', linked: false },
  ] as const;
  const ids = (agent: string, isAboard: boolean) =>
    availableProviders(providers, { agent, isAboard }).map(({ id }) => id);
  expect(ids('Firefox/127.0', false)).toEqual(['google', 'github']);
  expect(ids('Android 14; Pixel 8; wv)', false)).toEqual(['github']);
  expect(ids('Firefox/127.0', true)).toEqual([]);
});
