import type { Op } from '../../../src/domain/op/op';
import type { Receipt } from '../../../src/protocol/receipt';
import type { Admission, HeldOp, HeldStore } from './admission';
import { wakeKeys } from './admission';

/** An operation that was taken in, and what waited for it (see `wakeKeys`). */
export interface AdmittedOp {
  readonly receipt: Receipt;
  readonly wakes?: readonly string[];
}

export interface HeldOpsOptions {
  readonly store: HeldStore;
  readonly admission: Admission;
  /** Why what an operation says cannot be taken as it is; undefined where it can. */
  readonly problemOf: (op: Op) => Promise<string | undefined>;
  /** Does work on a document when that of others on it is done. */
  readonly withLock: <T>(op: Op, work: () => Promise<T>) => Promise<T>;
}

/** Looked at together in the look at all. */
const PAGE = 500;

/** What is set aside because its writer may not (yet): judged again when what it waits for comes. */
export class HeldOps {
  readonly #options: HeldOpsOptions;

  constructor(parts: HeldOpsOptions) {
    this.#options = parts;
  }

  /**
   * Judges an operation once more, and takes it in where it may be now.
   *
   * @param saveState note what it waits for now and who brought it
   * @returns what was taken in; undefined where it stays set aside
   */
  async retry({ op, by, submittedBy, waitsFor: before }: HeldOp, saveState: boolean): Promise<AdmittedOp | undefined> {
    const { store, admission, problemOf } = this.#options;
    for (let waitsFor = before; ;) {
      const judged = await admission.decide(op, by, submittedBy);
      if (!('hold' in judged)) {
        // It may no more fit what is there: then a person looks at it.
        if ((await problemOf(op)) !== undefined) return undefined;
        return { receipt: await store.release(op.opId, judged.sees), wakes: wakeKeys(op, judged.sees) };
      }
      if (!saveState || judged.waitsFor === undefined || judged.waitsFor === waitsFor) return undefined;
      waitsFor = judged.waitsFor;
      await store.updateHeld(op.opId, waitsFor, submittedBy);
    }
  }

  /** Judges what waits for what came, and what waits for that in turn. */
  async wake(keys: readonly string[]): Promise<void> {
    let waking = [...keys];
    while (waking.length > 0) {
      const held = (await Promise.all(waking.map((key) => this.#options.store.listHeldFor(key)))).flat();
      waking = [];
      for (const one of held) waking.push(...(await this.#retry(one)));
    }
  }

  /** Judges all of it: an end may have come between something and what it woke. */
  async retryAll(): Promise<void> {
    for (let after = ''; ;) {
      const page = await this.#options.store.listHeld(after, PAGE);
      for (const one of page) await this.wake(await this.#retry(one));
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.op.opId;
    }
  }

  async #retry(held: HeldOp): Promise<readonly string[]> {
    return (await this.#options.withLock(held.op, () => this.retry(held, true)))?.wakes ?? [];
  }
}
