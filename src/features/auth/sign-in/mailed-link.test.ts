import { expect, it } from 'vitest';
import { isOwnLink, parseMailedLink, parseProviderAnswer } from './mailed-link';

it('3§4 a mailed link yields its token, address and target path', () => {
  expect(parseMailedLink('?token=12345&email=ana%40example.org&path=%2Fyou%3Fel%3Dshore')).toEqual({
    token: '12345',
    email: 'ana@example.org',
    path: '/you?el=shore',
  });
  expect(parseMailedLink('token=0123&email=a%2Bb%40c.d&path=%2F')).toEqual({
    token: '0123',
    email: 'a+b@c.d',
    path: '/',
  });
  expect(parseMailedLink('?token=t')).toEqual({ token: 't', email: '', path: '/surveys' });
});

it.each([
  'https://evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/./\\evil',
  'javascript:alert(1)',
  '/\t/evil.example',
  '/%0d%0a//x\n',
  '/..//evil.example',
  '',
  'surveys',
  '/sign-in?token=t',
])('3§4 a link to another site is refused: %j', (path) => {
  expect(parseMailedLink(`?token=t&path=${encodeURIComponent(path)}`).path).toBe('/surveys');
});

it('3§4 a link belongs to this tablet if it was requested here for that address', () => {
  const link = parseMailedLink('token=t&email=Ana%40example.org');
  expect([
    isOwnLink(link, 'ana@example.org'),
    isOwnLink(link, 'ben@example.org'),
    isOwnLink(parseMailedLink('token=t'), 'ana@example.org'),
  ]).toEqual([true, false, true]);
});

it('1§4 a provider window’s answer is distinguished from other fragments', () => {
  const message = { source: 'reef-sign-in', state: 's', ticket: 't' };
  expect(parseProviderAnswer(`#turn=${encodeURIComponent(JSON.stringify(message))}`)).toEqual(message);
  for (const other of [
    'token=t',
    'turn=',
    'turn=%7B',
    'turn=null',
    `turn=${encodeURIComponent('{"source":"other","state":"s"}')}`,
  ])
    expect(parseProviderAnswer(other), other).toBeNull();
});
