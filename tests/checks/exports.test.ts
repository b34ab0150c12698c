import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findIdleExports, namesOf } from './exports';
import { filesBelow } from './test-names';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isTest = (file: string): boolean => file.startsWith('tests/') || /\.test\.tsx?$/.test(file);
const isProduct = (file: string): boolean =>
  /^(src|edge-server|cloud-sync|sw)\//.test(file) && !isTest(file) && !file.endsWith('.gen.ts');

/** Exports that may wait for a caller, by the beginning of `file name`. */
const EXCEPTIONS: readonly { readonly start: string; readonly reason: string }[] = [
  {
    start: 'src/app/first-reef/first-reef.ts',
    reason: 'the script in the page imports it by its address in the build (src/app/after-first-paint.js)',
  },
  {
    start: 'src/domain/limits/',
    reason: 'constants of sections that are not asked for yet; docs/specification.md names them',
  },
];

describe('exports of the product', () => {
  const texts = new Map(
    [...filesBelow(root, ['src', 'edge-server', 'cloud-sync', 'sw', 'scripts', 'tests']), 'vite.config.ts']
      .filter((file) => /\.(tsx?|mts|mjs)$/.test(file) && !/\.d\.m?ts$/.test(file))
      .map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
  );

  it('have a caller outside tests, or one in their file and one in a test', () => {
    expect([...texts.keys()].filter(isProduct).length).toBeGreaterThan(900);
    const found = findIdleExports(texts, isProduct, isTest).map(({ file, name, kind }) => ({
      is: `${file} ${name}`,
      kind,
    }));
    expect(found.filter(({ is }) => !EXCEPTIONS.some(({ start }) => is.startsWith(start)))).toEqual([]);
    // An exception that is not needed any longer goes.
    expect(EXCEPTIONS.filter(({ start }) => !found.some(({ is }) => is.startsWith(start)))).toEqual([]);
  });

  it('are read from each form in which a module states them', () => {
    const { exported, forwarded, used } = namesOf(
      [
        "import top, { type A, b as c } from './x';",
        "import * as all from './y';",
        'export const one = 1;',
        'export default async function two() {}',
        "export type { Three, four as Four } from './z';",
        "export * from './w';",
        "const late = () => import('./v');",
        'export { five };',
      ].join('\n'),
    );
    expect([exported, forwarded]).toEqual([['one', 'default', 'Three', 'Four', 'five'], ['./w']]);
    expect(used).toEqual([
      { specifier: './x', names: ['default', 'A', 'b'] },
      { specifier: './y', names: null },
      { specifier: './z', names: ['Three', 'four'] },
      { specifier: './v', names: null },
    ]);
  });

  it.each([
    ['one that a product file imports', { 'b.ts': "import { a } from './a';" }, []],
    [
      'one that a product file imports through an index',
      { 'index.ts': "export * from './a';", 'b.ts': "import { a } from '.';" },
      [],
    ],
    ['one that a product file loads later', { 'b.ts': "import('./a').then(({ a }) => a());" }, []],
    ['one that a test alone imports', { 'a.test.ts': "import { a } from './a';" }, ['unused']],
    ['one that no file imports', {}, ['unused']],
    [
      'one that its file and a test use',
      { 'a.ts': 'export const a = 1;\nlog(a);', 'a.test.ts': "import { a } from './a';" },
      [],
    ],
    ['one that its file alone uses', { 'a.ts': 'export const a = 1;\nlog(a);' }, ['needless']],
    ['one that a comment names', { 'a.ts': 'export const a = 1;\n// a is 1\n/** Sets a. */\n' }, ['unused']],
  ])('are found: %s', (_name, files, kinds) => {
    const all = new Map(
      Object.entries({ 'a.ts': 'export const a = 1;', ...files }).map(([file, text]) => [`src/${file}`, text]),
    );
    expect(findIdleExports(all, (file) => file === 'src/a.ts', isTest).map(({ kind }) => kind)).toEqual(kinds);
  });
});
