import { createHash, timingSafeEqual } from 'node:crypto';
import type { CallerSource } from '../access/cloud-callers';

/**
 * Recognises the operator's token for metrics (`METRICS_TOKEN`), without the database: figures are needed most while it
 * is away.
 *
 * @param token null: metrics are for staff alone
 */
export function monitorSource(token: string | null): CallerSource {
  if (token === null) return async () => undefined;
  const expected = digest(token);
  return async (given) =>
    timingSafeEqual(digest(given), expected)
      ? { roles: new Set(['anyone', 'monitor']), person: null, deviceId: null, node: null }
      : undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
