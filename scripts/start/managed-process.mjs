// Server of `npm start`: its supervisor as a child, with a log file.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, SetupError } from '../setup.mjs';

/** pino's level for errors. */
const LOG_ERROR = 50;
/** A first start creates the cloud's database. */
const START_TIMEOUT_MS = 180_000;
const LAST_LINES = 6;

export class ManagedProcess {
  #child;
  #log;
  #logFile;
  #label;
  #ending = false;
  #onLine;
  #lastLines = [];
  #wasReady = false;

  /**
   * @param name of its folder in dist
   * @param label for people: "The box"
   * @param ready log message that marks it as up
   * @param onLine receives each log entry
   */
  constructor({ name, label, env, home, ready = 'listening', onLine = () => undefined }) {
    this.#label = label;
    this.#logFile = path.join(home, `${name}.log`);
    this.#onLine = onLine;
    this.#log = createWriteStream(this.#logFile, { flags: 'a' });
    // A failed log write loses only the line.
    this.#log.on('error', (error) => console.error(`The log ${this.#logFile} could not be written: ${error.message}`));
    // Own process group: Ctrl-C is forwarded in order. If this process dies, the channel closes and the supervisor
    // exits.
    this.#child = spawn(process.execPath, ['--enable-source-maps', path.join(ROOT, 'dist', name, 'supervisor.mjs')], {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env,
    });
    this.ended = new Promise((resolve) => {
      this.#child.on('error', (error) => {
        console.error(`${label} could not be started: ${error.message}`);
        resolve(1);
      });
      this.#child.on('close', (code, signal) => {
        this.#log.end();
        resolve(code ?? (signal === null ? 1 : 0));
      });
    });
    this.ready = this.#untilReady(ready);
    // Prevents an unhandled rejection.
    this.ready.catch(() => undefined);
  }

  get logFile() {
    return this.#logFile;
  }

  async stop() {
    this.#ending = true;
    this.#child.kill('SIGTERM');
    return this.ended;
  }

  #untilReady(ready) {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(
        () => reject(this.#failed(`did not start within ${START_TIMEOUT_MS / 60_000} minutes`)),
        START_TIMEOUT_MS,
      ).unref();
      this.ended.then(() => reject(this.#failed('did not start')));
      const onLogLine = (line) => {
        this.#log.write(`${line}\n`);
        this.#lastLines = [...this.#lastLines.slice(1 - LAST_LINES), line];
        const entry = parseLogLine(line);
        if (entry === undefined) return;
        this.#onLine(entry);
        if (entry.msg === ready) {
          clearTimeout(timeout);
          if (this.#wasReady) console.log(`${this.#label} is up again.`);
          this.#wasReady = true;
          resolve(entry);
        } else if (entry.level >= LOG_ERROR && this.#wasReady && !this.#ending) {
          console.error(
            `${this.#label}: ${entry.msg}${entry.err?.message === undefined ? '' : ` (${entry.err.message})`}. More in ${this.#logFile}.`,
          );
        }
      };
      createInterface({ input: this.#child.stdout }).on('line', onLogLine);
      createInterface({ input: this.#child.stderr }).on('line', onLogLine);
    });
  }

  #failed(how) {
    return new SetupError(
      `${this.#label} ${how}. ${this.#lastLines.length === 0 ? '' : `Its last words:\n  ${this.#lastLines.map(formatLogLine).join('\n  ')}\n`}The full log is ${this.#logFile}.`,
    );
  }
}

/** Undefined for output other than log lines. */
function parseLogLine(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function formatLogLine(line) {
  const entry = parseLogLine(line);
  return entry === undefined ? line : `${entry.msg}${entry.err?.message === undefined ? '' : `: ${entry.err.message}`}`;
}
