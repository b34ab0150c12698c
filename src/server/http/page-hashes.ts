import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The elements that the built page carries in itself, as sources of a content security policy. */
export interface PageHashes {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/**
 * What stands inside the built page as style and script, each by its SHA-256: the first picture waits for nothing else, and
 * the policy still lets nothing in that the build did not write.
 *
 * @param folder of the built app; null, or one without a page: nothing
 */
export function pageHashes(folder: string | null): PageHashes {
  const page = folder === null ? '' : path.join(folder, 'index.html');
  const html = page !== '' && existsSync(page) ? readFileSync(page, 'utf8') : '';
  return { scripts: hashesOf(html, 'script'), styles: hashesOf(html, 'style') };
}

/** Only elements without attributes: one with `src` is a file of its own. */
function hashesOf(html: string, element: 'script' | 'style'): string[] {
  return [...html.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g'))].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
}
