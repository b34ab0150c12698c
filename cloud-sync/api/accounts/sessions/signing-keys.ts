import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { makeId } from '../../../../src/domain/ids';
import type { AuthLibrary } from './auth-library';
import { AUTH_LIMITS } from '../auth-limits';

/** A pair of keys as the library's table has it; `privateKey` is encrypted. Ours are all of one kind. */
interface KeyRow {
  readonly id: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly createdAt: Date;
  readonly alg: 'EdDSA';
  readonly crv: 'Ed25519';
}

/** For so long the answer to "which key signs" is believed without asking the database. */
const CACHE_MS = 60_000;

/**
 * Which key signs tokens. A box at sea knows the keys of its last time ashore, so a key signs only when it has been published for a
 * voyage, and the next one is published as soon as it does: every box that was ashore within a voyage can check every token.
 */
export class SigningKeys {
  #cached: { readonly key: KeyRow; readonly at: number } | undefined;

  readonly #pool: Pool;
  readonly #library: AuthLibrary;
  readonly #clock: () => number;

  constructor(pool: Pool, library: AuthLibrary, clock: () => number) {
    this.#pool = pool;
    this.#library = library;
    this.#clock = clock;
  }

  /** The key that signs now; makes the first one, and the next one where there is none yet. */
  async current(): Promise<KeyRow> {
    const now = this.#clock();
    if (this.#cached !== undefined && Math.abs(now - this.#cached.at) < CACHE_MS) return this.#cached.key;
    const keys = await this.#list();
    const key =
      keys.filter(({ createdAt }) => now - createdAt.getTime() >= AUTH_LIMITS.keyPublishedAheadMs).at(-1) ??
      keys[0] ??
      (await this.#create());
    if (keys.length === 0 || keys.at(-1)?.id === key.id) await this.#create();
    this.#cached = { key, at: now };
    return key;
  }

  /** In the order in which they were made. */
  async #list(): Promise<readonly KeyRow[]> {
    const { rows } = await this.#pool.query<KeyRow>(
      'SELECT "id", "publicKey", "privateKey", "createdAt", "alg", "crv" FROM auth."jwks" ORDER BY "createdAt", "id"',
    );
    return rows;
  }

  /** Has the library make a pair, which it does where it is told that there is none. */
  async #create(): Promise<KeyRow> {
    const made: KeyRow[] = [];
    const createJwk = async ({
      publicKey,
      privateKey,
    }: {
      readonly publicKey: string;
      readonly privateKey: string;
    }): Promise<KeyRow> => {
      const row: KeyRow = {
        id: makeId((n) => randomBytes(n)),
        publicKey,
        privateKey,
        createdAt: new Date(this.#clock()),
        alg: 'EdDSA',
        crv: 'Ed25519',
      };
      await this.#pool.query(
        'INSERT INTO auth."jwks" ("id", "publicKey", "privateKey", "createdAt", "alg", "crv") VALUES ($1, $2, $3, $4, $5, $6)',
        [row.id, row.publicKey, row.privateKey, row.createdAt, row.alg, row.crv],
      );
      made.push(row);
      return row;
    };
    await this.#library.api.signJWT({
      body: { payload: {}, overrideOptions: { adapter: { getJwks: async () => [], createJwk } } },
    });
    const [row] = made;
    if (row === undefined) throw new Error('the accounts library made no key');
    return row;
  }
}
