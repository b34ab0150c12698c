import type { Outcome } from './history';
import type { Mix } from './mix';
import { WORKERS, bundleSimulator, coverageOf, runWorker, simulate } from './run';

/**
 * `npm run simulate -- --seeds N [--from M]`, or `-- --seed N`: one history with every step of it. `--mix` takes other
 * weights of steps, as JSON; `--hostile` adds a hostile tablet and box.
 */
function numberAfter(name: string): number | undefined {
  const at = process.argv.indexOf(name);
  if (at === -1) return undefined;
  const value = Number(process.argv[at + 1]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} needs a whole number.`);
  return value;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const mixAt = process.argv.indexOf('--mix');
const mix = mixAt === -1 ? {} : (JSON.parse(process.argv[mixAt + 1] ?? '') as Partial<Mix>);
const hostile = process.argv.includes('--hostile');
const bundle = await bundleSimulator();
try {
  const seed = numberAfter('--seed');
  if (seed !== undefined) {
    const [outcome] = await runWorker(bundle, {
      seeds: { from: seed, count: 1 },
      step: { at: 0, by: 1 },
      mix,
      hostile,
      keepTrace: true,
    });
    for (const line of outcome?.trace ?? []) print(line);
    print(`seed ${seed}, digest ${outcome?.digest ?? ''}: ${outcome?.violation ?? 'everything held'}`);
    if (outcome?.violation !== null) process.exitCode = 1;
  } else {
    const count = numberAfter('--seeds') ?? 500;
    const from = numberAfter('--from') ?? 1;
    const began = performance.now();
    let done = 0;
    const told = (outcome: Outcome): void => {
      done += 1;
      if (outcome.violation !== null) print(`seed ${outcome.seed}: ${outcome.violation}`);
      if (done % 500 === 0)
        print(`${done} of ${count} histories, ${(done / ((performance.now() - began) / 1000)).toFixed(1)} a second`);
    };
    const outcomes = await simulate(bundle, { from, count }, { mix, hostile, onOutcome: told });
    const seconds = (performance.now() - began) / 1000;
    const bad = outcomes.filter(({ violation }) => violation !== null);
    print(
      `${outcomes.length} histories in ${seconds.toFixed(1)} s by ${WORKERS} workers, ${(outcomes.length / seconds).toFixed(1)} a second; ${bad.length} in which something did not hold`,
    );
    for (const [what, times] of Object.entries(coverageOf(outcomes))) print(`  ${what}: ${times}`);
    if (bad.length > 0) {
      print(`again, step by step: npm run simulate -- ${hostile ? '--hostile ' : ''}--seed ${bad[0]?.seed ?? ''}`);
      process.exitCode = 1;
    }
  }
} finally {
  bundle.remove();
}
