import type { Logger } from 'pino';
import { EXIT_SETTINGS, SettingsError } from './environment';

/** Longest wait for running work; then the process exits as if killed, which loses nothing. */
const CLOSE_MS = 10_000;

/** Exit code after a failed write or fsync: a supervisor restarts the server. */
const EXIT_FATAL = 70;

/** Exits after a failed write or fsync (protocol, "Receipts and keys"): nothing more is acknowledged. */
export function exitOnWriteFailure(log: Logger): (error: Error) => void {
  return (error) => {
    log.fatal({ err: error }, 'a write to the disk failed; nothing more is acknowledged, the server ends and recovers');
    process.exit(EXIT_FATAL);
  };
}

/** Shutdown of a server's process: at once during start-up, as the state on disk is complete, later in order. */
export class ProcessLifecycle {
  #ending = false;
  #closing: { readonly log: Logger; readonly close: () => Promise<void> } | undefined;

  /** Switches to an orderly shutdown: `close` has {@link CLOSE_MS} for running work. */
  markRunning(log: Logger, close: () => Promise<void>): void {
    this.#closing = { log, close };
  }

  /** Exits; also after a one-time command, as the channel to a supervisor would keep the process alive. */
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

  /** Requests a stop once: Ctrl-C comes from the terminal and from the supervisor. */
  requestStop(why: string): void {
    if (this.#ending) return;
    this.#ending = true;
    this.stop(why, 0);
  }
}

/**
 * Calls `stop` for each signal, and once the supervisor is gone: no one else would restart or stop this process. An
 * unhandled rejection is a bug and ends it at once.
 *
 * @param tolerates true for the error of a known, harmless rejection
 */
export function onProcessEnd(stop: (why: string) => void, tolerates: (error: unknown) => boolean = () => false): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(signal));
  if (process.send !== undefined) process.on('disconnect', () => stop('the supervisor is gone'));
  process.on('unhandledRejection', (error) => {
    if (!tolerates(error)) throw error;
  });
}

/**
 * Runs a server's process: wrong settings are one line and {@link EXIT_SETTINGS}; a signal or a killed supervisor ends
 * it in order; an unhandled rejection is a bug and ends it at once.
 *
 * @param who name of the server in the line about a failed start
 * @param tolerates true for the error of a known, harmless rejection
 */
export function runProcess(
  who: string,
  main: (life: ProcessLifecycle) => Promise<void>,
  tolerates: (error: unknown) => boolean = () => false,
): void {
  const life = new ProcessLifecycle();
  onProcessEnd((why) => life.requestStop(why), tolerates);
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
