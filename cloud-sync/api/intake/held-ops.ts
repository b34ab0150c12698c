import type { Op } from '../../../src/domain/op/op';
import type { Receipt } from '../../../src/protocol/receipt';
import type { Admission, HeldOp, HeldStore } from './admission';
import { wakeKeys } from './admission';
import { withCurrentDecision } from '../store/outdated-decision';

/** Accepted operation and the wait keys it satisfies (see `wakeKeys`). */
export interface AdmittedOp {
  readonly receipt: Receipt;
  readonly wakes?: readonly string[];
}

interface HeldOpsOptions {
  readonly store: HeldStore;
  readonly admission: Admission;
  /** Reason why an operation's content is not acceptable; undefined if it is. */
  readonly problemOf: (op: Op) => Promise<string | undefined>;
  /** Runs work on a document after earlier work on it has finished. */
  readonly withLock: <T>(op: Op, work: () => Promise<T>) => Promise<T>;
}

const PAGE = 500;

/** Operations held because their author lacks access (for now); they are retried when what they wait for happens. */
export class HeldOps {
  readonly #options: HeldOpsOptions;

  constructor(parts: HeldOpsOptions) {
    this.#options = parts;
  }

  /**
   * Decides a held operation again.
   *
   * @param saveState store what it waits for now and who submitted it
   * @returns the accepted operation; undefined if it stays held
   */
  retry(held: HeldOp, saveState: boolean): Promise<AdmittedOp | undefined> {
    return withCurrentDecision(() => this.#decideAgain(held, saveState));
  }

  async #decideAgain(
    { op, by, submittedBy, waitsFor: before }: HeldOp,
    saveState: boolean,
  ): Promise<AdmittedOp | undefined> {
    const { store, admission, problemOf } = this.#options;
    for (let waitsFor = before; ;) {
      const judged = await admission.decide(op, by, submittedBy);
      if (!('hold' in judged)) {
        // It may no longer fit the stored documents: then staff decide.
        if ((await problemOf(op)) !== undefined) return undefined;
        const { sees, box, absent } = judged;
        const receipt = await store.release(op.opId, { sees, box, absent, ceilings: 'keep' });
        return receipt.accepted ? { receipt, wakes: wakeKeys(op, judged.sees) } : undefined;
      }
      if (!saveState || judged.waitsFor === undefined || judged.waitsFor === waitsFor) return undefined;
      waitsFor = judged.waitsFor;
      await store.updateHeld(op.opId, waitsFor, submittedBy);
    }
  }

  /** Retries what waits for these keys, and what waits for those in turn. */
  async wake(keys: readonly string[]): Promise<void> {
    let waking = keys.map((key) => ({ key, after: 0 }));
    while (waking.length > 0) {
      const pages = await Promise.all(
        waking.map(async ({ key, after }) => ({ key, page: await this.#options.store.listHeldFor(key, after) })),
      );
      waking = [];
      for (const { key, page } of pages) {
        for (const one of page.items)
          waking.push(...(await this.#retry(one)).map((woken) => ({ key: woken, after: 0 })));
        if (page.next !== null) waking.push({ key, after: page.next });
      }
    }
  }

  /** Retries everything: a crash may have separated an event from what it wakes. */
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
