import Database from 'better-sqlite3';
import type { Database as SqliteDatabase, Statement } from 'better-sqlite3';
import { ReefError } from '../../src/domain/errors';
import type { ChangeEntry } from '../../src/protocol/changes';
import type { Probe } from '../../src/server/ops/probe';

/**
 * Work run inside the transaction. It returns its result, adds its feed entries to `added`, and reports the size of
 * large documents that it folded, in characters.
 */
type TransactionWork<T> = (added: ChangeEntry[], spend: (chars: number) => void) => T;

interface QueuedJob {
  readonly work: TransactionWork<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** More jobs in one transaction would block the sockets longer than the saved fsyncs are worth. */
const COMMIT_JOBS_MAX = 256;

/** Characters of documents folded after which a transaction takes no further job, so that large ones share no turn. */
const COMMIT_CHARS_MAX = 1024 * 1024;

/**
 * Group commit: work of one turn of the event loop, or of a running commit, shares one transaction and one fsync. Each
 * job has its own savepoint, so a failing job does not affect the others. Promises settle after the commit, never
 * before. Not built on `base/group-commit`: the transaction is synchronous and never repeats the jobs that succeeded.
 */
export class CommitQueue {
  readonly #database: SqliteDatabase;
  readonly #onCommitted: (entries: readonly ChangeEntry[]) => void;
  readonly #onFatal: (error: Error) => void;
  readonly #probe: Probe | undefined;
  readonly #statements: Readonly<Record<'begin' | 'commit' | 'savepoint' | 'release', Statement<[]>>>;
  #queue: QueuedJob[] = [];
  #scheduled = false;
  #closed: ReefError | undefined;

  constructor(
    database: SqliteDatabase,
    options: {
      onCommitted: (entries: readonly ChangeEntry[]) => void;
      onFatal: (error: Error) => void;
      probe?: Probe | undefined;
    },
  ) {
    this.#database = database;
    this.#onCommitted = options.onCommitted;
    this.#onFatal = options.onFatal;
    this.#probe = options.probe;
    this.#statements = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      savepoint: database.prepare('SAVEPOINT piece'),
      release: database.prepare('RELEASE piece'),
    };
  }

  run<T>(work: TransactionWork<T>): Promise<T> {
    if (this.#closed) return Promise.reject(this.#closed);
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  /** Commits the queue and accepts nothing more. */
  close(): void {
    while (this.#queue.length > 0) this.#commit();
    this.#closed ??= new ReefError('internal', { message: 'The store is closed.' });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // Not a microtask: messages already in the sockets should join this commit.
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #commit(): void {
    if (this.#queue.length === 0) return;
    const batch: QueuedJob[] = [];
    let spent = 0;
    const settle: (() => void)[] = [];
    const added: ChangeEntry[] = [];
    try {
      this.#probe?.('append.before-begin');
      this.#statements.begin.run();
      while (batch.length < COMMIT_JOBS_MAX && spent < COMMIT_CHARS_MAX) {
        const job = this.#queue.shift();
        if (job === undefined) break;
        batch.push(job);
        settle.push(this.#runOne(job, added, (chars) => (spent += chars)));
      }
      this.#probe?.('append.before-commit');
      this.#statements.commit.run();
    } catch (error) {
      this.#failAll(batch, error);
      return;
    }
    this.#probe?.('append.after-commit');
    for (const one of settle) one();
    if (added.length > 0) this.#onCommitted(added);
  }

  #runOne(job: QueuedJob, added: ChangeEntry[], spend: (chars: number) => void): () => void {
    const entries: ChangeEntry[] = [];
    this.#statements.savepoint.run();
    try {
      const value = job.work(entries, spend);
      this.#statements.release.run();
      this.#probe?.('append.after-insert');
      added.push(...entries);
      return () => job.resolve(value);
    } catch (error) {
      // On a full disk or a failed write SQLite rolls back the whole transaction: every job failed.
      if (!this.#database.inTransaction || isDiskError(error)) throw error;
      this.#database.exec('ROLLBACK TO piece');
      this.#statements.release.run();
      return () => job.reject(error);
    }
  }

  #failAll(batch: readonly QueuedJob[], error: unknown): void {
    const answer = toReefError(error);
    const fatal = answer.code === 'internal' && isDiskError(error);
    if (fatal) this.#closed = answer;
    try {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
    } finally {
      for (const { reject } of batch) reject(answer);
      if (fatal) {
        for (const { reject } of this.#queue.splice(0)) reject(answer);
        // After a failed write or fsync the content of the disk is unknown; the next start reads it again.
        this.#onFatal(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}

function isDiskError(error: unknown): boolean {
  return (
    error instanceof Database.SqliteError &&
    /^SQLITE_(FULL|IOERR|CORRUPT|NOTADB|CANTOPEN|READONLY|NOMEM)/.test(error.code)
  );
}

function toReefError(error: unknown): ReefError {
  if (error instanceof ReefError) return error;
  const full = error instanceof Database.SqliteError && error.code === 'SQLITE_FULL';
  return new ReefError(full ? 'storage-full' : 'internal', { cause: error });
}
