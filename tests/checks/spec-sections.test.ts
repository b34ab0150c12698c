import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { NamedTest } from './test-names';
import { testsBelow, testsIn } from './test-names';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A section of what the product is held to, and the marks in a test's name that say that the test holds it. */
interface Section {
  readonly name: string;
  readonly mark: RegExp;
  /** True once the work on it has begun: from then on, a section without any test is a fault. */
  readonly expected: boolean;
}

/** The sections of the three specifications, by their headings. */
const SPECIFICATION: readonly (readonly [part: number, headings: readonly string[], expected: readonly number[]])[] = [
  [
    1,
    [
      'What the product does',
      'Screens and routes',
      'Entities',
      'States',
      'Validation rules',
      'Roles',
      'Calls',
      'Error catalogue',
      'Constants',
    ],
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  ],
  [
    2,
    [
      'What the product does',
      'Screens and routes',
      'Entities',
      'States',
      'Validation rules',
      'Roles',
      'Calls',
      'Error catalogue',
      'Constants',
    ],
    [2, 3, 4, 5, 6, 7, 8, 9],
  ],
  [
    3,
    [
      'What the product does',
      'Screens and routes',
      'Entities',
      'States',
      'Validation rules',
      'Roles',
      'Calls',
      'Error catalogue',
      'Constants',
    ],
    [2, 3, 5, 9],
  ],
];

/** The parts of the protocol page. */
const PROTOCOL: readonly Section[] = [
  { name: 'protocol, Operations', mark: /protocol: the envelope of an operation/, expected: true },
  { name: 'protocol, Canonical JSON', mark: /protocol[^›]*: canonical JSON/, expected: true },
  { name: 'protocol, Fold', mark: /protocol: fold/, expected: true },
  { name: 'protocol, Append on the tablet', mark: /protocol: append on the tablet/, expected: true },
  { name: 'protocol, Receipts and keys', mark: /protocol: receipts/, expected: true },
  { name: 'protocol, Durable before any receipt', mark: /protocol: durable/, expected: true },
  { name: 'protocol, Freeing', mark: /protocol: freeing/, expected: true },
  { name: 'protocol, Edge socket', mark: /protocol: edge socket/, expected: true },
  { name: 'protocol, Errors', mark: /protocol: errors/, expected: true },
  { name: 'protocol, Client behaviour', mark: /protocol: client behaviour/, expected: true },
  { name: 'protocol, Origins and certificates', mark: /protocol: (origins|certificates)/, expected: false },
  { name: 'protocol, Commands and settings', mark: /protocol: (commands|settings)/, expected: false },
  { name: 'protocol, Edge HTTP', mark: /protocol: edge http/i, expected: false },
  { name: 'protocol, Cloud HTTP', mark: /protocol: cloud http/i, expected: false },
  { name: 'protocol, Sealed bundle', mark: /protocol: sealed bundle/, expected: false },
];

const SECTIONS: readonly Section[] = [
  ...SPECIFICATION.flatMap(([part, headings, expected]) =>
    headings.map((heading, i) => ({
      name: `${part}§${i + 1} ${heading}`,
      mark: new RegExp(`(?<![0-9])${part}§${i + 1}(?![0-9])`),
      expected: expected.includes(i + 1),
    })),
  ),
  ...PROTOCOL,
];

const unheld = (tests: readonly NamedTest[], sections = SECTIONS) =>
  sections.filter(({ mark }) => !tests.some(({ name }) => mark.test(name)));

describe('sections of the specification and the tests that hold them', () => {
  const folders = ['src', 'edge-server', 'cloud-sync', 'sw', 'tests'].filter((folder) =>
    existsSync(`${root}/${folder}`),
  );
  const tests = testsBelow(root, folders);

  it('each section whose work has begun is held by a test', () => {
    const open = unheld(tests);
    const later = open.filter(({ expected }) => !expected).map(({ name }) => name);
    if (later.length > 0) console.info(`No test yet for: ${later.join('; ')}.`);
    expect(open.filter(({ expected }) => expected).map(({ name }) => name)).toEqual([]);
  });

  it('no test marks a section that there is not', () => {
    const marks = tests.flatMap(({ name, file }) =>
      [...name.matchAll(/(\d+)§(\d+)/g)].map(([mark]) => ({ mark, file })),
    );
    expect(marks.filter(({ mark }) => !SECTIONS.some((section) => section.name.startsWith(`${mark} `)))).toEqual([]);
  });
});

describe('the reading of test names', () => {
  const names = (text: string) => testsIn(text, 'x.test.ts').map(({ name }) => name);

  it('joins groups and tests, tables and suites of functions included', () => {
    expect(
      names(`
        describe('1§9 ids', () => { it('are short', () => {}); it.each([['a', 1]])('of %s', (a) => {}); });
        export function suite(make) { describe.each(['x'] as const)('store %s', () => { test(\`says \${make} so\`, () => {}); }); }
      `),
    ).toEqual(['1§9 ids › are short', '1§9 ids › of %s', 'store %s › says … so']);
  });

  it('counts no comment, no skipped or open test, no group without tests', () => {
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

  it('a section is unheld until a test bears its mark', () => {
    const section: Section = { name: '1§9 Constants', mark: /(?<![0-9])1§9(?![0-9])/, expected: true };
    const named = (name: string) => unheld([{ name, file: 'x' }], [section]).length;
    expect([named('1§9 ids'), named('1§8 and 1§9 words'), named('1§90 x'), named('11§9 x'), named('ids')]).toEqual([
      0, 0, 1, 1, 1,
    ]);
  });
});
