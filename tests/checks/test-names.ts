import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Test that runs: names of its groups and its own, joined by " › ", and its file. */
export interface NamedTest {
  readonly name: string;
  readonly file: string;
}

const GROUPS = ['describe', 'suite'];
const TESTS = ['it', 'test'];
/** Reason why a test does not run or proves nothing. */
const OFF = ['skip', 'todo', 'fails'];

/**
 * Tests of a source text by full name. Only calls count, so a mark in a comment, in a skipped test or in a group
 * without tests covers nothing. Of names built at run time only the literal parts count.
 */
export function testsIn(text: string, file: string): NamedTest[] {
  const found: NamedTest[] = [];
  const source = ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.Latest,
    true,
    file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? callOf(node) : undefined;
    if (call === undefined) return ts.forEachChild(node, (child) => visit(child, groups));
    if (call.off) return;
    const names = [...groups, call.name];
    if (call.isTest) found.push({ name: names.join(' › '), file });
    else ts.forEachChild(node, (child) => visit(child, names));
  };
  visit(source, []);
  return found;
}

function callOf(
  node: ts.CallExpression,
): { readonly name: string; readonly isTest: boolean; readonly off: boolean } | undefined {
  const first = node.arguments[0];
  if (first === undefined || !isWords(first)) return undefined;
  const members: string[] = [];
  let callee: ts.Expression = node.expression;
  while (!ts.isIdentifier(callee)) {
    if (ts.isPropertyAccessExpression(callee)) {
      members.push(callee.name.text);
      callee = callee.expression;
    } else if (ts.isCallExpression(callee)) {
      callee = callee.expression; // it.each(table)('name', …), it.runIf(condition)('name', …)
    } else if (ts.isTaggedTemplateExpression(callee)) {
      callee = callee.tag;
    } else {
      return undefined;
    }
  }
  const isTest = TESTS.includes(callee.text);
  if (!isTest && !GROUPS.includes(callee.text)) return undefined;
  // The table of `it.each(['a'])` is a call without a function, not a test.
  if (
    !node.arguments.some(
      (argument) => ts.isArrowFunction(argument) || ts.isFunctionExpression(argument) || ts.isIdentifier(argument),
    )
  )
    return undefined;
  return { name: wordsOf(first), isTest, off: members.some((member) => OFF.includes(member)) };
}

function isWords(node: ts.Expression): node is ts.StringLiteralLike | ts.TemplateExpression {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function wordsOf(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  return ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('…')
    : node.text;
}

/** Tests of all files below some folders: `*.test.ts(x)`, and the suites in `tests/conformance` that stores run. */
export function testsBelow(root: string, folders: readonly string[]): NamedTest[] {
  return filesBelow(root, folders)
    .filter((file) => /\.test\.tsx?$/.test(file) || /^tests\/conformance\/.*\.ts$/.test(file))
    .flatMap((file) => testsIn(readFileSync(path.join(root, file), 'utf8'), file));
}

/** Files below some folders, as paths from the root with `/`. */
export function filesBelow(root: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
      .filter((file) => !file.includes('node_modules/')),
  );
}
