import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../docs/decisions/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

test('docs/decisions/README.md lists each decision under its file, in order', () => {
  const areas = readdirSync(folder).filter((name) => name !== 'README.md');
  const titles = (name: string): string[] => [...read(name).matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
  const index = read('README.md');
  const listed = (name: string): string[] =>
    [...index.matchAll(/^- \[(.+)\]\(([a-z-]+\.md)#.+\)$/gm)].flatMap(([, title = '', file]) =>
      file === name ? [title] : [],
    );
  expect(areas.length).toBeGreaterThan(0);
  for (const name of areas) expect(listed(name), name).toEqual(titles(name));
});
