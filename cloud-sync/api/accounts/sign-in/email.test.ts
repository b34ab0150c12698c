import { describe, expect, it } from 'vitest';
import { signInLinkUrl, normalizeEmail, sitePageUrl } from './email';

const site = new URL('https://reef.example/app');

describe('1§5: addresses', () => {
  it.each([
    [' Ana@Example.ORG ', 'ana@example.org'],
    ['a@b.c', 'a@b.c'],
    ['josé@exámple.org', 'josé@exámple.org'],
    ["o'neil+reef@crew.example", "o'neil+reef@crew.example"],
  ])('1§5: %j is %s', (typed, email) => expect(normalizeEmail(typed)).toBe(email));

  it.each([
    '',
    ' ',
    'ana',
    'ana@reef',
    '@b.c',
    'a@b.c,d@e.f',
    'a@b.c;d@e.f',
    'Ana <a@b.c>',
    '"a b"@c.d',
    'a@b.c\r\nBcc: d@e.f',
    'a\u0000@b.c',
    'a\u200b@b.c',
    'a b@c.d',
    `${'a'.repeat(250)}@b.cd`,
    'a@b@c.d',
    'x@without-address.invalid',
  ])('2§5: %j is refused with the text of 2§8', (typed) => {
    expect(() => normalizeEmail(typed)).toThrow(
      expect.objectContaining({
        code: 'bad-message',
        message: 'Please enter a valid email address.',
        details: expect.objectContaining({ auth: 'auth/invalid-email' }),
      }),
    );
  });
});

describe('1§7: a mailed link leads only to our own site', () => {
  it.each([
    ['/', 'https://reef.example/'],
    ['/analysis?event=x#top', 'https://reef.example/analysis?event=x#top'],
    ['/a//b', 'https://reef.example/a//b'],
    [undefined, 'https://reef.example/'],
    [null, 'https://reef.example/'],
  ])('1§7: %j leads to %s', (path, page) => expect(sitePageUrl(path, site)).toBe(page));

  const spellings = [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\n//evil.example',
    'https://evil.example',
    'HTTPS:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    ' //evil.example',
    'evil.example',
    '@evil.example',
    '.evil.example',
    ':@evil.example',
    '/..//evil.example',
    '/./\\evil.example',
    '/x/../..//evil.example',
    '\u0000//evil.example',
    '/\u200b/evil.example',
    '/%2F\\evil.example',
  ];
  it.each(spellings)('1§7: %j leads to our own site', (path) => {
    const page = new URL(sitePageUrl(path, site));
    expect(page.origin).toBe('https://reef.example');
    expect(page.pathname.startsWith('//')).toBe(false);
  });
});

describe('1§7: a hundred attempts to point a login link at another site', () => {
  const hosts = [
    'evil.example',
    'evil.example:443',
    'reef.example@evil.example',
    'reef.example.evil.example',
    '[::1]',
    '0x7f000001',
    'evil。example',
    'xn--evl-zma.example',
  ];
  const starts = [
    '//',
    '///',
    '/\\',
    '\\\\',
    '/\t/',
    '/\n/',
    '/\r\n//',
    'https://',
    'HTTPS:',
    'http:\\\\',
    'ftp://',
    '/..//',
    '/./\\',
    '@',
    '/%5C%5c',
    '\u0000//',
    '/\u200b/',
    ' //',
    'javascript://',
    'data:text/html,//',
  ];
  const spellings = starts.flatMap((start) => hosts.map((host) => `${start}${host}/x`));

  it('1§7: no path leaves our own site', () => {
    expect(spellings.length).toBeGreaterThan(100);
    for (const path of spellings) {
      const link = new URL(signInLinkUrl(site, { email: 'a@b.cd', token: 't', path }));
      expect(link.origin + link.pathname + link.search, path).toBe('https://reef.example/sign-in');
      const on = new URLSearchParams(link.hash.slice(1)).get('path')!;
      expect(on.startsWith('/') && !on.startsWith('//') && !on.includes('\\'), path).toBe(true);
      expect(new URL(on, site).origin, path).toBe('https://reef.example');
    }
  });

  it('1§7: an address that contains link syntax stays one value', () => {
    const link = new URL(signInLinkUrl(site, { email: 'a&token=x#path=//evil.example@b.cd', token: 't', path: '/' }));
    expect(Object.fromEntries(new URLSearchParams(link.hash.slice(1)))).toEqual({
      email: 'a&token=x#path=//evil.example@b.cd',
      token: 't',
      path: '/',
    });
  });
});
