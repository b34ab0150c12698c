import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Inline elements of the built page, as sources of a content security policy. */
interface PageHashes {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/**
 * Hashes of the built page's inline style and script, so that the policy allows nothing that the build did not write.
 *
 * @param folder of the built app; null, or one without a page: nothing
 */
export function pageHashes(folder: string | null): PageHashes {
  const page = folder === null ? '' : path.join(folder, 'index.html');
  const html = page !== '' && existsSync(page) ? readFileSync(page, 'utf8') : '';
  return { scripts: hashesOf(html, 'script'), styles: hashesOf(html, 'style') };
}

/** Only elements without attributes: one with `src` is a separate file. */
function hashesOf(html: string, element: 'script' | 'style'): string[] {
  return [...html.matchAll(new RegExp(`<${element}>([\\s\\S]*?)</${element}>`, 'g'))].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
}
