import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { idSchema } from '../../src/domain/ids';
import type { Report } from './open-database';

/** Commits within this time share one note, ms: it is advice for the next start, and every note is a flush. */
const WRITE_DELAY_MS = 5_000;

const fileSchema = z.object({ v: z.literal(1), nodeId: idSchema, storeEpoch: idSchema, lastSeq: z.int().min(0) });

/** Who the box is and how far its record went, as far as was noted: never ahead of what is durable in the record. */
export interface NodeIdentity {
  readonly nodeId: string;
  readonly storeEpoch: string;
  /** Place of the last entry of the change feed; 0: none. */
  readonly lastSeq: number;
}

/**
 * `keys/node.json`, beside the keys that tablets pinned together with the box's name. It is apart from the record, so that
 * a record which was set aside and begun anew is still this box's, and so that a record which is older than it should be
 * (put back from a backup) is noticed.
 */
export class NodeIdentityFile {
  /** As it stood when the store was opened; undefined: none was there, or none that can be read. */
  readonly found: NodeIdentity | undefined;
  readonly #file: string;
  readonly #report: Report;
  #timer: NodeJS.Timeout | undefined;
  #hasReported = false;

  /** @param folder the home of the box, whose lock the caller holds */
  constructor(folder: string, report: Report) {
    this.#file = path.join(folder, 'keys', 'node.json');
    this.#report = report;
    this.found = this.#read();
  }

  /** Notes at once. */
  write(now: () => NodeIdentity): void {
    this.cancelWrite();
    try {
      const identity = now();
      mkdirSync(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.#file}.new`, `${JSON.stringify({ v: 1, ...identity })}\n`, { mode: 0o600, flush: true });
      renameSync(`${this.#file}.new`, this.#file);
      this.#hasReported = false;
    } catch (error) {
      // The record says all of it too; a full disk must not stop the box for a note.
      if (!this.#hasReported)
        this.#report(
          `How far the record of this box goes cannot be noted (${error instanceof Error ? error.message : String(error)}). No record and no photograph is touched by this.`,
        );
      this.#hasReported = true;
    }
  }

  /** Notes soon: what is asked for meanwhile goes with it. */
  scheduleWrite(now: () => NodeIdentity): void {
    this.#timer ??= setTimeout(() => this.write(now), WRITE_DELAY_MS).unref();
  }

  /** Leaves a note that was still to come. */
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
      this.#report('The note of who this box is (keys/node.json) cannot be read. It is written anew from the record.');
      return undefined;
    }
  }
}
