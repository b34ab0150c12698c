import { isBlank } from '../../../../src/domain/user/rules';
import { readName } from '../../../../src/domain/user/user';

/** Separates first and last name; a name contains no line break. */
const SEPARATOR = '\n';

/**
 * Encodes a name for the accounts until a profile exists: without control characters, blanks collapsed, empty if
 * nothing is visible.
 */
export function storedName(
  name: { readonly first: string; readonly last?: string | undefined } | null | undefined,
): string {
  const [first = '', last = ''] = [name?.first, name?.last]
    .map((part) =>
      (part ?? '')
        .normalize('NFC')
        .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
        .trim(),
    )
    .map((part) => (isBlank(part) ? '' : part));
  return first === '' && last === '' ? '' : `${first}${SEPARATOR}${last}`;
}

/** Decodes a {@link storedName}; a name from elsewhere is split like any single-string name. */
export function parseStoredName(stored: string): { readonly first: string; readonly last: string } {
  if (stored === '') return { first: '', last: '' };
  const [first = '', last] = stored.split(SEPARATOR);
  if (last !== undefined) return { first, last };
  const read = readName(stored);
  return { first: read.first, last: read.last };
}
