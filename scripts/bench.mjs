// `npm run bench` runs every benchmark, `npm run bench -- <bench>` one: prints a table and writes bench-results.json.
// Exit code 1 if a figure misses its goal, 2 for an unknown bench.
import { runScript } from './run-script.mjs';

if (process.platform !== 'linux') {
  console.error('The benchmarks read processor time and memory of each side from /proc: they run on Linux alone.');
  process.exit(2);
}
await runScript('tests/bench/main.ts');
