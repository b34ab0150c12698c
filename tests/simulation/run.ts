import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Metafile, Plugin } from 'esbuild';
import { build } from 'esbuild';
import { copyMigrations } from '../../scripts/build-servers.mjs';
import type { Outcome } from './history';
import type { Mix } from './mix';
import type { Topology } from './world';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Work of one worker process. */
export interface Task {
  readonly seeds: { readonly from: number; readonly count: number };
  /** Takes every `by`-th seed, starting with the `at`-th. */
  readonly step: { readonly at: number; readonly by: number };
  readonly mix?: Partial<Mix>;
  readonly cast?: Partial<Topology>;
  readonly hostile?: boolean;
  readonly stopAtFirst?: boolean;
  readonly keepTrace?: boolean;
  /** Makes the machine's monotonic clock leap at each look, as on a slow one. */
  readonly isSlow?: boolean;
}

/** Change to production code that the simulator must find, made only in its own bundle. */
export interface Planted {
  readonly file: string;
  /** Text that occurs once in the file and is replaced. */
  readonly find: string;
  readonly replace: string;
}

/** Simulator as one file, with unchanged production code or one planted defect. */
export interface Bundle {
  readonly file: string;
  /** Every project file in the bundle. */
  readonly inputs: readonly string[];
  readonly remove: () => void;
}

/** @throws Error if the text to replace does not occur exactly once: production changed and the defect must follow */
export async function bundleSimulator(planted: readonly Planted[] = []): Promise<Bundle> {
  // Resolves packages from within the project.
  const folder = mkdtempSync(path.join(ROOT, 'node_modules', '.simulation-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const file = path.join(folder, 'worker.mjs');
  try {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: ['tests/simulation/worker.ts'],
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      sourcemap: 'inline',
      metafile: true,
      logLevel: 'silent',
      plugins: planted.length === 0 ? [] : [plant(planted)],
    });
    copyMigrations('edge', folder);
    return { file, inputs: inputsOf(metafile), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function inputsOf({ inputs }: Metafile): string[] {
  return Object.keys(inputs).sort();
}

/** Number of times that the text of a planted defect stands in its file. */
export function timesOf({ file, find }: Planted): number {
  return readFileSync(path.join(ROOT, file), 'utf8').split(anyLayout(find)).length - 1;
}

/** Pattern that matches source regardless of line breaks. */
function anyLayout(source: string): RegExp {
  const tokens = source.match(/\w+|[^\w\s]/g) ?? [];
  return new RegExp(
    tokens.map((token) => (/[)}\]]/.test(token) ? `,?\\s*\\${token}` : token.replace(/[^\w]/, '\\$&'))).join('\\s*'),
  );
}

function plant(planted: readonly Planted[]): Plugin {
  return {
    name: 'plant',
    setup(bundler) {
      bundler.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        const here = planted.filter((one) => path.join(ROOT, one.file) === file);
        if (here.length === 0) return undefined;
        let contents = readFileSync(file, 'utf8');
        for (const { find, replace } of here) {
          const parts = contents.split(anyLayout(find));
          if (parts.length !== 2)
            throw new Error(
              `the text of a planted defect stands ${parts.length - 1} times in ${path.relative(ROOT, file)}: ${find}`,
            );
          contents = parts.join(replace);
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** Runs one worker and reports each outcome. Settles with its output. @throws Error if it failed */
export function runWorker(
  bundle: Bundle,
  task: Task,
  onOutcome: (outcome: Outcome) => void = () => undefined,
): Promise<readonly Outcome[]> {
  return new Promise((resolve, reject) => {
    const args = [
      ...(task.keepTrace === true ? ['--enable-source-maps'] : []),
      '--no-warnings',
      '--max-semi-space-size=64',
      bundle.file,
      JSON.stringify(task),
      ...(task.keepTrace === true ? ['trace'] : []),
    ];
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    const outcomes: Outcome[] = [];
    let errors = '';
    createInterface({ input: child.stdout }).on('line', (line) => {
      const outcome = JSON.parse(line) as Outcome;
      outcomes.push(outcome);
      onOutcome(outcome);
    });
    child.stderr.on('data', (text: Buffer) => (errors = (errors + text.toString('utf8')).slice(-4000)));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(outcomes);
      else reject(new Error(`a worker of the simulator ended with ${String(code)}: ${errors}`));
    });
  });
}

/** Number of workers that the machine supports. */
export const WORKERS = Math.max(1, os.availableParallelism());

/** Runs the histories of some seeds in parallel. */
export async function simulate(
  bundle: Bundle,
  seeds: Task['seeds'],
  {
    mix = {},
    hostile = false,
    onOutcome,
  }: { readonly mix?: Partial<Mix>; readonly hostile?: boolean; readonly onOutcome?: (outcome: Outcome) => void } = {},
): Promise<readonly Outcome[]> {
  const lanes = Array.from({ length: Math.min(WORKERS, seeds.count) }, (_lane, at) =>
    runWorker(bundle, { seeds, mix, hostile, step: { at, by: Math.min(WORKERS, seeds.count) } }, onOutcome),
  );
  return (await Promise.all(lanes)).flat().sort((a, b) => a.seed - b.seed);
}

/** Counts of each event over many histories. */
export function coverageOf(outcomes: readonly Outcome[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { coverage } of outcomes)
    for (const [what, count] of Object.entries(coverage)) sum[what] = (sum[what] ?? 0) + count;
  return Object.fromEntries(Object.entries(sum).sort(([a], [b]) => (a < b ? -1 : 1)));
}
