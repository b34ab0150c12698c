import { describe, expect, it } from 'vitest';
import { normalEmail, pageOnSite } from './email';

const site = new URL('https://reef.example/app');

describe('1§5: addresses', () => {
  it.each([
    [' Ana@Example.ORG ', 'ana@example.org'],
    ['a@b.c', 'a@b.c'],
    ['josé@exámple.org', 'josé@exámple.org'],
    ["o'neil+reef@crew.example", "o'neil+reef@crew.example"],
  ])('1§5: %j is %s', (typed, email) => expect(normalEmail(typed)).toBe(email));

  it.each(['', ' ', 'ana', 'ana@reef', '@b.c', 'a@b.c,d@e.f', 'a@b.c;d@e.f', 'Ana <a@b.c>', '"a b"@c.d', 'a@b.c\r\nBcc: d@e.f', 'a\u0000@b.c', 'a\u200b@b.c', 'a b@c.d', `${'a'.repeat(250)}@b.cd`, 'a@b@c.d'])('2§5: %j is refused in the words of 2§8', (typed) => {
    expect(() => normalEmail(typed)).toThrow(expect.objectContaining({ code: 'bad-message', message: 'Please enter a valid email address.', details: expect.objectContaining({ auth: 'auth/invalid-email' }) }));
  });
});

describe('1§7: a mail leads to our own site and nowhere else', () => {
  it.each([
    ['/', 'https://reef.example/'],
    ['/analysis?event=x#top', 'https://reef.example/analysis?event=x#top'],
    ['/a//b', 'https://reef.example/a//b'],
    [undefined, 'https://reef.example/'],
    [null, 'https://reef.example/'],
  ])('1§7: %j leads to %s', (path, page) => expect(pageOnSite(path, site)).toBe(page));

  const spellings = ['//evil.example', '///evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example', '/\n/evil.example', '/\r\n//evil.example', 'https://evil.example', 'HTTPS:evil.example', 'javascript:alert(1)', 'data:text/html,x', ' //evil.example', 'evil.example', '@evil.example', '.evil.example', ':@evil.example', '/..//evil.example', '/./\\evil.example', '/x/../..//evil.example', '\u0000//evil.example', '/\u200b/evil.example', '/%2F\\evil.example'];
  it.each(spellings)('1§7: %j leads to our own site', (path) => {
    const page = new URL(pageOnSite(path, site));
    expect(page.origin).toBe('https://reef.example');
    expect(page.pathname.startsWith('//')).toBe(false);
  });
});
