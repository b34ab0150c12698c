/** Result of a figure before it is judged. */
export interface Figure {
  /** Description of the measurement. */
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly rule: '>=' | '<=';
  readonly goal: number;
  /** Alternative that a user would pick, if the value is a ratio to it. */
  readonly rival?: string;
}

/** Line of `bench-results.json` (protocol, "Commands and settings"). */
export interface Result extends Figure {
  readonly bench: string;
  readonly ok: boolean;
}

/** Bench: a file `<name>.bench.ts` in this folder that exports it as `bench`. */
export interface Bench {
  /** Comparison in one line. */
  readonly about: string;
  /** @param say prints a detail line (absolute figures, rounds) under the bench's name */
  run(say: (line: string) => void): Promise<readonly Figure[]>;
}

/** Cost of one turn of one contestant. */
export interface Turn {
  readonly seconds: number;
  /** Processor time of the server's process tree, user and system, s; 0 if not measured. */
  readonly cpuSeconds: number;
}

/** One side of a comparison. The same `turn` number means the same amount of work for every contestant. */
export interface Contestant {
  readonly name: string;
  turn(round: number): Promise<Turn>;
}

/**
 * Alternates contestants within each round, with a rotating first, so that drift of the machine (other loads, warm
 * caches, write-back) affects all alike. The first round warms up and is dropped.
 *
 * @param rounds number of counted rounds
 * @returns the turns of each contestant, by name, in the order of the rounds
 */
export async function interleave(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Turn[]>> {
  const turns = new Map<string, Turn[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (let place = 0; place < contestants.length; place++) {
      const contestant = contestants[(place + round) % contestants.length]!;
      const turn = await contestant.turn(round);
      if (round > 0) turns.get(contestant.name)!.push(turn);
    }
  }
  return turns;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('the median of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Median over the rounds of ours / theirs: both sides of each ratio saw the machine in the same state.
 *
 * @param of measure of a turn, for example its seconds
 */
export function ratioByRound(ours: readonly Turn[], theirs: readonly Turn[], of: (turn: Turn) => number): number {
  return median(ours.map((turn, round) => of(turn) / of(theirs[round]!)));
}

/** Judges a figure by its own rule. */
export function judge(bench: string, figure: Figure): Result {
  const { value, rule, goal } = figure;
  return {
    bench,
    ...figure,
    value: Number(value.toPrecision(4)),
    ok: Number.isFinite(value) && (rule === '>=' ? value >= goal : value <= goal),
  };
}

/** Aligned table of the results for a terminal, with the failures below. */
export function table(results: readonly Result[]): string {
  const head = ['', 'bench', 'figure', 'value', 'goal', 'beside'];
  const rows = results.map(({ ok, bench, figure, value, unit, rule, goal, rival }) => [
    ok ? '✓' : '✗',
    bench,
    figure,
    `${shown(value)} ${unit}`,
    `${rule} ${shown(goal)} ${unit}`,
    rival ?? '',
  ]);
  const widths = head.map((title, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]!.length), title.length),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 3 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)))
      .join('  ')
      .trimEnd();
  const short = results.filter(({ ok }) => !ok);
  const verdict =
    short.length === 0
      ? `All ${results.length} figures reach their goal.`
      : `${short.length} of ${results.length} figures miss their goal.`;
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line), '', verdict].join('\n');
}

function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
