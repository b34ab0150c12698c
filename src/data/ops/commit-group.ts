import type { Op } from '../../domain/op/op';

/** Operations per transaction: with their photographs, some tens of megabytes in flight to the disk. */
const GROUP_MAX = 8;

interface PendingAttempt<Attempt> {
  readonly attempt: Attempt;
  readonly resolve: (op: Op) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: attempts that arrive during a transaction share the next one and its flush. A failed group is retried
 * one by one.
 */
export class CommitGroup<Attempt> {
  readonly #queue: PendingAttempt<Attempt>[] = [];
  #isCommitting = false;

  readonly #commit: (attempts: readonly Attempt[]) => Promise<readonly Op[]>;

  /** @param commit one transaction, all or nothing; returns one operation per attempt, in order */
  constructor(commit: (attempts: readonly Attempt[]) => Promise<readonly Op[]>) {
    this.#commit = commit;
  }

  /** Settles when the attempt is committed. @throws the error of `commit` for this attempt alone */
  add(attempt: Attempt): Promise<Op> {
    return new Promise<Op>((resolve, reject) => {
      this.#queue.push({ attempt, resolve, reject });
      if (!this.#isCommitting) void this.#drainQueue();
    });
  }

  async #drainQueue(): Promise<void> {
    this.#isCommitting = true;
    for (;;) {
      const batch = this.#queue.splice(0, GROUP_MAX);
      if (batch.length === 0) break;
      const failed = await this.#tryCommit(batch);
      if (failed === undefined) continue;
      for (const one of batch) {
        const alone = batch.length === 1 ? failed : await this.#tryCommit([one]);
        if (alone !== undefined) one.reject(alone.error);
      }
    }
    this.#isCommitting = false;
  }

  /** Returns undefined on success. */
  async #tryCommit(waiting: readonly PendingAttempt<Attempt>[]): Promise<{ readonly error: unknown } | undefined> {
    try {
      const ops = await this.#commit(waiting.map(({ attempt }) => attempt));
      waiting.forEach(({ resolve, reject }, i) => {
        const op = ops[i];
        if (op === undefined) reject(new Error('An operation was not committed.'));
        else resolve(op);
      });
      return undefined;
    } catch (error) {
      return { error };
    }
  }
}
