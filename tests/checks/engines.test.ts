import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ENGINE_FLOORS, ENGINE_FLOORS_TEXT } from '../../src/platform/engine-floors';
import { usesOf } from './engine-apis';

const root = new URL('../../', import.meta.url);

test('the README states the floor of each engine as the build and the app have it', () => {
  const rows = readFileSync(new URL('README.md', root), 'utf8').matchAll(
    /^\| (Chrome|Firefox|Safari)[^|]*\| (\d+) \|/gm,
  );
  expect(Object.fromEntries([...rows].map(([, name = '', version]) => [name.toLowerCase(), Number(version)]))).toEqual(
    ENGINE_FLOORS,
  );
  expect(ENGINE_FLOORS_TEXT).toBe('Chrome or Edge 137, Firefox 129, Safari 17');
});

test('a feature above the floors is found in built scripts and styles', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reef-engines-'));
  try {
    expect(() => usesOf(folder)).toThrow('npm run build');
    writeFileSync(path.join(folder, 'a.js'), 'fetch(u,{signal:AbortSignal.any([a,b])})');
    writeFileSync(path.join(folder, 'b.css'), ':root{color:light-dark(#000,#fff)}');
    writeFileSync(path.join(folder, 'c.png'), 'Promise.try(');
    const found = [...usesOf(folder)].flatMap(([, files]) => files);
    expect(found).toEqual(['a.js', 'b.css']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
