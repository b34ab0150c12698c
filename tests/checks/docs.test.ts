import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const docs = new URL('docs/', root);
const read = (name: string): string => readFileSync(new URL(name, docs), 'utf8');

test('docs/decisions/README.md lists each decision under its file, in order', () => {
  const areas = readdirSync(new URL('decisions/', docs)).filter((name) => name !== 'README.md');
  const index = [...read('decisions/README.md').matchAll(/^- \[(.+)\]\((.+)#.+\)$/gm)];
  expect(areas.length).toBeGreaterThan(0);
  for (const area of areas) {
    const titles = [...read(`decisions/${area}`).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    const listed = index.filter(([, , file]) => file === area).map(([, title]) => title);
    expect(listed, area).toEqual(titles);
  }
});

test('each path that a page in docs names exists', () => {
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/`((?:src|sw|tests|scripts|edge-server|cloud-sync|public|docs)\/[\w./-]+)`/g)].map(
      ([, path = '']) => ({ page, path }),
    ),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ path }) => !existsSync(new URL(path, root)))).toEqual([]);
});

test('each attack that docs/security.md names is a test, and each file of attacks is named', () => {
  const attacks = new URL('tests/attacks/', root);
  const files = readdirSync(attacks).flatMap((name) => /^(.+)\.test\.ts$/.exec(name)?.[1] ?? []);
  const named = read('security.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && line.includes('`'))
    .flatMap((line) => line.split(/\||<br>/))
    .flatMap((cell) =>
      [...cell.matchAll(/`([\w-]+)`: (.+?) *$/g)].map(([, file = '', title = '']) => ({ file, title })),
    );
  const isThere = ({ file, title }: { file: string; title: string }): boolean =>
    files.includes(file) && readFileSync(new URL(`${file}.test.ts`, attacks), 'utf8').includes(title);
  expect(named.filter((attack) => !isThere(attack))).toEqual([]);
  expect(files.filter((file) => !named.some((attack) => attack.file === file))).toEqual([]);
});
