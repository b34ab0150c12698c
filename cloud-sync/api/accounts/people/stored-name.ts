import { isBlank } from '../../../../src/domain/user/rules';
import { readName } from '../../../../src/domain/user/user';

/** Between the first and the last name; a name holds no line break. */
const SEPARATOR = '\n';

/** A name as the accounts keep it until there is a profile: without control characters, blanks in a row as one, nothing where nothing of it can be seen. */
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

/** The name that {@link storedName} kept; one of another origin is split as names of one string are. */
export function parseStoredName(stored: string): { readonly first: string; readonly last: string } {
  if (stored === '') return { first: '', last: '' };
  const [first = '', last] = stored.split(SEPARATOR);
  if (last !== undefined) return { first, last };
  const read = readName(stored);
  return { first: read.first, last: read.last };
}
