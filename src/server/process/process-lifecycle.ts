import type { Logger } from 'pino';
import { EXIT_SETTINGS, SettingsError } from './environment';

/** Longest wait for what is under way at the end; then the process ends as if it were killed, which loses nothing. */
const CLOSE_MS = 10_000;

/** The exit code after a failed write or fsync: a supervisor starts the server again, and it recovers. */
export const EXIT_FATAL = 70;

/** Ends this process after a failed write or fsync (protocol, "Receipts and keys"): nothing more is acknowledged, and the next start recovers. */
export function exitOnWriteFailure(log: Logger): (error: Error) => void {
  return (error) => {
    log.fatal({ err: error }, 'a write to the disk failed; nothing more is acknowledged, the server ends and recovers');
    process.exit(EXIT_FATAL);
  };
}

/** How a server's process ends. The state on disk is whole at any moment: while it starts it ends at once, while it runs in order. */
export class ProcessLifecycle {
  #ending = false;
  #closing: { readonly log: Logger; readonly close: () => Promise<void> } | undefined;

  /** From now on it ends in order: `close` has {@link CLOSE_MS} for what is under way. */
  markRunning(log: Logger, close: () => Promise<void>): void {
    this.#closing = { log, close };
  }

  /** Ends with this exit code; also after a command that ran once, since beside a supervisor the channel to it would keep the process. */
  stop(why: string, code: number): void {
    if (this.#closing === undefined) return process.exit(code);
    const { log, close } = this.#closing;
    log.info({ why }, 'ending');
    setTimeout(() => {
      log.warn('something did not end in time; the process ends as if it were killed');
      process.exit(code);
    }, CLOSE_MS).unref();
    close().then(
      () => {
        log.info('ended');
        process.exit(code);
      },
      (error: unknown) => {
        log.error({ err: error }, 'the end was not clean');
        process.exit(1);
      },
    );
  }

  /** Ctrl-C reaches this process from the terminal and from its supervisor: once is enough. */
  requestStop(why: string): void {
    if (this.#ending) return;
    this.#ending = true;
    this.stop(why, 0);
  }
}

/**
 * Runs a server's process from its beginning to its end: settings that are wrong are one line and {@link EXIT_SETTINGS}; a
 * signal, or a supervisor that was killed, ends it in order; a promise that nobody waited for is a slip in the code and ends it at once.
 *
 * @param who the server, as the line about a failed start names it
 * @param tolerates says of such a promise's error that it is known and does no harm
 */
export function runProcess(
  who: string,
  main: (life: ProcessLifecycle) => Promise<void>,
  tolerates: (error: unknown) => boolean = () => false,
): void {
  const life = new ProcessLifecycle();
  process.on('SIGTERM', () => life.requestStop('SIGTERM'));
  process.on('SIGINT', () => life.requestStop('SIGINT'));
  // The supervisor was killed: without it nobody would start this process again, nor stop it.
  if (process.send !== undefined) process.on('disconnect', () => life.requestStop('the supervisor is gone'));
  process.on('unhandledRejection', (error) => {
    if (!tolerates(error)) throw error;
  });
  main(life).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof SettingsError) {
      process.stderr.write(`${message}\n`);
      process.exit(EXIT_SETTINGS);
    }
    process.stderr.write(`${who} could not start: ${message}\n`);
    process.exit(1);
  });
}
