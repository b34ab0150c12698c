import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Clock, Timers } from '../../src/platform/host';
import { rememberingCrypto } from './keys';

/** One start of a program on a node: from its boot to its end, however it ends. What a dead life planned never happens. */
export class Life {
  alive = true;
  /** Tasks that it has run. */
  steps = 0;
  /** It ends before the task after so many more. */
  killIn: number | undefined;
  readonly #endings: (() => void)[] = [];

  constructor(
    readonly name: string,
    /** What it meets at its end: true also drops what it asked Node itself to do soon (`setImmediate`). */
    readonly dropsImmediates: boolean,
  ) {}

  onEnd(call: () => void): void {
    this.#endings.push(call);
  }

  end(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const call of this.#endings.splice(0)) call();
  }
}

interface Task {
  readonly at: number;
  readonly seq: number;
  readonly life: Life | null;
  call: (() => void) | undefined;
}

/** Called when a task threw: the life in which it did, and what. */
export type OnThrown = (life: Life | null, error: unknown) => void;

let quick: object | undefined;

/** Drains promises and `nextTick`s at once, so that a history needs no turn of the real event loop. */
const drain = (process as unknown as { _tickCallback: () => void })._tickCallback.bind(process);

/**
 * An event loop of its own: virtual time, one task after the other, promises settled in between, the same order for the same
 * seed. While it is installed `setTimeout`, `setImmediate` and the randomness of Node are its own too.
 */
export class VirtualLoop {
  /** ms since the loop began; never goes back. */
  now = 0;
  /** Tasks that were run. */
  steps = 0;
  onThrown: OnThrown = (_life, error) => {
    throw error;
  };
  #seq = 0;
  #soon: Task[] = [];
  #soonAt = 0;
  readonly #later = new Heap();
  #current: Life | undefined;

  /** The life whose task runs now. */
  get life(): Life | undefined {
    return this.#current;
  }

  /** Plans a task after `ms` for a life, or for nobody (null); it does not happen when its life has ended by then. Gives the way to call it off. */
  after(ms: number, call: () => void, life: Life | null): () => void {
    const task: Task = { at: this.now + Math.max(0, ms), seq: this.#seq++, life, call };
    if (ms <= 0) this.#soon.push(task);
    else this.#later.push(task);
    return () => {
      task.call = undefined;
    };
  }

  /** Settles in a task of its own, soon: a point between two steps at which a life may end. */
  turn(life: Life): Promise<void> {
    return new Promise((resolve) => this.after(0, resolve, life));
  }

  /** Runs what is due until `until` (ms of the loop), or until `stop` says so. */
  run(until: number, stop?: () => boolean): void {
    drain();
    for (;;) {
      if (stop?.() === true) return;
      const task = this.#next(until);
      if (task === undefined) break;
      this.#runOne(task);
    }
    this.now = Math.max(this.now, until);
  }

  /** Runs outside of any life and lets the promises settle that it made. */
  outside<Value>(work: () => Value): Value {
    const before = this.#current;
    this.#current = undefined;
    try {
      return work();
    } finally {
      this.#current = before;
    }
  }

  /** Runs on behalf of a life, as if a task of it did. */
  as(life: Life, work: () => void): void {
    this.after(0, work, life);
  }

  /** When the next timer is due, ms of the loop; undefined where none is. */
  nextAt(): number | undefined {
    if (this.#soonAt < this.#soon.length) return this.now;
    return this.#later.peek()?.at;
  }

  #next(until: number): Task | undefined {
    if (this.#soonAt < this.#soon.length) {
      const task = this.#soon[this.#soonAt++] as Task;
      if (this.#soonAt > 1024) {
        this.#soon = this.#soon.slice(this.#soonAt);
        this.#soonAt = 0;
      }
      return task;
    }
    const first = this.#later.peek();
    if (first === undefined || first.at > until) return undefined;
    this.#later.pop();
    if (first.call !== undefined) this.now = Math.max(this.now, first.at);
    return first;
  }

  #runOne(task: Task): void {
    const { life, call } = task;
    if (call === undefined) return;
    task.call = undefined;
    if (life !== null) {
      if (!life.alive) return;
      if (life.killIn !== undefined && life.killIn-- <= 0) {
        this.#current = undefined;
        life.end();
        drain();
        return;
      }
      life.steps += 1;
    }
    this.steps += 1;
    this.#current = life ?? undefined;
    try {
      call();
    } catch (error) {
      this.onThrown(life, error);
    }
    drain();
    this.#current = undefined;
  }

  /** The clock and timers of a device: what it believes the time to be may be set at any moment. */
  device(life: Life, wall: { offset: number }, bootedAt: number): Clock & Timers {
    return {
      now: () => START + this.now + wall.offset,
      elapsed: () => this.now - bootedAt,
      after: (ms, call) => this.after(Math.max(0.001, ms), call, life),
    };
  }

  /** Takes the place of Node's timers and randomness until the function given back is called. */
  install(randomBytes: (n: number) => Uint8Array): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, structuredClone } =
      globalThis;
    const crypto = createRequire(import.meta.url)('node:crypto') as Record<string, unknown>;
    const { randomBytes: realRandom, createPrivateKey, createPublicKey, verify } = crypto;
    quick ??= rememberingCrypto({ createPrivateKey, createPublicKey, verify } as never);
    const handle = (callOff: () => void): unknown => ({
      callOff,
      unref: () => handle(callOff),
      ref: () => handle(callOff),
    });
    const clear = (given: unknown): void => (given as { callOff?: () => void } | undefined)?.callOff?.();
    Object.assign(globalThis, {
      // A library's own timer belongs to no life: what it keeps for the whole process must not be torn.
      setTimeout: (call: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
        handle(this.after(ms, () => call(...args), null)),
      setImmediate: (call: (...args: unknown[]) => void, ...args: unknown[]) => {
        const life = this.#current;
        return handle(
          life?.dropsImmediates === true
            ? this.after(0, () => call(...args), life)
            : this.#unowned(() => call(...args), life),
        );
      },
      setInterval: () => handle(() => undefined),
      clearTimeout: clear,
      clearImmediate: clear,
      clearInterval: clear,
      structuredClone: cloneOf,
    });
    Object.assign(crypto, quick, { randomBytes: (n: number) => Buffer.from(randomBytes(n)) });
    syncBuiltinESMExports();
    return () => {
      Object.assign(globalThis, {
        setTimeout,
        clearTimeout,
        setInterval,
        clearInterval,
        setImmediate,
        clearImmediate,
        structuredClone,
      });
      Object.assign(crypto, { randomBytes: realRandom, createPrivateKey, createPublicKey, verify });
      syncBuiltinESMExports();
    };
  }

  /** Happens whether the life ends or not, and counts as one of its steps while it lives. */
  #unowned(call: () => void, life: Life | undefined): () => void {
    return this.after(
      0,
      () => {
        if (life?.alive === true) {
          if (life.killIn !== undefined && life.killIn-- <= 0) {
            life.end();
            drain();
          } else {
            life.steps += 1;
            this.#current = life;
          }
        }
        call();
      },
      null,
    );
  }
}

/** Where the clocks of all devices begin. */
export const START = Date.parse('2026-11-20T00:00:00.000Z');

/** Bytes that no structured clone needs to copy: a photograph as the simulator's tablets hold it. */
export class SimBlob {
  constructor(
    readonly content: Uint8Array<ArrayBuffer>,
    readonly type = 'image/jpeg',
  ) {}

  get size(): number {
    return this.content.byteLength;
  }

  slice(from: number, to: number): SimBlob {
    return new SimBlob(this.content.slice(from, to), this.type);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.content.slice().buffer;
  }
}

/** What a structured clone makes of plain values, at a fraction of its cost; members without a value are left out, as by JSON. */
export function cloneOf<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof SimBlob) return value;
  if (Array.isArray(value)) return value.map(cloneOf) as Value;
  if (value instanceof Date) return new Date(value) as Value;
  if (value instanceof Set) return new Set(value) as Value;
  if (value instanceof Uint8Array) return value.slice() as Value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) copy[key] = cloneOf(member);
  }
  return copy as Value;
}

/** The earliest task first; of one time, the one that was planned first. */
class Heap {
  readonly #tasks: Task[] = [];

  peek(): Task | undefined {
    while (this.#tasks.length > 0 && (this.#tasks[0] as Task).call === undefined) this.pop();
    return this.#tasks[0];
  }

  push(task: Task): void {
    const tasks = this.#tasks;
    let at = tasks.push(task) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!before(task, tasks[above] as Task)) break;
      tasks[at] = tasks[above] as Task;
      at = above;
    }
    tasks[at] = task;
  }

  pop(): Task | undefined {
    const tasks = this.#tasks;
    const first = tasks[0];
    const last = tasks.pop();
    if (first === undefined || last === undefined || tasks.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= tasks.length) break;
      if (below + 1 < tasks.length && before(tasks[below + 1] as Task, tasks[below] as Task)) below += 1;
      if (!before(tasks[below] as Task, last)) break;
      tasks[at] = tasks[below] as Task;
      at = below;
    }
    tasks[at] = last;
    return first;
  }
}

function before(a: Task, b: Task): boolean {
  return a.at < b.at || (a.at === b.at && a.seq < b.seq);
}
