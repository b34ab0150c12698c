/** Compiled code beside bundled programs: compiling their megabytes of packages took half the CPU time of a start. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BuildOptions } from 'esbuild';

/** Set: a program keeps its compiled code at its end. */
const KEEP = 'KEEP_COMPILED_CODE';

/**
 * Further options of a bundle with compiled code: V8 takes it for scripts only. They are strict and have the address
 * of the module that starts them, so that the source runs as in a module.
 */
export const AS_SCRIPTS: BuildOptions = {
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  minifyWhitespace: true,
  lineLimit: 1000,
  banner: {
    js: "(function (exports, require, module, __filename, __dirname) {'use strict';\nconst urlOfModule = require('node:url').pathToFileURL(__filename.replace(/cjs$/, 'mjs')).href;",
  },
  footer: { js: '})' },
  define: { 'import.meta.url': 'urlOfModule' },
};

/** Module `<name>.mjs`, which runs the script `<name>.cjs`; V8 ignores code of another version or other flags. */
const MODULE = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

const filename = fileURLToPath(import.meta.url).replace(/mjs$/, 'cjs');
const code = filename.replace(/cjs$/, 'code');
const script = new vm.Script(readFileSync(filename, 'utf8'), {
  filename,
  cachedData: existsSync(code) ? readFileSync(code) : undefined,
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
if (process.env.${KEEP} !== undefined) process.once('exit', () => writeFileSync(code, script.createCachedData()));
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(filename), module, filename, path.dirname(filename));
`;

/** Adds the modules of scripts to their folder. */
export function addModules(folder: string, names: readonly string[]): void {
  for (const name of names) writeFileSync(path.join(folder, `${name}.mjs`), MODULE);
}

/** Starts a bundled box once, until it listens, and keeps the code that was compiled for that. */
export async function keepCompiledCode(program: string): Promise<void> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'reef-code-'));
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      REEF_HOME: home,
      HOST: '127.0.0.1',
      EDGE_PORT: '0',
      MIN_FREE_GB: '0',
      PUBLIC_URL: 'https://box.lan',
      [KEEP]: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let printed = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    printed += bytes.toString('utf8');
    if (printed.includes('"msg":"listening"')) child.kill();
  });
  child.once('message', () => child.kill());
  const code = await new Promise((resolve) => child.once('close', resolve));
  rmSync(home, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the box did not start for its compiled code:\n${printed}`);
}
