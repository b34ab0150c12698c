/** Cache of the first pictures that were shown: read before any database is open, and without a network. */
export const FIRST_PICTURES = 'reef-first-pictures';

/** Picture as it was painted at the last visit: a slow phone takes half a second to read and paint its reefs again. */
export interface StoredPainting {
  readonly image: ImageBitmap;
  /** Facts that its writer noted (`storePainting`). */
  readonly facts: string | null;
}

/** Header that has the facts of a painting, in characters of a header. */
const FACTS = 'x-painting';

/** Address of the painting in the cache. The page's inline script has it, and the name of the header, too. */
export const paintingAddress = (url: string): string => `${url}?painting`;

/**
 * Key of a text, by which a painting names the one that it shows: the stored text may be another by the time the canvas is
 * stored, in this tab or in another. 32 bits (FNV-1a) and the length.
 */
export function textKeyOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return `${(hash >>> 0).toString(16)}-${text.length}`;
}

/**
 * Stores what a canvas shows. A full disk or a browser without Cache Storage only costs time at the next visit.
 * @param url of the text that was painted, which is stored
 * @param facts with `text`, the key of what the canvas shows
 */
export async function storePainting(
  url: string,
  canvas: HTMLCanvasElement,
  facts: { readonly text: string },
): Promise<void> {
  try {
    const cache = await globalThis.caches?.open(FIRST_PICTURES);
    if (cache === undefined || (await cache.match(url)) === undefined) return;
    // With the quality of 1, WebP is without loss in Chromium; a browser without it makes a PNG.
    const image = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 1));
    if (image === null) return;
    const headers = { [FACTS]: encodeURIComponent(JSON.stringify(facts)) };
    await cache.put(paintingAddress(url), new Response(image, { headers }));
  } catch (error) {
    console.warn('The painted picture could not be stored.', error);
  }
}

/** @returns null for facts that cannot be read */
export function readFacts<Facts extends object>({ facts }: StoredPainting): Partial<Facts> | null {
  try {
    const read: unknown = JSON.parse(decodeURIComponent(facts ?? ''));
    return typeof read === 'object' ? (read as Partial<Facts> | null) : null;
  } catch {
    return null;
  }
}
