/** Lines that are remembered; older ones go. */
const LINES_MAX = 400;
const LINE_MAX = 4000;

/** The last lines of a process's log, in memory: what a diagnostic bundle shows of it. */
export class LogTail {
  readonly #lines: string[] = [];

  /** Takes a line as pino writes it, and gives it back: for pino's hook on what it writes. */
  readonly record = (line: string): string => {
    this.#lines.push(line.slice(0, LINE_MAX).trimEnd());
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
    return line;
  };

  lines(): readonly string[] {
    return this.#lines;
  }
}
