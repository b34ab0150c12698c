import { describe, expect, it } from 'vitest';
import { testsIn } from './test-names';

describe('the test name reader', () => {
  const names = (text: string) => testsIn(text, 'x.test.ts').map(({ name }) => name);

  it('joins groups and tests, including tables and suites inside functions', () => {
    expect(
      names(`
        describe('1§9 ids', () => { it('are short', () => {}); it.each([['a', 1]])('of %s', (a) => {}); });
        export function suite(make) { describe.each(['x'] as const)('store %s', () => { test(\`says \${make} so\`, () => {}); }); }
      `),
    ).toEqual(['1§9 ids › are short', '1§9 ids › of %s', 'store %s › says … so']);
  });

  it('ignores comments, skipped tests, todo tests and groups without tests', () => {
    expect(
      names(`
        // it('1§1 in a comment', () => {});
        it.skip('1§2 skipped', () => {}); it.todo('1§3 open');
        describe.skip('1§4', () => { it('inside', () => {}); });
        describe('1§5 empty', () => { const note = '1§6 a text'; log('1§7 another call', () => {}); });
        it.each(['1§8 a row']);
      `),
    ).toEqual([]);
  });
});
