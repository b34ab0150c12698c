import { readFileSync } from 'node:fs';

/** Row of a section: a sentence of the specification in our words, its places in the code, and what holds it. */
export interface SpecificationRow {
  readonly sentence: string;
  readonly places: readonly string[];
  readonly tests: readonly CitedTest[];
  /** Links to decisions why no test can hold it, from `docs`: `decisions/app.md#a-heading`. */
  readonly decisions: readonly string[];
}

/** Test as a row names it: file, and part of the name; `part` is empty if only the file is named. */
export interface CitedTest {
  readonly file: string;
  readonly part: string;
}

/** Section of the three specifications as `docs/specification.md` lists it; `rows` is empty for one not built yet. */
export interface SpecificationSection {
  /** Part and section, such as `2§4`. */
  readonly mark: string;
  readonly title: string;
  readonly rows: readonly SpecificationRow[];
  /** Places that "Not built yet" names: constants and texts that wait for their section. */
  readonly waiting: readonly string[];
}

/** Mark of a section in text, such as `2§4`. */
export const MARK = /(?<![0-9])[0-9]+§[0-9]+/g;

/** Sections of the page, in its order: those with a table, then the list of those that are not built yet. */
export function readSpecification(
  page = new URL('../../docs/specification.md', import.meta.url),
): SpecificationSection[] {
  const [, ...chapters] = readFileSync(page, 'utf8').split(/^## /m);
  return chapters.flatMap((chapter) => {
    const heading = /^(\d+§\d+) (.+)$/m.exec(chapter.split('\n', 1)[0] ?? '');
    if (heading !== null)
      return [
        {
          mark: heading[1] ?? '',
          title: heading[2] ?? '',
          rows: rowsOf(chapter),
          waiting: pathsIn(/^Not built yet: (.|\n(?!\n))*/m.exec(chapter)?.[0] ?? '').filter((name) =>
            name.includes('/'),
          ),
        },
      ];
    return [...chapter.matchAll(/^- (\d+§\d+) ([^:]+):/gm)].map(([, mark = '', title = '']) => ({
      mark,
      title,
      rows: [],
      waiting: [],
    }));
  });
}

function rowsOf(chapter: string): SpecificationRow[] {
  return chapter
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const [, sentence = '', place = '', test = ''] = line.split('|').map((cell) => cell.trim());
      return { sentence, places: pathsIn(place), tests: testsIn(test), decisions: linksIn(test) };
    });
}

/** Tests of a cell: each path with the quoted parts of names after it. */
function testsIn(cell: string): CitedTest[] {
  return [...cell.matchAll(/`([^`]+)`([^`]*)/g)].flatMap(([, file = '', after = '']) => {
    const parts = [...after.matchAll(/"([^"]+)"/g)].map(([, part = '']) => part);
    return (parts.length === 0 ? [''] : parts).map((part) => ({ file, part }));
  });
}

const linksIn = (cell: string): string[] => [...cell.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);

const pathsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
