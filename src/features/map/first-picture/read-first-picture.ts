import { takeEarlyReading } from './early-reading';

/** Cache of the first pictures that were shown: read before any database is open, and without a network. */
const CACHE = 'reef-first-pictures';

/**
 * Reads the first picture of a region: the stored one at once, then the server's if it differs. Goes on with the reading of
 * the early page, if that has the same address.
 *
 * @param url of `first.json`
 * @param show called with each version, parsed; one that it refuses by throwing is not stored
 */
export async function readFirstPicture(url: string, show: (json: unknown) => void): Promise<void> {
  const early = takeEarlyReading(url);
  if (early === null) return beginReading(url, show);
  early.onVersion = show;
  if (early.json !== undefined) show(early.json);
  return early.done;
}

/** Reads without an early page; that one itself calls it. */
export async function beginReading(url: string, show: (json: unknown) => void): Promise<void> {
  // The page may have begun to fetch it (`after-first-paint.js`); other credentials would fetch it again.
  const fetched = fetch(url).catch(() => null);
  // Some private windows have no Cache Storage.
  const cache = await globalThis.caches?.open(CACHE).catch(() => undefined);
  const stored = await cache?.match(url).catch(() => undefined);
  const before = await stored?.text();
  if (before !== undefined) tryShow(before, show);
  const response = await fetched;
  // Offline, or a server without one (204): the stored picture stays.
  if (response === null || response.status !== 200) return;
  const text = await response.text().catch(() => null);
  if (text === null || text === before || !tryShow(text, show)) return;
  await cache
    ?.put(url, new Response(text, { headers: { 'content-type': 'application/json' } }))
    .catch((error: unknown) => console.warn('The first picture could not be stored.', error));
}

function tryShow(text: string, show: (json: unknown) => void): boolean {
  try {
    show(JSON.parse(text));
    return true;
  } catch (error) {
    console.warn('The first picture could not be read.', error);
    return false;
  }
}
