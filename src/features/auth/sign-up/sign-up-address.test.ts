import { expect, test } from 'vitest';
import { handleOfPath, parseHandle, pathAfterLink } from './sign-up-address';

test('1§6 the address of the sign-up names an event or organisation, or none', () => {
  expect(parseHandle(' reef-week ')).toBe('reef-week');
  expect(parseHandle(2026)).toBe('2026');
  expect(parseHandle('x'.repeat(100))).toBe('x'.repeat(100));
  for (const value of [undefined, null, '', ' ', 'x'.repeat(101), ['a'], { a: 1 }])
    expect(parseHandle(value)).toBeUndefined();
});

test('1§6 a mailed link that leads to the sign-up names the handle, and no other path does', () => {
  expect(handleOfPath('/signup?handle=reef%20week')).toBe('reef week');
  expect(handleOfPath('/signup?region=gbr&handle=crew#top')).toBe('crew');
  for (const path of ['/signup', '/signup?handle=', '/signups?handle=crew', '/surveys?handle=crew', ''])
    expect(handleOfPath(path)).toBeUndefined();
});

test('3§2 who signed in by a mailed link for the sign-up goes to the dashboard, others where it leads', () => {
  for (const path of ['/signup', '/signup/', '/signup?handle=crew', '/signup#top'])
    expect(pathAfterLink(path, '/dashboard')).toBe('/dashboard');
  for (const path of ['/you?el=shore', '/signups', '/']) expect(pathAfterLink(path, '/dashboard')).toBe(path);
});
