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

/** Texts of one address, asked for side by side. */
interface AskedTexts {
  readonly url: string;
  /** Stored at an earlier visit; undefined if none is. */
  readonly stored: Promise<string | undefined>;
  /** Null without a network, and from a server without one (204). */
  readonly served: Promise<string | null>;
}

/** Reads without an early page; that one itself calls it. */
export async function beginReading(url: string, show: (json: unknown) => void): Promise<void> {
  const { stored, served } = takeAskedTexts(url) ?? askFor(url);
  // The first that comes is shown: opening a cache takes longer than the link at times.
  const first = await Promise.race([stored, served.then((text) => text ?? stored)]);
  const isShown = first !== undefined && tryShow(first, show);
  // Without one, the stored picture stays.
  const text = await served;
  if (text === null || (text === first ? !isShown : !tryShow(text, show)) || text === (await stored)) return;
  try {
    const cache = await globalThis.caches?.open(CACHE);
    await cache?.put(url, new Response(text, { headers: { 'content-type': 'application/json' } }));
  } catch (error) {
    console.warn('The first picture could not be stored.', error);
  }
}

/** Texts that the page asked for before any script had come (`after-first-paint.js`). */
function takeAskedTexts(url: string): AskedTexts | null {
  const page = globalThis as { askedFirstPicture?: AskedTexts | undefined };
  const asked = page.askedFirstPicture;
  page.askedFirstPicture = undefined;
  return asked?.url === url ? asked : null;
}

function askFor(url: string): AskedTexts {
  return { url, stored: readStored(url).catch(() => undefined), served: readServed(url).catch(() => null) };
}

// Some private windows have no Cache Storage.
async function readStored(url: string): Promise<string | undefined> {
  return (await globalThis.caches?.match(url, { cacheName: CACHE }))?.text();
}

async function readServed(url: string): Promise<string | null> {
  const answer = await fetch(url);
  return answer.status === 200 ? answer.text() : null;
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
