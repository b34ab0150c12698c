import path from 'node:path';

/** Names that a module exports, and the exports of others that it uses, read from its text as prettier writes it. */
export interface ModuleNames {
  readonly exported: readonly string[];
  /** Specifiers of `export * from`. */
  readonly forwarded: readonly string[];
  readonly used: readonly UsedNames[];
}

interface UsedNames {
  readonly specifier: string;
  /** Names as the other module exports them; null: any of its names that the text contains. */
  readonly names: readonly string[] | null;
}

const DECLARED =
  /^export (?:declare )?(?:default )?(?:async )?(?:abstract )?(?:function\*?|class|enum|interface|type|const|let) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm;
const IMPORTED = /^import (?:type )?(?:(\w+)(?:, )?)?(?:\{([^}]*)\})?(\* as \w+)? from '([^']+)'/gm;
const LATE = /\bimport\(\s*'([^']+)'\s*\)/g;

export function namesOf(text: string): ModuleNames {
  const lists = [...text.matchAll(LISTED)].map(([, list = '', from]) => ({ names: namesIn(list), from }));
  return {
    exported: [
      ...[...text.matchAll(DECLARED)].map(([all, name = '']) => (all.startsWith('export default') ? 'default' : name)),
      ...(/^export default (?!async |abstract |function|class)/m.test(text) ? ['default'] : []),
      ...lists.flatMap(({ names }) => names.map(({ here }) => here)),
    ],
    forwarded: [...text.matchAll(/^export \* from '([^']+)'/gm)].map(([, specifier = '']) => specifier),
    used: [
      ...[...text.matchAll(IMPORTED)].map(([, ofDefault, list = '', all, specifier = '']) => ({
        specifier,
        names:
          all === undefined
            ? [...(ofDefault === undefined ? [] : ['default']), ...namesIn(list).map(({ there }) => there)]
            : null,
      })),
      ...lists.flatMap(({ names, from }) =>
        from === undefined ? [] : [{ specifier: from, names: names.map(({ there }) => there) }],
      ),
      ...[...text.matchAll(LATE)].map(([, specifier = '']) => ({ specifier, names: null })),
    ],
  };
}

/** Names of `a, type b, c as d`: `there` in the other module, `here` in this one. */
function namesIn(list: string): { readonly there: string; readonly here: string }[] {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [there = '', here = there] = item.split(' as ');
      return { there, here };
    });
}

/** Export that no product file needs: `unused` if its own file does not use it either, else `needless`. */
export interface Finding {
  readonly file: string;
  readonly name: string;
  readonly kind: 'unused' | 'needless';
}

/**
 * Exports without a caller outside tests, of the files that `isProduct` names. An export that its own file uses may
 * exist for a test; without one it is needless.
 */
export function findIdleExports(
  texts: ReadonlyMap<string, string>,
  isProduct: (file: string) => boolean,
  isTest: (file: string) => boolean,
): Finding[] {
  const modules = new Map([...texts].map(([file, text]) => [file, namesOf(text)]));
  const byProduct = new Set<string>();
  const byTests = new Set<string>();
  const mark = (calls: Set<string>, file: string, name: string, text: string): void => {
    const target = modules.get(file);
    if (target === undefined) return;
    if (target.exported.includes(name)) calls.add(`${file} ${name}`);
    else
      for (const specifier of target.forwarded) {
        const next = resolve(file, specifier, texts);
        if (next !== undefined && next !== file) mark(calls, next, name, text);
      }
  };
  for (const [file, { used }] of modules) {
    const text = texts.get(file) ?? '';
    const calls = isTest(file) ? byTests : byProduct;
    for (const { specifier, names } of used) {
      const target = resolve(file, specifier, texts);
      if (target === undefined) continue;
      for (const name of names ??
        reachable(target, modules, texts).filter((name) => name === 'default' || has(text, name)))
        mark(calls, target, name, text);
    }
  }
  return [...modules]
    .filter(([file]) => isProduct(file))
    .flatMap(([file, { exported }]) =>
      exported.flatMap((name): Finding[] => {
        const key = `${file} ${name}`;
        if (byProduct.has(key)) return [];
        const isUsedHere = name !== 'default' && count(texts.get(file) ?? '', name) > 1;
        if (!isUsedHere) return [{ file, name, kind: 'unused' }];
        return byTests.has(key) ? [] : [{ file, name, kind: 'needless' }];
      }),
    );
}

/** Names that can be imported from a file, those of `export * from` included. */
function reachable(
  file: string,
  modules: ReadonlyMap<string, ModuleNames>,
  texts: ReadonlyMap<string, string>,
): string[] {
  const { exported = [], forwarded = [] } = modules.get(file) ?? {};
  const further = forwarded.flatMap((specifier) => resolve(file, specifier, texts) ?? []);
  return [...exported, ...further.flatMap((next) => reachable(next, modules, texts))];
}

const ENDS = ['', '.ts', '.tsx', '.mts', '.mjs', '/index.ts', '/index.tsx'];

function resolve(file: string, specifier: string, texts: ReadonlyMap<string, string>): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const target = path.posix.join(path.posix.dirname(file), specifier.replace(/\?\w+$/, ''));
  return ENDS.map((end) => `${target}${end}`).find((candidate) => texts.has(candidate));
}

const count = (text: string, name: string): number =>
  [...withoutComments(text).matchAll(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, 'g'))].length;
const has = (text: string, name: string): boolean => new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(text);
const withoutComments = (text: string): string => text.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
