import { readFileSync } from 'node:fs';

/** Row of a section: a sentence of the specification in our words, its places in the code and its tests. */
export interface SpecificationRow {
  readonly sentence: string;
  readonly places: readonly string[];
  readonly tests: readonly string[];
}

/** Section of the three specifications as `docs/specification.md` lists it; `rows` is empty for one not built yet. */
export interface SpecificationSection {
  /** Part and section, such as `2§4`. */
  readonly mark: string;
  readonly title: string;
  readonly rows: readonly SpecificationRow[];
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
    if (heading !== null) return [{ mark: heading[1] ?? '', title: heading[2] ?? '', rows: rowsOf(chapter) }];
    return [...chapter.matchAll(/^- (\d+§\d+) ([^:]+):/gm)].map(([, mark = '', title = '']) => ({
      mark,
      title,
      rows: [],
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
      return { sentence, places: pathsIn(place), tests: pathsIn(test) };
    });
}

const pathsIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
