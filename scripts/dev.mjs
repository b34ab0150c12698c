// App with live reload (Vite) and a box; Ctrl-C stops both.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ROOT, exitOnSetupError, setup } from './setup.mjs';

const env = await exitOnSetupError(() => setup());
const APP = 'http://localhost:5173';
const children = [
  spawn(process.execPath, [path.join('scripts', 'edge.mjs')], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...env, ALLOWED_ORIGINS: [env.ALLOWED_ORIGINS, APP].filter(Boolean).join(',') },
  }),
  spawn(process.execPath, [path.join('node_modules', 'vite', 'bin', 'vite.js'), '--port', '5173', '--strictPort'], {
    cwd: ROOT,
    stdio: 'inherit',
    env,
  }),
];

let ending = false;
function end(code) {
  if (ending) return;
  ending = true;
  process.exitCode = code;
  for (const child of children) child.kill('SIGTERM');
}
for (const child of children) child.on('exit', (code) => end(code ?? 0));
// Ctrl-C reaches the children directly; this waits for them.
process.on('SIGINT', () => end(0));
process.on('SIGTERM', () => end(0));
