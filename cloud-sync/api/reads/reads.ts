import pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { JsonObject } from '../../../src/domain/json';
import { parseForm } from '../../../src/server/http/parse';
import { TABLET_REVOKED_MESSAGE } from '../access/caller';
import { DatabaseUnavailableError, retryWhileUnavailable, toDatabaseError } from '../postgres/database-error';
import { censusReads } from './census-reads';
import { documentReads } from './document-reads';
import { referenceReads } from './reference-reads';
import { regionReads } from './region-reads';
import { resultReads } from './result-reads';
import type { ReadDefinition, ReadStatement, Reader } from './read-definition';

interface Row {
  readonly answer: string;
}

const READS: Readonly<Record<string, ReadDefinition>> = {
  ...documentReads,
  ...censusReads,
  ...referenceReads,
  ...regionReads,
  ...resultReads,
};

/** Time a reader waits for an unavailable database, ms. */
const RETRY_FOR_MS = 3000;

export const READ_SIGNATURES: Readonly<Record<string, Pick<ReadDefinition, 'audience' | 'params'>>> = READS;

/**
 * Reads of the specification (1§7 "Document-store reads"). Each is one statement, and PostgreSQL assembles the answer's
 * text from documents stored as readers get them.
 */
export class Reads {
  readonly #pool: pg.Pool;
  readonly #links: ((imageId: string) => JsonObject) | undefined;

  /** @param links addresses of a photograph's pictures */
  constructor(pool: pg.Pool, links?: (imageId: string) => JsonObject) {
    this.#pool = pool;
    this.#links = links;
  }

  /**
   * Answers a read as JSON text: `{ok: true, items: [...], next: string | null}`; pass `next` as `after`.
   *
   * @param query parameters as received
   * @throws ReefError `not-found` for an unknown read, `bad-message`, `unauthorised`, `forbidden`;
   * DatabaseUnavailableError
   */
  async answer(name: string, query: unknown, reader: Reader): Promise<string> {
    const read = Object.hasOwn(READS, name) ? READS[name] : undefined;
    if (read === undefined) throw new ReefError('not-found', { field: 'name', message: 'No such query exists.' });
    if (read.audience !== 'anyone' && !reader.isSignedIn)
      throw reader.isRevoked === true
        ? new ReefError('forbidden', { field: 'device', message: TABLET_REVOKED_MESSAGE })
        : new ReefError('unauthorised', { message: 'Sign in first, or use the token of this tablet or box.' });
    if (read.audience === 'staff' && !reader.isStaff) throw new ReefError('forbidden');
    const statement = read.statement(parseForm(read.params, query ?? {}, 'params'), reader);
    // Retries start only after a failure: this is the hottest path.
    const { rows } = await this.#query(statement).catch((error: unknown) =>
      toDatabaseError(error) instanceof DatabaseUnavailableError
        ? retryWhileUnavailable(() => this.#query(statement), RETRY_FOR_MS)
        : Promise.reject(error),
    );
    const [row] = rows;
    if (row === undefined) throw new ReefError('internal');
    const { shape } = read;
    if (shape === undefined) return row.answer;
    const { items, ...rest } = JSON.parse(row.answer) as { readonly items: readonly JsonObject[] };
    return JSON.stringify({ ...rest, items: items.flatMap((item) => shape(item, this.#links) ?? []) });
  }

  /** Runs a statement. The driver would copy a plain object by its property descriptors, which costs as much as the rest. */
  #query({ name, text, values }: ReadStatement): Promise<pg.QueryResult<Row>> {
    const query = Object.assign(new pg.Query(text, values), { name });
    // The pool returns a promise for it; its types know streams alone.
    return this.#pool.query(query) as unknown as Promise<pg.QueryResult<Row>>;
  }
}
