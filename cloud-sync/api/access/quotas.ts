import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import { ReefError } from '../../../src/domain/errors';
import { networkOf } from '../accounts/sign-in/network';
import type { Caller } from './caller';

/** Things that senders use up: operations, announced photographs, bytes of photographs. */
type QuotaKind = 'ops' | 'announcements' | 'bytes';

/** Amounts a day, for a person and likewise for a tablet, and for a network. */
export interface Quotas {
  readonly each: Readonly<Record<QuotaKind, number>>;
  readonly network: Readonly<Record<QuotaKind, number>>;
}

const GIB = 1024 ** 3;
/** Tablets of a large crew, behind one address. */
const CREW = 12;
const EACH = {
  // A tablet adds 500 photographs a day, and may deliver the two weeks of a voyage at once.
  ops: 20_000,
  announcements: 10_000,
  bytes: 100 * GIB,
} as const;

/** Ours: the specification has none. */
export const QUOTAS: Quotas = {
  each: EACH,
  network: { ops: CREW * EACH.ops, announcements: CREW * EACH.announcements, bytes: CREW * EACH.bytes },
};

const DAY_MS = 24 * 60 * 60_000;
/** Longest wait that a refused sender is asked for: a person may have closed the gap by other means. */
const RETRY_AFTER_MAX_MS = 60 * 60_000;
/** Senders counted at most; the oldest are dropped. */
const TRACKED_MAX = 100_000;

interface Usage {
  readonly since: number;
  readonly used: Record<QuotaKind, number>;
}

interface QuotaOptions {
  /** Ms since 1970. */
  readonly clock: () => number;
  readonly log: Logger;
  readonly registry: Registry;
  /** Overrides for tests. */
  readonly quotas?: Quotas | undefined;
}

/**
 * Daily use by person, tablet and network: an account costs a stranger nothing, and disk and database are finite.
 * Bridges and staff are not counted. Each process counts alone, and from its start on. Nothing is lost at a limit: the
 * sender retains what it owes and offers it again.
 */
export class SenderQuotas {
  readonly #options: QuotaOptions;
  readonly #quotas: Quotas;
  readonly #usage = new Map<string, Usage>();
  readonly #refusals: Counter<'kind'>;

  constructor(options: QuotaOptions) {
    this.#options = options;
    this.#quotas = options.quotas ?? QUOTAS;
    this.#refusals = new Counter({
      name: 'reef_cloud_quota_refusals_total',
      help: 'Requests that exceeded a daily quota of their person, tablet or network',
      labelNames: ['kind'],
      registers: [options.registry],
    });
  }

  /** Uses up to `amount` and returns how much was left for it. */
  takeUpTo(kind: QuotaKind, amount: number, caller: Caller, ip: string): number {
    const scopes = this.#scopes(caller, ip);
    const left = scopes.reduce((least, { usage, max }) => Math.min(least, max[kind] - usage.used[kind]), amount);
    const taken = Math.max(0, left);
    for (const { usage } of scopes) usage.used[kind] += taken;
    if (taken < amount) this.#noteRefusal(kind, caller);
    return taken;
  }

  /**
   * Uses all of `amount`, or nothing.
   *
   * @throws ReefError `rate-limited` {retryAfterMs}
   */
  take(kind: QuotaKind, amount: number, caller: Caller, ip: string): void {
    this.check(kind, amount, caller, ip);
    this.record(kind, amount, caller, ip);
  }

  /** @throws ReefError `rate-limited` {retryAfterMs} if so much is not left */
  check(kind: QuotaKind, amount: number, caller: Caller, ip: string): void {
    const full = this.#scopes(caller, ip).find(({ usage, max }) => usage.used[kind] + amount > max[kind]);
    if (full === undefined) return;
    this.#noteRefusal(kind, caller);
    throw this.refusal();
  }

  record(kind: QuotaKind, amount: number, caller: Caller, ip: string): void {
    for (const { usage } of this.#scopes(caller, ip)) usage.used[kind] += amount;
  }

  refusal(): ReefError {
    return new ReefError('rate-limited', {
      message: 'More came today than a crew sends. It stays on the tablet, which offers it again.',
      retryAfterMs: RETRY_AFTER_MAX_MS,
    });
  }

  #noteRefusal(kind: QuotaKind, { roles }: Caller): void {
    this.#refusals.inc({ kind });
    this.#options.log.warn({ kind, roles: [...roles] }, 'a sender exceeded a daily quota; it is asked to wait');
  }

  #scopes(
    { roles, person, uploadOwner, deviceId }: Caller,
    ip: string,
  ): readonly { readonly usage: Usage; readonly max: Readonly<Record<QuotaKind, number>> }[] {
    if (roles.has('box') || roles.has('staff')) return [];
    const { each, network } = this.#quotas;
    const owner = person ?? uploadOwner ?? null;
    return [
      ...(owner === null ? [] : [{ usage: this.#usageOf(`person ${owner}`), max: each }]),
      ...(deviceId === null ? [] : [{ usage: this.#usageOf(`device ${deviceId}`), max: each }]),
      { usage: this.#usageOf(`network ${networkOf(ip)}`), max: network },
    ];
  }

  #usageOf(key: string): Usage {
    const now = this.#options.clock();
    const known = this.#usage.get(key);
    // A clock that was set back must stop no one for longer than a day.
    if (known !== undefined && now >= known.since && now - known.since < DAY_MS) return known;
    this.#usage.delete(key);
    const [oldest] = this.#usage.keys();
    if (this.#usage.size >= TRACKED_MAX && oldest !== undefined) this.#usage.delete(oldest);
    const fresh: Usage = { since: now, used: { ops: 0, announcements: 0, bytes: 0 } };
    this.#usage.set(key, fresh);
    return fresh;
  }
}
