/** Bundles of the present source for tests, made once for all test processes. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { MIGRATIONS, copyMigrations } from '../../../scripts/build-servers.mjs';
import { AS_SCRIPTS, addModules, keepCompiledCode } from './code-cache';

const TOP = fileURLToPath(new URL('../../..', import.meta.url));
/** Below node_modules, so that unbundled packages are found. */
const BUNDLES = path.join(TOP, 'node_modules', '.cache', 'test-bundles');
const STALE_MS = 24 * 3_600_000;
/** Files besides the source that a bundle depends on. */
const SETTINGS = [
  'package-lock.json',
  'tsconfig.json',
  'scripts/build-servers.mjs',
  'tests/support/servers/code-cache.ts',
];

/** Bundle as its stamp names it: its folder, and the state of each file that it was made from. */
interface Stamp {
  readonly folder: string;
  readonly inputs: Readonly<Record<string, string>>;
}

interface Wanted {
  /** Unique for these options. */
  readonly name: string;
  readonly options: BuildOptions;
  /** Server whose SQL files belong beside the bundle. */
  readonly migrations?: 'edge' | 'cloud';
  /** Boxes to start often: with the compiled code of `server.mjs`. */
  readonly compiled?: boolean;
}

const made = new Map<string, Promise<string>>();

/** Folder with a bundle of the present source: the last one, unless one of its files has changed. */
export function sharedBundle(wanted: Wanted): Promise<string> {
  const known = made.get(wanted.name);
  if (known !== undefined) return known;
  const making = present(wanted);
  made.set(wanted.name, making);
  return making;
}

async function present({ name, options, migrations, compiled = false }: Wanted): Promise<string> {
  mkdirSync(BUNDLES, { recursive: true });
  const stamp = path.join(BUNDLES, `${name}.json`);
  const last = readStamp(stamp);
  if (
    last !== undefined &&
    existsSync(last.folder) &&
    Object.entries(last.inputs).every(([file, was]) => stateOf(file) === was)
  ) {
    utimesSync(last.folder, new Date(), new Date());
    return last.folder;
  }
  removeStale();
  const began = Date.now();
  const folder = mkdtempSync(path.join(BUNDLES, `${name}-`));
  const { metafile } = await build({ ...options, ...(compiled ? AS_SCRIPTS : {}), outdir: folder, metafile: true });
  if (migrations !== undefined) copyMigrations(migrations, folder);
  if (compiled) {
    addModules(folder, Object.keys(options.entryPoints ?? {}));
    await keepCompiledCode(path.join(folder, 'server.mjs'));
  }
  const sql =
    migrations === undefined
      ? []
      : MIGRATIONS[migrations].flatMap((place) => [
          place,
          ...readdirSync(path.join(TOP, place)).map((file) => path.join(place, file)),
        ]);
  const files = [...Object.keys(metafile.inputs), ...SETTINGS, ...sql];
  // A file saved meanwhile may be in the bundle or not: the next process makes its own.
  if (files.some((file) => (statSync(path.join(TOP, file), { throwIfNoEntry: false })?.mtimeMs ?? 0) >= began))
    return folder;
  const draft = `${folder}.json`;
  writeFileSync(
    draft,
    JSON.stringify({ folder, inputs: Object.fromEntries(files.map((file) => [file, stateOf(file)])) } satisfies Stamp),
  );
  renameSync(draft, stamp);
  return folder;
}

function readStamp(file: string): Stamp | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stamp) : undefined;
}

/** Text that changes whenever the file is written or replaced. */
function stateOf(file: string): string {
  const seen = statSync(path.join(TOP, file), { throwIfNoEntry: false });
  return seen === undefined ? '' : `${seen.ino} ${seen.size} ${seen.mtimeMs} ${seen.ctimeMs}`;
}

function removeStale(): void {
  for (const name of readdirSync(BUNDLES)) {
    const place = path.join(BUNDLES, name);
    if (Date.now() - (statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > STALE_MS)
      rmSync(place, { recursive: true, force: true });
  }
}
