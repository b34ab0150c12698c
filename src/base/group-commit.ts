interface Pending<Attempt, Result> {
  readonly attempt: Attempt;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: attempts that arrive during a transaction share the next one and its flush. A failed group is retried one by
 * one, so that each attempt fails for its own reason alone.
 */
export class GroupCommit<Attempt, Result> {
  readonly #commit: (attempts: readonly Attempt[]) => Promise<readonly Result[]>;
  readonly #max: number;
  readonly #pending: Pending<Attempt, Result>[] = [];
  #isCommitting = false;

  /**
   * @param commit one transaction, all or nothing; returns one result for each attempt, in order
   * @param max attempts in one transaction
   */
  constructor(commit: (attempts: readonly Attempt[]) => Promise<readonly Result[]>, max: number) {
    this.#commit = commit;
    this.#max = max;
  }

  /** Resolves when the attempt is committed. @throws what `commit` throws for this attempt alone */
  add(attempt: Attempt): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#pending.push({ attempt, resolve, reject });
      if (!this.#isCommitting) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isCommitting = true;
    while (this.#pending.length > 0) {
      const group = this.#pending.splice(0, this.#max);
      const failure = await this.#tryGroup(group);
      if (failure === undefined) continue;
      for (const one of group) {
        const own = group.length === 1 ? failure : await this.#tryGroup([one]);
        if (own !== undefined) one.reject(own.error);
      }
    }
    this.#isCommitting = false;
  }

  /** Undefined where the group is committed. */
  async #tryGroup(group: readonly Pending<Attempt, Result>[]): Promise<{ readonly error: unknown } | undefined> {
    try {
      const results = await this.#commit(group.map(({ attempt }) => attempt));
      if (results.length !== group.length) throw new Error(`${group.length} attempts, ${results.length} results.`);
      group.forEach(({ resolve }, i) => resolve(results[i] as Result));
      return undefined;
    } catch (error) {
      return { error };
    }
  }
}
