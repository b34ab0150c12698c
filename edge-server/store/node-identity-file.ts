import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { idSchema } from '../../src/domain/ids';
import type { Report } from './open-database';

/**
 * Delay in ms during which commits share one write of the file: it is only advice for the next start, and every write
 * is a flush.
 */
const WRITE_DELAY_MS = 5_000;

const fileSchema = z.object({ v: z.literal(1), nodeId: idSchema, storeEpoch: idSchema, lastSeq: z.int().min(0) });

/** Identity of the box and the end of its feed, as last written: never ahead of what is durable in the database. */
export interface NodeIdentity {
  readonly nodeId: string;
  readonly storeEpoch: string;
  /** Number of the last entry of the change feed; 0: none. */
  readonly lastSeq: number;
}

/**
 * `keys/node.json`, next to the keys that tablets pinned together with the node id. Separate from the database: a
 * replaced database still belongs to this box, and one that is too old (restored from a backup) is detected.
 */
export class NodeIdentityFile {
  /** Content when the store was opened; undefined: no file, or an unreadable one. */
  readonly found: NodeIdentity | undefined;
  readonly #file: string;
  readonly #report: Report;
  #timer: NodeJS.Timeout | undefined;
  #hasReported = false;

  /** @param folder home of the box; the caller holds its lock */
  constructor(folder: string, report: Report) {
    this.#file = path.join(folder, 'keys', 'node.json');
    this.#report = report;
    this.found = this.#read();
  }

  write(now: () => NodeIdentity): void {
    this.cancelWrite();
    try {
      const identity = now();
      mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.#file}.new`, `${JSON.stringify({ v: 1, ...identity })}\n`, { mode: 0o600, flush: true });
      renameSync(`${this.#file}.new`, this.#file);
      this.#hasReported = false;
    } catch (error) {
      // The database contains all of it too; a full disk must not stop the box for this file.
      if (!this.#hasReported)
        this.#report(
          `How far the record of this box goes cannot be noted (${error instanceof Error ? error.message : String(error)}). No record and no photograph is touched by this.`,
        );
      this.#hasReported = true;
    }
  }

  /** Writes after a delay that later requests share. */
  scheduleWrite(now: () => NodeIdentity): void {
    this.#timer ??= setTimeout(() => this.write(now), WRITE_DELAY_MS).unref();
  }

  cancelWrite(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #read(): NodeIdentity | undefined {
    if (!existsSync(this.#file)) return undefined;
    try {
      const { nodeId, storeEpoch, lastSeq } = fileSchema.parse(JSON.parse(readFileSync(this.#file, 'utf8')));
      return { nodeId, storeEpoch, lastSeq };
    } catch {
      this.#report('The identity file of this box (keys/node.json) cannot be read. It is rewritten from the record.');
      return undefined;
    }
  }
}
