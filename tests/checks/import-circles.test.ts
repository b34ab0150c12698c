import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FOLDERS = ['src', 'sw', 'edge-server', 'cloud-sync'];

/** Imports by file: the imported files, each with true if types alone are imported. */
type ImportGraph = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

function productFiles(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.split(path.sep).join('/')}`)
      .filter((file) => /\.(ts|tsx|mts|mjs)$/.test(file) && !/\.(test|d)\.tsx?$|node_modules/.test(file)),
  );
}

/** Specifiers of a file's imports with true for types alone; dynamic imports count as values. */
function importsOf(file: string, text: string): readonly (readonly [string, boolean])[] {
  const found: (readonly [string, boolean])[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined)
      found.push([(node.moduleSpecifier as ts.StringLiteral).text, isTypeOnly(node)]);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      found.push([(node.argument.literal as ts.StringLiteral).text, true]);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier !== undefined && ts.isStringLiteral(specifier)) found.push([specifier.text, false]);
    }
    // Only `import(…)` can be below the top level of a file.
    if (ts.isSourceFile(node) || text.includes('import(')) ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (clause === undefined || clause.isTypeOnly) return clause !== undefined;
  const { namedBindings } = clause;
  return (
    clause.name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((element) => element.isTypeOnly)
  );
}

function graphOf(texts: ReadonlyMap<string, string>): ImportGraph {
  const resolve = (file: string, specifier: string): string | undefined => {
    const target = path.posix.join(path.posix.dirname(file), specifier);
    return ['', '.ts', '.tsx', '.mts', '.mjs', '/index.ts', '/index.tsx']
      .map((end) => `${target}${end}`)
      .find((candidate) => texts.has(candidate));
  };
  return new Map(
    [...texts].map(([file, text]) => {
      const imported = new Map<string, boolean>();
      for (const [specifier, isType] of importsOf(file, text)) {
        const target = specifier.startsWith('.') ? resolve(file, specifier) : undefined;
        if (target !== undefined) imported.set(target, isType && (imported.get(target) ?? true));
      }
      return [file, imported];
    }),
  );
}

/** Sets of files that import each other in a circle (Tarjan's strongly connected components). */
function circlesIn(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const own = order.size;
    let low = own;
    order.set(file, own);
    stack.push(file);
    for (const target of graph.get(file)?.keys() ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, lowest.get(target) ?? order.get(target) ?? low);
    }
    lowest.set(file, low);
    if (low < own) return low;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1 || graph.get(file)?.has(file) === true) circles.push(circle.sort());
    return low;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}

/** Circles that are refused: all but two files of one folder that import types alone from each other. */
function refusedCircles(graph: ImportGraph): string[] {
  return circlesIn(graph)
    .filter((circle) => {
      const isPair = circle.length === 2 && new Set(circle.map((file) => path.posix.dirname(file))).size === 1;
      return !isPair || circle.some((file) => circle.some((other) => graph.get(file)?.get(other) === false));
    })
    .map((circle) => circle.join(' <-> '));
}

describe('imports of the product', () => {
  it('contain no cycle between files, except of types in one folder', { timeout: 300_000 }, () => {
    const files = productFiles();
    expect(files.length).toBeGreaterThan(900);
    const graph = graphOf(new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')])));
    expect([...graph.values()].reduce((sum, imported) => sum + imported.size, 0)).toBeGreaterThan(4000);
    expect(refusedCircles(graph)).toEqual([]);
  });

  it.each([
    ['a circle of values', { 'x/a.ts': "import { b } from './b';", 'x/b.ts': "import { a } from './a';" }, 1],
    ['a circle through a late import', { 'x/a.ts': "import('./b');", 'x/b.ts': "import { a } from './a';" }, 1],
    ['types and values', { 'x/a.ts': "import type { B } from './b';", 'x/b.ts': "export { A } from './a';" }, 1],
    [
      'types of one folder',
      { 'x/a.ts': "import type { B } from './b';", 'x/b.ts': "export type { A } from './a';" },
      0,
    ],
    [
      'types of two folders',
      { 'x/a.ts': "import { type B } from '../y';", 'y/index.ts': "type T = import('../x/a').A;" },
      1,
    ],
    [
      'types of three files',
      {
        'x/a.ts': "import type { B } from './b';",
        'x/b.tsx': "import type { C } from './c';",
        'x/c.ts': "import type { A } from './a';",
      },
      1,
    ],
    [
      'a line of imports',
      { 'x/a.ts': "import './b';", 'x/b.ts': "import { c } from './c';", 'x/c.ts': 'export {};' },
      0,
    ],
  ])('are allowed or refused: %s', (_name, files, refused) => {
    expect(refusedCircles(graphOf(new Map(Object.entries(files))))).toHaveLength(refused);
  });
});
