/** Number of lines retained. */
const LINES_MAX = 400;
const LINE_MAX = 4000;

/** Last lines of a process's log, in memory, for a diagnostic bundle. */
export class LogTail {
  readonly #lines: string[] = [];

  /** Records a line as pino writes it, and returns it: for pino's write hook. */
  readonly record = (line: string): string => {
    this.#lines.push(line.slice(0, LINE_MAX).trimEnd());
    if (this.#lines.length > LINES_MAX) this.#lines.shift();
    return line;
  };

  lines(): readonly string[] {
    return this.#lines;
  }
}
