/** Parts of an address below `/analysis` that have a page of their own. */
const RESERVED: ReadonlySet<string> = new Set(['training', 'library', 'expert', 'expert-image', 'ml', 'steps']);

const HANDLE_MAX = 100;

/**
 * Event handle of an address (2§2 "optional event") as the census stores it, in small letters; undefined for a text that
 * is none, such as the name of a page.
 */
export function eventHandle(text: string): string | undefined {
  const handle = text.trim().toLowerCase();
  return handle === '' || handle.length > HANDLE_MAX || RESERVED.has(handle) ? undefined : handle;
}
