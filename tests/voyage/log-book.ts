/** Output of the voyage: one line a step with its checked facts below. */
export class LogBook {
  #step = 0;
  #checked = 0;
  #broken = 0;
  readonly #started = Date.now();

  step(what: string): void {
    this.#step += 1;
    console.log(`\n${String(this.#step).padStart(2)}. ${what}`);
  }

  note(what: string): void {
    console.log(`    ${what}`);
  }

  /** Records a fact that must hold; the voyage continues, so that one run shows every failure. */
  check(what: string, holds: boolean): void {
    this.#checked += 1;
    if (!holds) this.#broken += 1;
    console.log(`    ${holds ? '✓' : '✗'} ${what}`);
  }

  /** Prints the closing lines. Returns the exit code. */
  close(): number {
    const seconds = Math.round((Date.now() - this.#started) / 1000);
    console.log(`\n${this.#checked - this.#broken} of ${this.#checked} facts hold, in ${seconds} s.`);
    return this.#broken === 0 && this.#checked > 0 ? 0 : 1;
  }
}
