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

/** Answers for one address, asked for side by side. */
interface AskedFiles {
  readonly url: string;
  /** Stored at an earlier visit; undefined if none is. */
  readonly stored: Promise<Response | undefined>;
  /** Null without a network. */
  readonly fetched: Promise<Response | null>;
}

/** Reads without an early page; that one itself calls it. */
export async function beginReading(url: string, show: (json: unknown) => void): Promise<void> {
  const { stored, fetched } = takeAskedFiles(url) ?? askFor(url);
  const storedText = stored.then((response) => response?.text()).catch(() => undefined);
  // Offline, or a server without one (204): the stored picture stays.
  const servedText = fetched.then((response) => (response?.status === 200 ? response.text() : null)).catch(() => null);
  // The first that comes is shown: opening a cache takes longer than the link at times.
  const first = await Promise.race([storedText, servedText.then((text) => text ?? storedText)]);
  const isShown = first !== undefined && tryShow(first, show);
  const text = await servedText;
  if (text === null || (text === first ? !isShown : !tryShow(text, show)) || text === (await storedText)) return;
  try {
    const cache = await globalThis.caches?.open(CACHE);
    await cache?.put(url, new Response(text, { headers: { 'content-type': 'application/json' } }));
  } catch (error) {
    console.warn('The first picture could not be stored.', error);
  }
}

/** Files that the page asked for before any script had come (`after-first-paint.js`). */
function takeAskedFiles(url: string): AskedFiles | null {
  const page = globalThis as { askedFirstPicture?: AskedFiles | undefined };
  const asked = page.askedFirstPicture;
  page.askedFirstPicture = undefined;
  return asked?.url === url ? asked : null;
}

function askFor(url: string): AskedFiles {
  return {
    url,
    // Some private windows have no Cache Storage.
    stored: globalThis.caches?.match(url, { cacheName: CACHE }) ?? Promise.resolve(undefined),
    fetched: fetch(url).catch(() => null),
  };
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
