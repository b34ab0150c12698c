import { takeEarlyReading } from './early-reading';
import { FIRST_PICTURES, paintingAddress, readFacts, textKeyOf, type StoredPainting } from './stored-painting';

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
interface AskedPicture {
  readonly url: string;
  /** Undefined if none is stored; asked for by the page alone, for the early page. */
  readonly painting?: Promise<StoredPainting | undefined>;
  /** Stored at an earlier visit; undefined if none is. */
  readonly stored: Promise<string | undefined>;
  /** Null without a network, and from a server without one (204). */
  readonly served: Promise<string | null>;
}

/** Version of a picture that is shown. */
export interface ShownVersion {
  /** `textKeyOf` its text. */
  readonly text: string;
  /** True if the stored painting shows it already. */
  readonly isPainted: boolean;
}

/**
 * Reads without an early page; that one itself calls it.
 *
 * @param show called with each version, parsed
 * @param showPainting shows the stored painting. Returns false if it does not fit this page
 */
export async function beginReading(
  url: string,
  show: (json: unknown, version: ShownVersion) => void,
  showPainting?: (painting: StoredPainting) => boolean,
): Promise<void> {
  const { painting, stored, served } = takeAsked(url) ?? askFor(url);
  let paintedText = showPainting === undefined ? null : await paintStored(painting, served, showPainting);
  const showText = (text: string): boolean => {
    const key = textKeyOf(text);
    const isPainted = key === paintedText;
    // Another one is painted over it.
    if (!isPainted) paintedText = null;
    return tryShow(text, (json) => show(json, { text: key, isPainted }));
  };
  // The first that comes is shown: opening a cache takes longer than the link at times.
  const first = await Promise.race([stored, served.then((text) => text ?? stored)]);
  const isShown = first !== undefined && showText(first);
  // Without one, the stored picture stays.
  const text = await served;
  // An image that came too late, or for a page that shows none.
  void painting?.then((late) => late?.image.close());
  if (text === null || (text === first ? !isShown : !showText(text)) || text === (await stored)) return;
  try {
    const cache = await globalThis.caches?.open(FIRST_PICTURES);
    // First, so that it is never one of another text.
    await cache?.delete(paintingAddress(url));
    await cache?.put(url, new Response(text, { headers: { 'content-type': 'application/json' } }));
  } catch (error) {
    console.warn('The first picture could not be stored.', error);
  }
}

/** Shows the stored painting. Returns the key of the text that it shows; null if it shows none. */
async function paintStored(
  painting: AskedPicture['painting'],
  served: AskedPicture['served'],
  show: (painting: StoredPainting) => boolean,
): Promise<string | null> {
  const stored = await Promise.race([painting, served.then((text) => (text === null ? painting : undefined))]);
  if (stored === undefined || !show(stored)) return null;
  return readFacts<{ readonly text: string }>(stored)?.text ?? null;
}

/** Answers that the page asked for before any script had come (`after-first-paint.js`). */
function takeAsked(url: string): AskedPicture | null {
  const page = globalThis as { askedFirstPicture?: AskedPicture | undefined };
  const asked = page.askedFirstPicture;
  page.askedFirstPicture = undefined;
  return asked?.url === url ? asked : null;
}

function askFor(url: string): AskedPicture {
  return { url, stored: readStored(url).catch(() => undefined), served: readServed(url).catch(() => null) };
}

// Some private windows have no Cache Storage.
async function readStored(url: string): Promise<string | undefined> {
  return (await globalThis.caches?.match(url, { cacheName: FIRST_PICTURES }))?.text();
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
