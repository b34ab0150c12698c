import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Clock, Timers } from '../../src/platform/host';
import { rememberingCrypto } from './keys';

/** One run of a program on a node, from boot to end. Tasks planned by a dead life never run. */
export class Life {
  alive = true;
  /** Number of tasks run. */
  steps = 0;
  /** Number of tasks until it ends. */
  killIn: number | undefined;
  readonly #endings: (() => void)[] = [];

  constructor(
    readonly name: string,
    /** True if its end also drops callbacks queued with `setImmediate`. */
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

/** Called with the life and the error when a task throws. */
export type OnThrown = (life: Life | null, error: unknown) => void;

let quick: object | undefined;

/** Drains promises and `nextTick`s synchronously, so a history needs no turn of the real event loop. */
const drain = (process as unknown as { _tickCallback: () => void })._tickCallback.bind(process);

/**
 * Event loop with virtual time and seeded order. While installed it replaces `setTimeout`, `setImmediate`, the monotonic
 * clock and Node's randomness.
 */
export class VirtualLoop {
  /** Time since the loop began, ms; monotonic. */
  now = 0;
  /** Number of tasks run. */
  steps = 0;
  onThrown: OnThrown = (_life, error) => {
    throw error;
  };
  #seq = 0;
  #soon: Task[] = [];
  #soonAt = 0;
  readonly #later = new Heap();
  #current: Life | undefined;

  /** Life of the current task. */
  get life(): Life | undefined {
    return this.#current;
  }

  /** Plans a task after `ms` for a life or none (null); dropped if its life ends first. Returns its cancel function. */
  after(ms: number, call: () => void, life: Life | null): () => void {
    const task: Task = { at: this.now + Math.max(0, ms), seq: this.#seq++, life, call };
    if (ms <= 0) this.#soon.push(task);
    else this.#later.push(task);
    return () => {
      task.call = undefined;
    };
  }

  /** Settles soon in its own task: a point between two steps where a life may end. */
  turn(life: Life): Promise<void> {
    return new Promise((resolve) => this.after(0, resolve, life));
  }

  /** Runs due tasks until `until` (ms of the loop) or `stop`. */
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

  /** Runs outside any life and drains the resulting promises. */
  outside<Value>(work: () => Value): Value {
    const before = this.#current;
    this.#current = undefined;
    try {
      return work();
    } finally {
      this.#current = before;
    }
  }

  /** Runs as a task of a life. */
  as(life: Life, work: () => void): void {
    this.after(0, work, life);
  }

  /** Time of the next timer, ms of the loop; undefined if none. */
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

  /** Clock and timers of a device; its wall clock may change at any moment. */
  device(life: Life, wall: { offset: number }, bootedAt: number): Clock & Timers {
    return {
      now: () => START + this.now + wall.offset,
      elapsed: () => this.now - bootedAt,
      after: (ms, call) => this.after(Math.max(0.001, ms), call, life),
    };
  }

  /** Replaces Node's timers, monotonic clock and randomness until the returned function is called. */
  install(randomBytes: (n: number) => Uint8Array): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, structuredClone } =
      globalThis;
    const require = createRequire(import.meta.url);
    const crypto = require('node:crypto') as Record<string, unknown>;
    const turns = require('node:timers/promises') as Record<string, unknown>;
    const { setImmediate: realTurn } = turns;
    const { now: realNow } = performance;
    const { randomBytes: realRandom, createPrivateKey, createPublicKey, verify } = crypto;
    quick ??= rememberingCrypto({ createPrivateKey, createPublicKey, verify } as never);
    const handle = (callOff: () => void): unknown => ({
      callOff,
      unref: () => handle(callOff),
      ref: () => handle(callOff),
    });
    const clear = (given: unknown): void => (given as { callOff?: () => void } | undefined)?.callOff?.();
    Object.assign(globalThis, {
      // Library timers belong to no life: their process-wide state must stay intact.
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
    // A history runs within one turn of Node's own loop: there the next one never comes, and a slow machine would show.
    turns['setImmediate'] = () => new Promise<void>((resolve) => globalThis.setImmediate(resolve));
    Object.assign(performance, { now: () => this.now });
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
      turns['setImmediate'] = realTurn;
      Object.assign(performance, { now: realNow });
      syncBuiltinESMExports();
    };
  }

  /** Runs even if the life ends; counts as one of its steps while it lives. */
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

/** Start time of all device clocks. */
export const START = Date.parse('2026-11-20T00:00:00.000Z');

/** Photograph bytes that structured clone need not copy. */
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

/** Fast structured clone of plain values; omits undefined members, as JSON does. */
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

/** Orders tasks by time, then by planning order. */
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
