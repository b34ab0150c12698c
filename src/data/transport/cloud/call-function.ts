import { backoffDelay } from '../../../base/backoff';
import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import type { RETRYABLE_FUNCTION_CODES } from '../../../domain/messages';
import type { TabletHost } from '../../../platform/host';
import { sleep } from '../timing';

type RetryableCode = (typeof RETRYABLE_FUNCTION_CODES)[number];

/**
 * Error codes by their names in the specification (1§8). `unavailable` is a proxy's reply, which is `internal` here.
 */
const RETRYABLE: Readonly<Partial<Record<string, RetryableCode>>> = {
  timeout: 'deadline-exceeded',
  'rate-limited': 'resource-exhausted',
  internal: 'internal',
  disconnected: 'network-request-failed',
};

/**
 * Name in 1§8 under which a failed call is retried; null for a failure reported at once: the service gave a reason for
 * the person.
 */
export function retryableCode(error: unknown): RetryableCode | null {
  if (!(error instanceof ReefError) || typeof error.details['auth'] === 'string') return null;
  return RETRYABLE[error.code] ?? null;
}

/**
 * Calls a function of the service: "Retries: 3, first delay 1000 ms, doubling" (1§9). The timeout covers all tries.
 *
 * @param attempt one call; must end within the given ms
 * @throws ReefError of the last attempt
 */
export async function callFunction<Value>(
  { timers, clock }: Pick<TabletHost, 'timers' | 'clock'>,
  timeoutMs: number,
  attempt: (withinMs: number) => Promise<Value>,
): Promise<Value> {
  const end = clock.elapsed() + timeoutMs;
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt(end - clock.elapsed());
    } catch (error) {
      const wait = retryDelayOf(error, backoffDelay(retry + 1, { firstMs: LIMITS.retryFirstDelayMs }));
      if (retry >= LIMITS.retries || wait === null || clock.elapsed() + wait >= end) throw error;
      await sleep(timers, wait);
    }
  }
}

/** ms until the next try; null: no retry. A service that asks for a delay is not called earlier. */
function retryDelayOf(error: unknown, delay: number): number | null {
  if (retryableCode(error) === null || !(error instanceof ReefError)) return null;
  const asked = error.details['retryAfterMs'];
  return typeof asked === 'number' ? Math.max(delay, asked) : delay;
}
