import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
// The rule is plain JavaScript without types; the path is computed so that the compiler does not look for them.
const rule = (await import(new URL('../../scripts/lint/layers.mjs', import.meta.url).href)) as {
  checkImport: (file: string, specifier: string) => string | undefined;
};
const { checkImport } = rule;

/** File inside each layer, as an import from elsewhere would name it. `features` by its index, the one way in. */
const TARGETS: Readonly<Record<string, string>> = {
  base: 'src/base/emitter',
  geo: 'src/geo/distance',
  domain: 'src/domain/ids',
  protocol: 'src/protocol/receipt',
  imaging: 'src/imaging/raster',
  workers: 'src/workers/photograph.api',
  platform: 'src/platform/host',
  data: 'src/data/ops/append',
  repositories: 'src/data/repositories/index',
  ui: 'src/ui/Button',
  features: 'src/features/capture',
  routes: 'src/routes/index',
  app: 'src/app/main',
  server: 'src/server/blob-store',
  sw: 'sw/sw',
  'edge-server': 'edge-server/app',
  'cloud-sync': 'cloud-sync/api/app',
};

/** The import table of docs/architecture.md: layer → folder and the layers it may import. */
function documentedTable(): { layer: string; folder: string; may: string[] }[] {
  const text = readFileSync(`${root}/docs/architecture.md`, 'utf8');
  const table = text.slice(text.indexOf('| layer | folder | may import |')).split('\n\n')[0] ?? '';
  return table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()))
    .map(([, layer = '', folder = '', may = '']) => ({
      layer,
      folder: folder.replaceAll('`', ''),
      may: may === 'nothing' ? [] : may.split(', '),
    }));
}

/** Specifier by which a file two folders below `folder` would name a file from the project's top. */
const fromInside = (folder: string, target: string) => `${'../'.repeat(folder.split('/').length + 1)}${target}`;

describe('the import table of docs/architecture.md is the rule that lint holds', () => {
  const table = documentedTable();

  it('has every layer', () => {
    expect(table.map(({ layer }) => layer).sort()).toEqual(
      Object.keys(TARGETS)
        .filter((name) => name !== 'repositories')
        .sort(),
    );
  });

  it.each(table)('$layer may import: $may', ({ layer, folder, may }) => {
    const others = Object.entries(TARGETS).filter(
      ([name, target]) => name !== layer && !target.startsWith(`${folder}/`),
    );
    const allowed = others
      .filter(([, target]) => checkImport(`${folder}/part/file.ts`, fromInside(folder, target)) === undefined)
      .map(([name]) => name);
    expect(allowed.sort()).toEqual(may.filter((name) => others.some(([other]) => other === name)).sort());
    expect(checkImport(`${folder}/part/file.ts`, './other'), 'its own files').toBeUndefined();
  });
});

describe('imports that are refused, with the reason', () => {
  it.each([
    ['src/domain/ids.ts', 'node:crypto', 'domain may not use node:crypto'],
    ['src/domain/ids.ts', 'dexie', 'domain may not use dexie'],
    ['src/protocol/receipt.ts', 'socket.io-client', 'protocol may not use socket.io-client'],
    ['src/base/emitter.ts', '../domain/ids', 'base may not import domain'],
    ['src/base/emitter.ts', 'zod', 'base may not use zod'],
    ['src/imaging/raster.ts', 'zod', 'imaging may not use zod'],
    ['src/data/ops/append.ts', 'react', 'data may not use react'],
    ['src/data/ops/append.ts', 'react-dom/client', 'data may not use react-dom'],
    ['src/features/capture/adding-queue.ts', 'dexie', 'features may not use dexie'],
    ['src/features/capture/adding-queue.ts', 'rxdb/plugins/core', 'features may not use rxdb'],
    ['src/features/capture/adding-queue.ts', '../../data/ops/append', 'features may not import data'],
    ['src/features/capture/adding-queue.ts', '../auth/PersonForm', 'the inside of another feature (auth) is closed'],
    ['src/features/capture/adding-queue.ts', '../auth/parts/secret', 'the inside of another feature (auth) is closed'],
    ['src/routes/index.tsx', '../features/capture/parts/row', 'routes import a feature by its index or a lazy page'],
    ['src/routes/index.tsx', '../data/sync/sender', 'routes may not import data'],
    ['edge-server/app.ts', '../cloud-sync/api/app', 'edge-server may not import cloud-sync'],
    ['edge-server/app.ts', '../src/data/ops/append', 'edge-server may not import data'],
    ['src/domain/ids.ts', '../../tests/support/seed', 'product code never imports tests/'],
    ['edge-server/app.ts', '../scripts/setup.mjs', 'product code never imports scripts/'],
    ['src/workers/photograph.worker.ts', '../data/ops/append?worker', 'workers may not import data'],
  ])('%s may not import %s', (file, specifier, why) => {
    expect(checkImport(file, specifier)).toContain(why);
  });

  it.each([
    ['src/domain/survey/survey.ts', 'zod'],
    ['src/features/capture/adding-queue.ts', '../auth'],
    ['src/features/capture/adding-queue.ts', '../auth/index'],
    ['src/features/capture/adding-queue.ts', '../../data/repositories/image-repository'],
    ['src/routes/index.tsx', '../features/capture/SurveysPage'],
    ['src/app/main.tsx', '../data/ops/append'],
    ['edge-server/app.ts', 'node:fs'],
    ['src/domain/ids.test.ts', 'node:crypto'],
    ['tests/support/servers/client.ts', '../../src/data/ops/append'],
    ['scripts/setup.mjs', '../src/domain/limits'],
  ])('%s may import %s', (file, specifier) => {
    expect(checkImport(file, specifier)).toBeUndefined();
  });
});

describe('lint applies the rule to every form of import', () => {
  const eslint = new ESLint({ cwd: root, overrideConfigFile: 'scripts/lint/eslint.config.mjs' });
  const refusals = async (code: string, filePath: string) =>
    (await eslint.lintText(code, { filePath: `${root}/${filePath}` }))
      .flatMap(({ messages }) => messages)
      .map(({ ruleId }) => ruleId);

  it.each([
    ['a value', "import { append } from '../data/ops/append';\nappend();\n"],
    ['a type', "import type { OpsStore } from '../data/ops/ops-store';\nexport type Mine = OpsStore;\n"],
    ['a side effect', "import '../data/ops/append';\n"],
    ['a passing on', "export { append } from '../data/ops/append';\n"],
    ['a lazy one', "export const load = () => import('../data/ops/append');\n"],
    ['a type in place', "export type Mine = import('../data/ops/ops-store').OpsStore;\n"],
  ])('%s', async (_form, code) => {
    expect(await refusals(code, 'src/domain/sample.ts')).toEqual(['layers/imports']);
    expect(await refusals(code.replaceAll('../data/ops', './op'), 'src/domain/sample.ts')).toEqual([]);
  });

  it('a wildcard that matches everything is refused as a wildcard', async () => {
    expect(await refusals("export * from './ids';\n", 'src/app/sample.ts')).toEqual(['no-restricted-syntax']);
    expect(await refusals("export * from './ids';\n", 'src/domain/sample.ts')).toEqual(['no-restricted-syntax']);
  });

  it.each([
    ['the clock', 'export const now = () => Date.now();\n'],
    ['the clock as a date', 'export const now = () => new Date();\n'],
    ['randomness', 'export const any = () => Math.random();\n'],
    ['the network', "export const get = () => fetch('/');\n"],
    ['the process', 'export const env = () => process.env;\n'],
  ])('the pure layers do not use %s', async (_what, code) => {
    expect(await refusals(code, 'src/domain/sample.ts')).toHaveLength(1);
    expect(await refusals(code, 'src/app/sample.ts')).toEqual([]);
  });
});

describe('the files that docs/architecture.md names', () => {
  it('exist, except those marked as planned', () => {
    const text = readFileSync(`${root}/docs/architecture.md`, 'utf8');
    const named = [...text.matchAll(/`((?:src|edge-server|scripts|tests|docs|sw)\/[\w./-]+)`/g)].flatMap(([, name]) =>
      name === undefined ? [] : [name],
    );
    expect(named.length).toBeGreaterThan(20);
    const toCome = (name: string): boolean => text.includes(`\`${name}\` (to come)`);
    expect(named.filter((name) => !existsSync(`${root}/${name}`) && !toCome(name))).toEqual([]);
  });
});
