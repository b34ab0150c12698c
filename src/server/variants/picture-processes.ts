import type { PictureJob, PictureResult } from './make-picture';
import type { PictureLimits } from './picture-limits';
import { PictureProcess } from './picture-process';

/** Processes at most: one for pictures, one more while a slow picture runs. */
const PROCESSES_MAX = 2;
/** Time after which the second process ends if nothing came, ms. */
const IDLE_MS = 30_000;

export type PictureRequest = Omit<PictureJob, 'id' | 'memoryBytes'>;

interface Waiting {
  readonly request: PictureRequest;
  /** Called before the picture is tried; if it throws, the picture is not. */
  readonly beforeTrying: () => Promise<void>;
  /** True once it made room for others: it runs again when no other slow picture does. */
  isSlow: boolean;
  resolve(result: PictureResult): void;
  reject(error: unknown): void;
}

interface Slot {
  readonly process: PictureProcess;
  current: Waiting | undefined;
  /** True once the current picture runs for longer than `holdMs`: others may use a second process. */
  isHolding: boolean;
  /** True once the current picture runs for longer than `slowMs`. */
  isSlow: boolean;
  idle: NodeJS.Timeout | undefined;
}

/**
 * Warm processes that make pictures. One does all, as they come; while a picture takes long, a second one takes those
 * that wait. At most one slow picture runs while others wait: a further one is stopped and made when there is room.
 */
export class PictureProcesses {
  readonly #limits: PictureLimits;
  readonly #slots = new Set<Slot>();
  readonly #waiting: Waiting[] = [];
  readonly #slow: Waiting[] = [];
  #jobs = 0;
  #closed = false;

  constructor(limits: PictureLimits) {
    this.#limits = limits;
  }

  /** Process ids; for tests and figures. */
  get pids(): readonly number[] {
    return [...this.#slots].flatMap(({ process: { pid } }) => pid ?? []);
  }

  /**
   * Makes a picture.
   *
   * @param beforeTrying records that it is tried; awaited right before
   * @throws Error if no process can be started, or it is closed; then the picture was not tried
   */
  run(request: PictureRequest, beforeTrying: () => Promise<void>): Promise<PictureResult> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error('the pictures are closed'));
      this.#waiting.push({ request, beforeTrying, isSlow: false, resolve, reject });
      this.#dispatch();
    });
  }

  /** Ends all processes. Pictures that wait or run are rejected and count as not tried. */
  close(): void {
    this.#closed = true;
    const error = new Error('the pictures are closed');
    for (const waiting of [...this.#waiting.splice(0), ...this.#slow.splice(0)]) waiting.reject(error);
    for (const slot of this.#slots) {
      slot.current?.reject(error);
      this.#endSlot(slot);
    }
  }

  #dispatch(): void {
    for (let next = this.#next(); next !== undefined && !this.#closed; next = this.#next()) {
      const slot = this.#idleSlot() ?? this.#addSlot();
      if (slot === undefined) {
        this.#evict();
        return;
      }
      (next.isSlow ? this.#slow : this.#waiting).shift();
      void this.#runIn(slot, next);
    }
  }

  /** Next picture that may run: slow ones one at a time, after all others. */
  #next(): Waiting | undefined {
    const isSlowRunning = [...this.#slots].some(({ isSlow }) => isSlow);
    return this.#waiting[0] ?? (isSlowRunning ? undefined : this.#slow[0]);
  }

  #idleSlot(): Slot | undefined {
    for (const slot of this.#slots) {
      if (slot.current !== undefined) continue;
      if (!slot.process.isSpent) return slot;
      this.#endSlot(slot);
    }
    return undefined;
  }

  /** Adds a process: the first one, or a second one while the first is held. */
  #addSlot(): Slot | undefined {
    const slots = [...this.#slots];
    if (slots.length >= PROCESSES_MAX || slots.some(({ isHolding }) => !isHolding)) return undefined;
    const slot: Slot = {
      process: new PictureProcess(this.#limits),
      current: undefined,
      isHolding: false,
      isSlow: false,
      idle: undefined,
    };
    // Pictures in a queue may not take a second core from the intake.
    if (slots.length > 0) slot.process.yieldProcessor();
    this.#slots.add(slot);
    return slot;
  }

  /** Stops a slow picture if all processes have one and others wait. */
  #evict(): void {
    const slots = [...this.#slots];
    if (this.#waiting.length === 0 || slots.length < PROCESSES_MAX || !slots.every(({ isSlow }) => isSlow)) return;
    const slot = slots.reverse().find(({ current }) => current?.isSlow === false);
    const evicted = slot?.current;
    if (slot === undefined || evicted === undefined) return;
    evicted.isSlow = true;
    this.#slow.push(evicted);
    this.#endSlot(slot);
    this.#dispatch();
  }

  async #runIn(slot: Slot, waiting: Waiting): Promise<void> {
    const { holdMs, slowMs } = this.#limits;
    clearTimeout(slot.idle);
    slot.current = waiting;
    // A picture known to be slow holds up no other from its start on.
    slot.isHolding = slot.isSlow = waiting.isSlow;
    const timers: NodeJS.Timeout[] = [];
    try {
      await slot.process.ready();
      await waiting.beforeTrying();
      if (slot.current !== waiting) return;
      timers.push(
        setTimeout(() => this.#noteHold(slot), holdMs).unref(),
        setTimeout(() => this.#noteSlow(slot), slowMs).unref(),
      );
      const result = await slot.process.run({ ...waiting.request, id: ++this.#jobs });
      // An evicted picture runs again; its process was ended for the others' sake.
      if (slot.current === waiting) waiting.resolve(result);
    } catch (error) {
      if (slot.current === waiting) waiting.reject(error);
    } finally {
      for (const timer of timers) clearTimeout(timer);
      this.#release(slot);
    }
  }

  #noteHold(slot: Slot): void {
    slot.isHolding = true;
    this.#dispatch();
  }

  #noteSlow(slot: Slot): void {
    slot.isHolding = slot.isSlow = true;
    slot.process.yieldProcessor();
    this.#dispatch();
  }

  #release(slot: Slot): void {
    if (!this.#slots.has(slot)) return;
    slot.current = undefined;
    // A low priority cannot be raised again.
    if (slot.process.isSpent || slot.isSlow) this.#endSlot(slot);
    else if (this.#slots.size > 1) slot.idle = setTimeout(() => this.#endIdle(slot), IDLE_MS).unref();
    slot.isHolding = slot.isSlow = false;
    this.#dispatch();
  }

  #endIdle(slot: Slot): void {
    if (this.#slots.size > 1 && slot.current === undefined) this.#endSlot(slot);
  }

  #endSlot(slot: Slot): void {
    clearTimeout(slot.idle);
    this.#slots.delete(slot);
    slot.current = undefined;
    slot.process.end();
  }
}
