/**
 * Order of a survey's photographs, as a sort key on each (`order`). There is always room for another key between two,
 * so moving a photograph writes only that one and concurrent moves of different ones do not conflict. A key is a
 * base-62 fraction without its "0." that never ends in 0.
 */
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY = /^[0-9A-Za-z]{0,200}[1-9A-Za-z]$/;
/** Letters that hold ms since 1970 for thousands of years. */
const TIME_LETTERS = 8;
const ID_LETTERS = 4;

/**
 * Default key of a photograph: time added, then id.
 *
 * @param ms since 1970
 */
export function orderAt(ms: number, id: string): string {
  let rest = Number.isFinite(ms) ? Math.max(0, Math.floor(ms)) : 0;
  let time = '';
  for (let i = 0; i < TIME_LETTERS; i++) {
    time = DIGITS.charAt(rest % 62) + time;
    rest = Math.floor(rest / 62);
  }
  const letters = Array.from(id)
    .filter((letter) => DIGITS.includes(letter))
    .slice(0, ID_LETTERS)
    .join('');
  // The last letter stops the key from ending in 0.
  return `${time}${letters}V`;
}

/** Key of a photograph: its own, or the default key of its creation time if missing or invalid. */
export function orderOf(image: {
  readonly id: string;
  readonly order?: unknown;
  readonly since?: unknown;
  readonly createdAt?: unknown;
}): string {
  if (typeof image.order === 'string' && KEY.test(image.order)) return image.order;
  const since = typeof image.since === 'string' ? image.since : image.createdAt;
  return orderAt(typeof since === 'string' ? Date.parse(since) : 0, image.id);
}

/** Orders by key, then id: the same on every tablet. */
export function byOrder(
  a: { readonly id: string; readonly order: string },
  b: { readonly id: string; readonly order: string },
): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/**
 * Evenly spread keys for `count` photographs between two others.
 *
 * @param after preceding key; null for the beginning
 * @param before following key, greater than `after`; null for the end
 */
export function keysBetween(after: string | null, before: string | null, count: number): string[] {
  if (count <= 0) return [];
  const middle = midpoint(after ?? '', before);
  const left = Math.floor((count - 1) / 2);
  return [...keysBetween(after, middle, left), middle, ...keysBetween(middle, before, count - 1 - left)];
}

/**
 * New keys that place `ids` together, in this order, before another photograph. Includes the following ones that share
 * a key with their neighbour (two tablets in the same moment).
 *
 * @param sorted the survey's photographs by {@link byOrder}
 * @param before null or an unknown id: to the end
 */
export function reorderKeys(
  sorted: readonly { readonly id: string; readonly order: string }[],
  ids: readonly string[],
  before: string | null,
): ReadonlyMap<string, string> {
  const knownIds = new Set(sorted.map(({ id }) => id));
  const moving = [...new Set(ids)].filter((id) => knownIds.has(id));
  const movingIds = new Set(moving);
  if (moving.length === 0 || (before !== null && movingIds.has(before) && moving.length === 1)) return new Map();
  // If the target itself moves: before the next one that does not.
  let at = before === null ? sorted.length : sorted.findIndex(({ id }) => id === before);
  if (at < 0) at = sorted.length;
  while (at < sorted.length && movingIds.has(sorted[at]?.id ?? '')) at++;
  const left =
    sorted
      .slice(0, at)
      .filter(({ id }) => !movingIds.has(id))
      .at(-1)?.order ?? null;
  const following = sorted.slice(at).filter(({ id }) => !movingIds.has(id));
  const same = following.filter(({ order }) => left !== null && order <= left);
  const right = following[same.length]?.order ?? null;
  const all = [...moving, ...same.map(({ id }) => id)];
  const keys = keysBetween(left, right, all.length);
  return new Map(all.map((id, i) => [id, keys[i] ?? '']));
}

/** Short key strictly between two (`''` is 0, null is 1). */
function midpoint(after: string, before: string | null): string {
  if (before !== null) {
    let same = 0;
    while (same < before.length && (after.charAt(same) || '0') === before.charAt(same)) same++;
    if (same > 0) return before.slice(0, same) + midpoint(after.slice(same), before.slice(same));
  }
  const low = after === '' ? 0 : DIGITS.indexOf(after.charAt(0));
  const high = before === null ? DIGITS.length : DIGITS.indexOf(before.charAt(0));
  if (high - low > 1) return DIGITS.charAt((low + high) >> 1);
  if (before !== null && before.length > 1) return before.charAt(0);
  return DIGITS.charAt(low) + midpoint(after.slice(1), null);
}
