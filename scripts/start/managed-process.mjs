// One server of `npm start`: its supervisor as a child process, its words in a log file, its end with ours.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, SetupError } from '../setup.mjs';

/** pino's number for a line that a person should see. */
const LOG_ERROR = 50;
/** Longest wait for a server that starts for the first time, ms: the cloud makes its database. */
const START_MS = 180_000;
/** How many of its last words are shown when a server does not start. */
const LAST_WORDS = 6;

/** A running part. `said` is what it said when it began to listen. */
export class Part {
  #child;
  #log;
  #logFile;
  #label;
  #ending = false;
  #onLine;
  #last = [];
  #readyAgain = false;

  /**
   * @param name of its folder in dist
   * @param label as people say it: "The box"
   * @param ready the message of its log that says it is up
   * @param onLine gets each entry of its log
   */
  constructor({ name, label, env, home, ready = 'listening', onLine = () => undefined }) {
    this.#label = label;
    this.#logFile = path.join(home, `${name}.log`);
    this.#onLine = onLine;
    this.#log = createWriteStream(this.#logFile, { flags: 'a' });
    // What cannot be written to the log is only not in the log; the server goes on.
    this.#log.on('error', (error) => console.error(`The log ${this.#logFile} could not be written: ${error.message}`));
    // A group of its own, so that Ctrl-C comes from here, in order. The channel closes when this process is gone, however it
    // went, and the supervisor ends with it.
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
    // Whoever does not wait for it must not be told of its failure as of a slip.
    this.ready.catch(() => undefined);
  }

  get logFile() {
    return this.#logFile;
  }

  /** Asks it to end and waits until it has. */
  async stop() {
    this.#ending = true;
    this.#child.kill('SIGTERM');
    return this.ended;
  }

  #untilReady(ready) {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(this.#failed(`did not start within ${START_MS / 60_000} minutes`)),
        START_MS,
      ).unref();
      this.ended.then(() => reject(this.#failed('did not start')));
      const heard = (line) => {
        this.#log.write(`${line}\n`);
        this.#last = [...this.#last.slice(1 - LAST_WORDS), line];
        const entry = entryOf(line);
        if (entry === undefined) return;
        this.#onLine(entry);
        if (entry.msg === ready) {
          clearTimeout(late);
          if (this.#readyAgain) console.log(`${this.#label} is up again.`);
          this.#readyAgain = true;
          resolve(entry);
        } else if (entry.level >= LOG_ERROR && this.#readyAgain && !this.#ending) {
          console.error(
            `${this.#label}: ${entry.msg}${entry.err?.message === undefined ? '' : ` (${entry.err.message})`}. More stands in ${this.#logFile}.`,
          );
        }
      };
      createInterface({ input: this.#child.stdout }).on('line', heard);
      createInterface({ input: this.#child.stderr }).on('line', heard);
    });
  }

  #failed(how) {
    return new SetupError(
      `${this.#label} ${how}. ${this.#last.length === 0 ? '' : `Its last words:\n  ${this.#last.map(wordsOf).join('\n  ')}\n`}All of them stand in ${this.#logFile}.`,
    );
  }
}

/** A line of a log; undefined for anything else that was printed. */
function entryOf(line) {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function wordsOf(line) {
  const entry = entryOf(line);
  return entry === undefined ? line : `${entry.msg}${entry.err?.message === undefined ? '' : `: ${entry.err.message}`}`;
}
