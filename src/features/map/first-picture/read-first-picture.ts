import { takeEarlyReading } from './early-reading';
import { FIRST_PICTURES, paintingAddress, type StoredPainting } from './stored-painting';

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

/**
 * Reads without an early page; that one itself calls it.
 *
 * @param show called with each version, parsed; `isPainted` if the stored painting shows that version already
 * @param showPainting shows the stored painting. Returns false if it does not fit this page
 */
export async function beginReading(
  url: string,
  show: (json: unknown, isPainted: boolean) => void,
  showPainting: (painting: StoredPainting) => boolean = () => false,
): Promise<void> {
  const { painting, stored, served } = takeAsked(url) ?? askFor(url);
  const painted = await Promise.race([painting, served.then((text) => (text === null ? painting : undefined))]);
  const isPainted = painted !== undefined && showPainting(painted);
  // The first that comes is shown: opening a cache takes longer than the link at times.
  const first = await Promise.race([stored, served.then((text) => text ?? stored)]);
  // The painting is always of the stored text.
  const isFirstPainted = isPainted && first === (await stored);
  const isShown = first !== undefined && tryShow(first, (json) => show(json, isFirstPainted));
  // Without one, the stored picture stays.
  const text = await served;
  const showServed = (json: unknown): void => show(json, false);
  if (text === null || (text === first ? !isShown : !tryShow(text, showServed)) || text === (await stored)) return;
  try {
    const cache = await globalThis.caches?.open(FIRST_PICTURES);
    // First, so that it is never one of another text.
    await cache?.delete(paintingAddress(url));
    await cache?.put(url, new Response(text, { headers: { 'content-type': 'application/json' } }));
  } catch (error) {
    console.warn('The first picture could not be stored.', error);
  }
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
