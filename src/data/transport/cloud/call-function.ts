import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import type { RETRYABLE_FUNCTION_CODES } from '../../../domain/messages';
import type { TabletHost } from '../../../platform/host';
import { sleep } from '../timing';

type RetryableCode = (typeof RETRYABLE_FUNCTION_CODES)[number];

/** Codes of the catalogue by the names that the specification has for them (1§8). `unavailable` is a proxy's answer, which is `internal` here. */
const RETRYABLE: Readonly<Partial<Record<string, RetryableCode>>> = {
  timeout: 'deadline-exceeded',
  'rate-limited': 'resource-exhausted',
  internal: 'internal',
  disconnected: 'network-request-failed',
};

/** Under which name of 1§8 a failed call is tried again; null for one that is told at once: the service said why, in words for the person. */
export function retryableCode(error: unknown): RetryableCode | null {
  if (!(error instanceof ReefError) || typeof error.details['auth'] === 'string') return null;
  return RETRYABLE[error.code] ?? null;
}

/**
 * Calls a function of the service, again where that can help: "Retries: 3, first delay 1000 ms, doubling" (1§9). The time-out bounds
 * the whole of it, so that a person hears by then.
 *
 * @param attempt one call; it must end within the ms that it is given
 * @throws ReefError as the last attempt throws
 */
export async function callFunction<Value>(
  { timers, clock }: Pick<TabletHost, 'timers' | 'clock'>,
  timeoutMs: number,
  attempt: (withinMs: number) => Promise<Value>,
): Promise<Value> {
  const end = clock.elapsed() + timeoutMs;
  let delay: number = LIMITS.retryFirstDelayMs;
  for (let retry = 0; ; retry += 1) {
    try {
      return await attempt(end - clock.elapsed());
    } catch (error) {
      const wait = retryDelayOf(error, delay);
      if (retry >= LIMITS.retries || wait === null || clock.elapsed() + wait >= end) throw error;
      await sleep(timers, wait);
      delay *= 2;
    }
  }
}

/** ms until the next try; null: there is none. A service that says when to come back is not asked earlier. */
function retryDelayOf(error: unknown, delay: number): number | null {
  if (retryableCode(error) === null || !(error instanceof ReefError)) return null;
  const asked = error.details['retryAfterMs'];
  return typeof asked === 'number' ? Math.max(delay, asked) : delay;
}
