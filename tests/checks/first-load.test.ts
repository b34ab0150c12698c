import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { firstLoad } from '../bench/tools/first-load';

const folder = mkdtempSync(path.join(os.tmpdir(), 'reef-first-load-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the first load lists the entry, the app, the start page and their imports, each file once', () => {
  mkdirSync(path.join(folder, '.vite'), { recursive: true });
  mkdirSync(path.join(folder, 'assets'));
  for (const name of ['start', 'main', 'page', 'shared', 'later'])
    writeFileSync(path.join(folder, 'assets', `${name}.js`), randomBytes(1000).toString('hex'));
  const manifest = {
    'index.html': { file: 'assets/start.js', dynamicImports: ['app/main.tsx'] },
    'app/main.tsx': {
      file: 'assets/main.js',
      imports: ['index.html', '_shared.js'],
      dynamicImports: ['data/tablet.ts'],
    },
    'routes/surveys/index.tsx?tsr-split=component': { file: 'assets/page.js', imports: ['_shared.js', 'app/main.tsx'] },
    '_shared.js': { file: 'assets/shared.js', imports: ['app/main.tsx'] },
    'data/tablet.ts': { file: 'assets/later.js' },
  };
  writeFileSync(path.join(folder, '.vite', 'manifest.json'), JSON.stringify(manifest));
  const { scripts, gzip } = firstLoad(folder);
  expect(scripts.map(({ file }) => path.basename(file, '.js')).sort()).toEqual(['main', 'page', 'shared', 'start']);
  expect(gzip).toBe(scripts.reduce((sum, script) => sum + script.gzip, 0));
  expect(gzip).toBeGreaterThan(4000);
  expect(() => firstLoad(os.tmpdir())).toThrow('npm run build');
});
