import { readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench, Result } from './tools/harness';
import { judge, table } from './tools/harness';

const HERE = path.dirname(fileURLToPath(import.meta.url));
const RESULTS = path.join(HERE, '..', '..', 'bench-results.json');
const SUFFIX = '.bench.ts';

/** Names of all benches: one file each, in this folder. */
function benches(): readonly string[] {
  return readdirSync(HERE)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .sort();
}

/** Alternating rounds even out a steady load, but not other disk traffic: only our side waits for the disk. */
function warnWhereBusy(): void {
  const [load = 0] = loadavg();
  if (load > availableParallelism() / 2)
    console.warn(
      `This machine is busy (load ${load.toFixed(1)} on ${availableParallelism()} cores). What waits for the disk will look worse than it is.`,
    );
}

async function main(wanted: readonly string[]): Promise<number> {
  const known = benches();
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no bench "${unknown.join('", "')}". There are: ${known.join(', ')}.`);
    return 2;
  }
  warnWhereBusy();
  const results: Result[] = [];
  for (const name of wanted.length > 0 ? wanted : known) {
    const { bench } = (await import(path.join(HERE, name + SUFFIX))) as { bench: Bench };
    console.log(`\n${name}: ${bench.about} (load ${loadavg()[0]?.toFixed(2)})`);
    const figures = await bench.run((line) => console.log(`  ${line}`));
    results.push(...figures.map((figure) => judge(name, figure)));
  }
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`\n${table(results)}\nWritten to ${path.relative(process.cwd(), RESULTS)}.`);
  return results.every(({ ok }) => ok) ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
