import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Content of a disk: folders (parents first) and files, by relative path. */
export interface Tree {
  readonly folders: readonly string[];
  readonly files: ReadonlyMap<string, Buffer>;
}

/** SQLite's shared memory is rebuilt by the first opener, so its state is not stored. */
export function isLeftOut(path: string): boolean {
  return path.endsWith('-shm');
}

/** Reads a folder. */
export function readTree(top: string): Tree {
  const folders: string[] = [];
  const files = new Map<string, Buffer>();
  const walk = (below: string): void => {
    for (const entry of readdirSync(join(top, below), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) {
        folders.push(path);
        walk(path);
      } else if (entry.isFile()) {
        if (!isLeftOut(path)) files.set(path, readFileSync(join(top, path)));
      } else throw new Error(`The power-cut model knows files and folders alone: ${path} is neither.`);
    }
  };
  walk('');
  return { folders, files };
}

/** Writes a tree into an empty folder. */
export function writeTree(tree: Tree, top: string): void {
  mkdirSync(top, { recursive: true });
  for (const folder of tree.folders) mkdirSync(join(top, folder));
  for (const [path, content] of tree.files) writeFileSync(join(top, path), content);
}

/** Hashes by buffer: trees share most buffers, and none is modified. */
const hashes = new WeakMap<Buffer, string>();

/** Hash of a file's bytes, computed once per buffer. */
function contentHash(content: Buffer): string {
  const known = hashes.get(content);
  if (known !== undefined) return known;
  const hash = createHash('sha1').update(content).digest('base64url');
  hashes.set(content, hash);
  return hash;
}

/** Short name of a tree: equal for the same names and bytes. */
export function treeHash(tree: Tree): string {
  const lines = [
    ...tree.folders.map((folder) => `d ${folder}`),
    ...[...tree.files].map(([path, content]) => `f ${path} ${content.length} ${contentHash(content)}`),
  ];
  return createHash('sha1').update(lines.sort().join('\0')).digest('base64url').slice(0, 16);
}

/** Differences of two trees; empty if none. */
export function differences(expected: Tree, actual: Tree): string[] {
  const found: string[] = [];
  for (const folder of expected.folders)
    if (!actual.folders.includes(folder)) found.push(`folder ${folder} is missing`);
  for (const folder of actual.folders)
    if (!expected.folders.includes(folder)) found.push(`folder ${folder} is one too many`);
  for (const [path, content] of expected.files) {
    const other = actual.files.get(path);
    if (other === undefined) found.push(`file ${path} is missing`);
    else if (!other.equals(content)) found.push(`file ${path} differs (${content.length} and ${other.length} bytes)`);
  }
  for (const path of actual.files.keys()) if (!expected.files.has(path)) found.push(`file ${path} is one too many`);
  return found;
}
