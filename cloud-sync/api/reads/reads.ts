import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { PersonId } from '../../../src/domain/ids';
import type { JsonObject } from '../../../src/domain/json';
import { parseForm } from '../../../src/server/http/parse';
import { DatabaseUnavailableError, retryWhileUnavailable, toDatabaseError } from '../postgres/database-error';
import { censusReads } from './census-reads';
import { documentReads } from './document-reads';
import { referenceReads } from './reference-reads';
import type { ReadDefinition } from './read-definition';

/** Who reads, as far as reads ask. */
export interface Reader {
  readonly person: PersonId | null;
  readonly node: string | null;
  readonly isSignedIn: boolean;
  readonly isStaff: boolean;
}

interface Row {
  readonly answer: string;
}

const READS: Readonly<Record<string, ReadDefinition>> = { ...documentReads, ...censusReads, ...referenceReads };

/** How long a reader waits for a database that is away, ms; then they are told. */
const RETRY_FOR_MS = 3000;

/** The names of all reads, in their order. */
export const READ_NAMES: readonly string[] = Object.keys(READS);

/** Who a read is for and what it is asked with, by its name. */
export const READ_SIGNATURES: Readonly<Record<string, Pick<ReadDefinition, 'audience' | 'params'>>> = READS;

/**
 * The reads of the specification (1§7 "Document-store reads"). Each is one statement, and PostgreSQL puts the answer's text
 * together: documents are stored as their readers get them, so nothing is parsed and written again on the way.
 */
export class Reads {
  readonly #pool: pg.Pool;
  readonly #links: ((imageId: string) => JsonObject) | undefined;

  /** @param links where the pictures of a photograph are found */
  constructor(pool: pg.Pool, links?: (imageId: string) => JsonObject) {
    this.#pool = pool;
    this.#links = links;
  }

  /**
   * The answer of a read, as the text of its JSON: `{ok: true, items: [...], next: string | null}`; `next` is given back as `after`.
   *
   * @param query the parameters as they came
   * @throws ReefError `not-found` for no such read, `bad-message`, `unauthorised`, `forbidden`; DatabaseAwayError
   */
  async answer(name: string, query: unknown, reader: Reader): Promise<string> {
    const read = Object.hasOwn(READS, name) ? READS[name] : undefined;
    if (read === undefined) throw new ReefError('not-found', { field: 'name', message: 'There is no such read.' });
    if (read.audience !== 'anyone' && !reader.isSignedIn)
      throw new ReefError('unauthorised', { message: 'Sign in first, or use the token of this tablet or box.' });
    if (read.audience === 'staff' && !reader.isStaff) throw new ReefError('forbidden');
    const statement = read.statement(parseForm(read.params, query ?? {}, 'params'), reader);
    // The wait for a database that is away is put around the query only once it failed: this is the most travelled way.
    const { rows } = await this.#pool
      .query<Row>(statement)
      .catch((error: unknown) =>
        toDatabaseError(error) instanceof DatabaseUnavailableError
          ? retryWhileUnavailable(() => this.#pool.query<Row>(statement), RETRY_FOR_MS)
          : Promise.reject(error),
      );
    const [row] = rows;
    if (row === undefined) throw new ReefError('internal');
    const { shape } = read;
    if (shape === undefined) return row.answer;
    const { items, ...rest } = JSON.parse(row.answer) as { readonly items: readonly JsonObject[] };
    return JSON.stringify({ ...rest, items: items.map((item) => shape(item, this.#links)) });
  }
}
