interface Pending<Attempt, Result> {
  readonly attempt: Attempt;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Fate of a failed group: each attempt is tried again alone, so that it fails for its own reason only; or all its attempts
 * fail; or, where order matters, also those that wait behind it.
 */
type GroupFailure = 'retry-each' | 'reject-group' | 'reject-pending';

interface GroupCommitOptions<Attempt, Result> {
  /** One transaction, all or nothing; returns one result for each attempt, in order. */
  readonly commit: (attempts: readonly Attempt[]) => Promise<readonly Result[]>;
  /** Attempts in one transaction, at least 1. Default: all that are pending. */
  readonly max?: number | ((pending: readonly Attempt[]) => number);
  /** Delays the first transaction of a burst, so that attempts of the same turn join it. Default: no delay. */
  readonly gather?: () => Promise<void>;
  /** Default: `retry-each`. */
  readonly onFailure?: (error: unknown) => GroupFailure;
}

/** Group commit: attempts that arrive during a transaction share the next one and its flush. */
export class GroupCommit<Attempt, Result = void> {
  readonly #options: GroupCommitOptions<Attempt, Result>;
  #pending: Pending<Attempt, Result>[] = [];
  #draining: Promise<void> | undefined;

  constructor(options: GroupCommitOptions<Attempt, Result>) {
    this.#options = options;
  }

  /** Resolves when the attempt is committed. @throws the error of `commit` */
  add(attempt: Attempt): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#pending.push({ attempt, resolve, reject });
      if (this.#draining === undefined) this.#draining = this.#drain();
    });
  }

  /** Resolves when no attempt is left. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
  }

  async #drain(): Promise<void> {
    const { gather, onFailure } = this.#options;
    if (gather !== undefined) await gather();
    while (this.#pending.length > 0) {
      const group = this.#pending.splice(0, this.#nextSize());
      const failure = await this.#tryGroup(group);
      if (failure === undefined) continue;
      const fate = onFailure?.(failure.error) ?? 'retry-each';
      if (fate === 'retry-each' && group.length > 1) await this.#retryEach(group);
      else for (const { reject } of [...group, ...this.#takeBehind(fate)]) reject(failure.error);
    }
    // In the same turn as the last look at the queue.
    this.#draining = undefined;
  }

  #nextSize(): number {
    const { max = Infinity } = this.#options;
    return typeof max === 'number' ? max : Math.max(1, max(this.#pending.map(({ attempt }) => attempt)));
  }

  #takeBehind(fate: GroupFailure): Pending<Attempt, Result>[] {
    return fate === 'reject-pending' ? this.#pending.splice(0) : [];
  }

  async #retryEach(group: readonly Pending<Attempt, Result>[]): Promise<void> {
    for (const one of group) {
      const failure = await this.#tryGroup([one]);
      if (failure !== undefined) one.reject(failure.error);
    }
  }

  /** Returns undefined if the group is committed. */
  async #tryGroup(group: readonly Pending<Attempt, Result>[]): Promise<{ readonly error: unknown } | undefined> {
    try {
      const results = await this.#options.commit(group.map(({ attempt }) => attempt));
      if (results.length !== group.length) throw new Error(`${group.length} attempts, ${results.length} results.`);
      group.forEach(({ resolve }, i) => resolve(results[i] as Result));
      return undefined;
    } catch (error) {
      return { error };
    }
  }
}
