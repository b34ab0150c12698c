// Rival: `express-pouchdb` over its memory adapter (no disk reads), set up as in its own guide, with a page that
// contains `pouchdb-browser`. `BENCH_DOCUMENTS` names a file with one JSON document per line.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { build } from 'esbuild';
import { announce } from './ready';

interface Database {
  bulkDocs(documents: readonly object[]): Promise<readonly { readonly ok?: boolean }[]>;
}
interface Pouch {
  new (name: string): Database;
  plugin(plugin: unknown): Pouch;
  defaults(options: object): Pouch;
}

// These packages have no types.
const load = createRequire(import.meta.url);
const express = load('express') as (() => {
  use(...parts: unknown[]): void;
  get(
    path: string,
    answer: (request: unknown, response: { type(type: string): { send(body: string): void } }) => void,
  ): void;
}) &
  ((...args: never[]) => unknown);
const expressPouch = load('express-pouchdb') as (pouch: Pouch, options: object) => unknown;
const Core = load('pouchdb-core') as Pouch;
const Memory = Core.plugin(load('pouchdb-adapter-memory'))
  .plugin(load('pouchdb-mapreduce'))
  .plugin(load('pouchdb-replication'))
  .defaults({ adapter: 'memory' });

const lines = readFileSync(process.env['BENCH_DOCUMENTS'] ?? '', 'utf8')
  .split('\n')
  .filter((line) => line !== '');
const written = await new Memory('census').bulkDocs(lines.map((line) => JSON.parse(line) as object));
if (written.some(({ ok }) => ok !== true)) throw new Error('the rival did not take every document');

const { outputFiles } = await build({
  stdin: {
    contents: `import PouchDB from 'pouchdb-browser'; globalThis.PouchDB = PouchDB;`,
    resolveDir: process.cwd(),
  },
  bundle: true,
  minify: true,
  platform: 'browser',
  define: { global: 'globalThis' },
  write: false,
});
const browserProgram = outputFiles[0]?.text ?? '';
const app = express();
app.get('/page', (_request, response) =>
  response.type('html').send('<!doctype html><title>rival</title><script src="/pouchdb.js"></script>'),
);
app.get('/pouchdb.js', (_request, response) => response.type('text/javascript').send(browserProgram));
app.use('/', expressPouch(Memory, { mode: 'minimumForPouchDB' }));
announce(createServer(app as never));
