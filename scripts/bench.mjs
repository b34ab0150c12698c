// `npm run bench` runs every benchmark, `npm run bench -- <bench>` one: prints a table and writes bench-results.json.
// Exit code 1 if a figure misses its goal, 2 for an unknown bench.
import { spawn } from 'node:child_process';

if (process.platform !== 'linux') {
  console.error('The benchmarks read processor time and memory of each side from /proc: they run on Linux alone.');
  process.exit(2);
}
const child = spawn(process.execPath, ['--import', 'tsx', 'tests/bench/main.ts', ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: new URL('..', import.meta.url).pathname,
});
child.once('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => child.kill(name));
