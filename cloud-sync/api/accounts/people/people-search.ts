import type { Pool } from 'pg';
import type { z } from 'zod';
import { nameWords } from '../../../../src/domain/user/name-words';
import type { peopleQuerySchema } from '../../../../src/protocol/accounts';
import type { Person, PersonRow } from './people';
import { PERSON_COLUMNS, PERSON_TABLES, personFromRow } from './people';
import { PLACEHOLDER_DOMAIN } from './placeholder-email';

const PEOPLE_PAGE = 25;
/** Sorts after every text with a given beginning, in code point order. */
const PREFIX_END = '\u{10ffff}';
const WORDS = (column: string): string => `array_to_tsvector(array_remove(string_to_array(${column}, ' '), ''))`;

/** People whose address begins with `$1` (up to `$2`), or whose name has a word for each beginning in `$3`. */
const FOUND = `
  SELECT "id" FROM auth."user" WHERE "email" COLLATE "C" >= $1 AND "email" COLLATE "C" < $2 AND "email" NOT LIKE '%@${PLACEHOLDER_DOMAIN}'
  UNION SELECT doc_id FROM docs WHERE kind = 'profile' AND name <> '' AND NOT deleted AND ${WORDS('name')} @@ $3::tsquery
  UNION SELECT n."id" FROM auth."user" n WHERE n."nameWords" IS NOT NULL AND ${WORDS('n."nameWords"')} @@ $3::tsquery
    AND NOT EXISTS (SELECT FROM docs o WHERE o.kind = 'profile' AND o.doc_id = n."id" AND o.name <> '' AND NOT o.deleted)`;

/** Everyone with an account, by name or else address; anonymous people once they have a name. */
const listed = (condition: string): string => `
  SELECT ${PERSON_COLUMNS}, coalesce(nullif(d.name, ''), u."nameWords", u."email") COLLATE "C" AS sorted
  FROM ${PERSON_TABLES} LEFT JOIN docs d ON d.kind = 'profile' AND d.doc_id = u."id" AND NOT d.deleted
  WHERE (p.anonymous IS NOT TRUE OR d.name <> '')${condition}`;

const page = (people: string, cursor: string): string =>
  `SELECT * FROM (${people}) l WHERE (l.sorted, l."id") > (${cursor}) ORDER BY l.sorted, l."id" LIMIT ${PEOPLE_PAGE + 1}`;

interface PeoplePage {
  readonly people: readonly Person[];
  /** Cursor of the next page; null on the last. */
  readonly next: string | null;
}

/** Returns a page of people by the beginning of an address or of the words of a name; of all for an empty text. */
export async function searchPeople(pool: Pool, { q, after }: z.infer<typeof peopleQuerySchema>): Promise<PeoplePage> {
  const typed = q.trim().normalize('NFC').toLowerCase();
  const cursor = parseCursor(after);
  // A prepared statement has one text: with and without a search.
  const { rows } = await pool.query<PersonRow & { readonly sorted: string }>(
    typed === ''
      ? { name: 'people', text: page(listed(''), '$1, $2'), values: [...cursor] }
      : {
          name: 'people-found',
          text: page(listed(` AND u."id" IN (${FOUND})`), '$4, $5'),
          values: [typed, `${typed}${PREFIX_END}`, wordQuery(typed), ...cursor],
        },
  );
  const last = rows.length > PEOPLE_PAGE ? rows[PEOPLE_PAGE - 1] : undefined;
  return {
    people: rows.slice(0, PEOPLE_PAGE).map(personFromRow),
    next: last === undefined ? null : `${last.id}~${last.sorted}`,
  };
}

/** Query for words that begin like those of a text, as PostgreSQL's `tsquery`; null without a word. */
function wordQuery(text: string): string | null {
  // Words have only letters and digits, so that nothing of the query's syntax gets in.
  const words = text.includes('@') ? [] : nameWords(text);
  return words.length === 0 ? null : words.map((word) => `'${word}':*`).join(' & ');
}

function parseCursor(after: string | undefined): readonly [sorted: string, id: string] {
  if (after === undefined) return ['', ''];
  const at = after.indexOf('~');
  return [after.slice(at + 1), after.slice(0, at)];
}
