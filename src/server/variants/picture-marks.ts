import fs from 'node:fs';
import { promisify } from 'node:util';
import path from 'node:path';

/** Picture that broke the process that decoded it, or was being tried when the server died. */
export interface BrokenPicture {
  readonly sha256: string;
  readonly why: string;
}

/** Attempt at a picture, recorded before it is made. */
export interface MarkedAttempt {
  /** Ends the record: the picture did no harm. */
  done(): Promise<void>;
  /** Makes the record last: no one tries the picture until a person asks. */
  broke(why: string): Promise<void>;
}

/** Durable record of pictures that may not be tried again unasked. */
export interface PictureMarks {
  isBroken(sha256: string): Promise<boolean>;
  /** Durable when it resolves. */
  begin(sha256: string): Promise<MarkedAttempt>;
  list(): Promise<readonly BrokenPicture[]>;
  /** Removes all marks but those of running attempts, as a person asked. Returns their hashes. */
  clear(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Bytes of a record: state, hash, reason and a line feed; it never crosses a sector. */
const RECORD_BYTES = 128;
const BLANK = Buffer.alloc(RECORD_BYTES, ' ').fill('\n', RECORD_BYTES - 1);
const INTERRUPTED = 'the server ended while it was made';

const open = promisify(fs.open);
const write = promisify(fs.write);
const fdatasync = promisify(fs.fdatasync);

interface StoredMark {
  readonly sha256: string;
  readonly slot: number;
  readonly why: string;
  /** True while an attempt of this process runs. */
  readonly isRunning: boolean;
}

/**
 * Marks in a file of fixed records, overwritten in place: an attempt costs one flush and no room, also on a full disk. An
 * attempt that is still recorded at the start broke the server, or lost its power.
 */
export class PictureMarkFile implements PictureMarks {
  readonly #file: string;
  /** By record. */
  readonly #marks = new Map<number, StoredMark>();
  #fd: Promise<number> | undefined;

  /** @param folder folder of the variants; created with the first mark */
  constructor(folder: string) {
    this.#file = path.join(folder, 'marks');
    const text = fs.existsSync(this.#file) ? fs.readFileSync(this.#file, 'latin1') : '';
    for (let slot = 0; slot * RECORD_BYTES < text.length; slot++) {
      const record = text.slice(slot * RECORD_BYTES, (slot + 1) * RECORD_BYTES);
      const [, state, sha256, why] = /^([TB]) ([0-9a-f]{64}) (.*)/.exec(record) ?? [];
      if (sha256 === undefined) continue;
      this.#marks.set(slot, { sha256, slot, why: state === 'B' ? (why ?? '').trim() : INTERRUPTED, isRunning: false });
    }
  }

  isBroken(sha256: string): Promise<boolean> {
    return Promise.resolve([...this.#marks.values()].some((mark) => mark.sha256 === sha256 && !mark.isRunning));
  }

  async begin(sha256: string): Promise<MarkedAttempt> {
    let slot = 0;
    while (this.#marks.has(slot)) slot++;
    this.#marks.set(slot, { sha256, slot, why: '', isRunning: true });
    try {
      await this.#write(slot, record('T', sha256, ''));
    } catch (error) {
      this.#marks.delete(slot);
      throw error;
    }
    return {
      done: async () => {
        this.#marks.delete(slot);
        // Not flushed: after a power cut the picture counts as interrupted, and a person may ask for it.
        fs.writeSync(await this.#open(), BLANK, 0, RECORD_BYTES, slot * RECORD_BYTES);
      },
      broke: async (why) => {
        this.#marks.set(slot, { sha256, slot, why, isRunning: false });
        await this.#write(slot, record('B', sha256, why));
      },
    };
  }

  list(): Promise<readonly BrokenPicture[]> {
    return Promise.resolve(
      [...this.#marks.values()].filter(({ isRunning }) => !isRunning).map(({ sha256, why }) => ({ sha256, why })),
    );
  }

  async clear(): Promise<readonly string[]> {
    const cleared = [...this.#marks.values()].filter(({ isRunning }) => !isRunning);
    for (const { slot } of cleared) {
      await this.#write(slot, BLANK);
      this.#marks.delete(slot);
    }
    return cleared.map(({ sha256 }) => sha256);
  }

  async close(): Promise<void> {
    const fd = await this.#fd?.catch(() => undefined);
    this.#fd = undefined;
    if (fd !== undefined) fs.closeSync(fd);
  }

  async #write(slot: number, bytes: Buffer): Promise<void> {
    const fd = await this.#open();
    await write(fd, bytes, 0, RECORD_BYTES, slot * RECORD_BYTES);
    await fdatasync(fd);
  }

  #open(): Promise<number> {
    this.#fd ??= this.#create().catch((error: unknown) => {
      this.#fd = undefined;
      throw error;
    });
    return this.#fd;
  }

  async #create(): Promise<number> {
    const folder = path.dirname(this.#file);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = await open(this.#file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    for (const each of [folder, path.dirname(folder)]) {
      const names = fs.openSync(each, 'r');
      fs.fsyncSync(names);
      fs.closeSync(names);
    }
    return fd;
  }
}

function record(state: 'T' | 'B', sha256: string, why: string): Buffer {
  const line = Buffer.from(BLANK);
  line.write(`${state} ${sha256} ${why.replace(/[^ -~]/g, ' ')}`.slice(0, RECORD_BYTES - 1), 'latin1');
  return line;
}
