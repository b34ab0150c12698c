import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type CitedTest, MARK, readSpecification } from './specification';
import type { NamedTest } from './test-names';
import { filesBelow, testsBelow } from './test-names';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tests = testsBelow(root, ['src', 'edge-server', 'cloud-sync', 'sw', 'tests']);
const sections = readSpecification();
const rows = sections.flatMap(({ mark, rows }) => rows.map((row) => ({ mark, ...row })));

/** Marks in code and tests, once per file. These checks are excluded, as their marks are examples. */
const citations = filesBelow(root, ['src', 'edge-server', 'cloud-sync', 'sw', 'scripts', 'tests'])
  .filter((file) => /\.(tsx?|mjs|css|sql)$/.test(file) && !file.startsWith('tests/checks/'))
  .flatMap((file) =>
    [...new Set(readFileSync(path.join(root, file), 'utf8').match(MARK))].map((mark) => ({ mark, file })),
  );

describe('docs/specification.md', () => {
  it('lists the nine sections of each of the three parts once', () => {
    const marks = ['1', '2', '3'].flatMap((part) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${part}§${n}`));
    expect(sections.map(({ mark }) => mark).sort()).toEqual(marks);
  });

  it('has a table for each section that code or a test cites', () => {
    expect(citations.length).toBeGreaterThan(400);
    const built = new Set(rows.map(({ mark }) => mark));
    expect(citations.filter(({ mark }) => !built.has(mark))).toEqual([]);
  });

  it('lists each product file that cites a section', () => {
    const isListed = ({ mark, file }: { mark: string; file: string }): boolean =>
      sections.some(
        (section) =>
          section.mark === mark &&
          [...section.rows.flatMap(({ places }) => places), ...section.waiting].some((place) =>
            `${file}/`.startsWith(`${place}/`),
          ),
      );
    const product = citations.filter(({ file }) => !/^tests\/|\.test\./.test(file));
    expect(product.filter((citation) => !isListed(citation))).toEqual([]);
  });

  it('names places that exist, at least one per row', () => {
    expect(rows.filter(({ places }) => places.length === 0)).toEqual([]);
    const paths = new Set(
      sections.flatMap(({ rows, waiting }) => [...rows.flatMap(({ places }) => places), ...waiting]),
    );
    expect([...paths].filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  it('names tests that exist and bear the mark of the section', () => {
    const cited = rows.flatMap(({ mark, tests }) => tests.map((test) => ({ mark, ...test })));
    expect(cited.filter((citation) => !isHeld(citation, tests))).toEqual([]);
  });

  it('names a test or a decision for each row', () => {
    const bare = rows.filter((row) => row.tests.length === 0 && row.decisions.length === 0);
    expect(bare.map(({ mark, sentence }) => `${mark} ${sentence}`)).toEqual([]);
    const links = rows.flatMap(({ decisions }) => decisions);
    expect(links.filter((link) => !isDecision(link))).toEqual([]);
  });

  it('a cited test needs its file, a part of its name, and its mark', () => {
    const found = [{ name: '1§9 ids › 1§9 ids are short', file: 'a.test.ts' }];
    const held = (mark: string, file: string, part: string) => isHeld({ mark, file, part }, found);
    expect([
      held('1§9', 'a.test.ts', 'ids are short'),
      held('1§9', 'b.test.ts', 'ids are short'),
      held('1§9', 'a.test.ts', 'ids are long'),
      held('1§8', 'a.test.ts', 'ids are short'),
      held('1§9', 'a.test.ts', ''),
    ]).toEqual([true, false, false, false, false]);
  });
});

interface Citation extends CitedTest {
  readonly mark: string;
}

/** True if a test of that file bears the mark and has the cited part in its name. */
function isHeld({ mark, file, part }: Citation, found: readonly NamedTest[]): boolean {
  return (
    part !== '' &&
    found.some(
      (test) => test.file === file && test.name.includes(part) && test.name.match(MARK)?.includes(mark) === true,
    )
  );
}

/** True if a link from `docs`, such as `decisions/app.md#a-heading`, leads to a heading. */
function isDecision(link: string): boolean {
  const [file = '', anchor = ''] = link.split('#');
  const full = path.join(root, 'docs', file);
  if (!file.startsWith('decisions/') || !existsSync(full)) return false;
  return [...readFileSync(full, 'utf8').matchAll(/^#+ (.+)$/gm)].some(([, title = '']) => anchorOf(title) === anchor);
}

/** Anchor of a heading, as code hosts make it. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** Section that the product must cover, and the mark of its tests. */
interface Section {
  readonly name: string;
  readonly mark: RegExp;
  /** True once work on it has begun: from then on, a section without a test is an error. */
  readonly expected: boolean;
}

/** Sections of the protocol page. */
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
  ...sections.map(({ mark, title, rows }) => ({
    name: `${mark} ${title}`,
    mark: new RegExp(`(?<![0-9])${mark}(?![0-9])`),
    expected: rows.length > 0,
  })),
  ...PROTOCOL,
];

const unheld = (tests: readonly NamedTest[], sections = SECTIONS) =>
  sections.filter(({ mark }) => !tests.some(({ name }) => mark.test(name)));

describe('sections of the specification and the tests that cover them', () => {
  it('each started section is covered by a test', () => {
    const open = unheld(tests);
    const later = open.filter(({ expected }) => !expected).map(({ name }) => name);
    if (later.length > 0) console.info(`No test yet for: ${later.join('; ')}.`);
    expect(open.filter(({ expected }) => expected).map(({ name }) => name)).toEqual([]);
  });

  it('each section mark in a test names an existing section', () => {
    const marks = tests.flatMap(({ name, file }) => (name.match(MARK) ?? []).map((mark) => ({ mark, file })));
    expect(marks.filter(({ mark }) => !SECTIONS.some((section) => section.name.startsWith(`${mark} `)))).toEqual([]);
  });

  it('a section is uncovered until a test carries its mark', () => {
    const section: Section = { name: '1§9 Constants', mark: /(?<![0-9])1§9(?![0-9])/, expected: true };
    const named = (name: string) => unheld([{ name, file: 'x' }], [section]).length;
    expect([named('1§9 ids'), named('1§8 and 1§9 words'), named('1§90 x'), named('11§9 x'), named('ids')]).toEqual([
      0, 0, 1, 1, 1,
    ]);
  });
});
