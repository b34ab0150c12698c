import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

interface Project {
  readonly root: string;
  readonly version: string;
}

/**
 * Finds the project of a file, built or source: the nearest folder above with its `package.json`.
 *
 * @param from the file's `import.meta.url`
 */
export function projectOf(from: string): Project {
  return projectAbove(path.dirname(fileURLToPath(from)));
}

function projectAbove(folder: string): Project {
  const file = path.join(folder, 'package.json');
  if (existsSync(file)) {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version: string };
    if (name === 'great-reef-census') return { root: folder, version };
  }
  const above = path.dirname(folder);
  return above === folder ? { root: process.cwd(), version: '0.0.0' } : projectAbove(above);
}
