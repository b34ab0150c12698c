import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { makeId } from '../../../../src/domain/ids';
import type { AuthLibrary } from './auth-library';
import { AUTH_LIMITS } from '../auth-limits';

/** Key pair in the library's table; `privateKey` is encrypted. All ours are of one kind. */
interface KeyRow {
  readonly id: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly createdAt: Date;
  readonly alg: 'EdDSA';
  readonly crv: 'Ed25519';
}

/** Time the signing key is cached. */
const CACHE_MS = 60_000;

/**
 * Rotation of signing keys. A box at sea knows the keys of its last contact, so a key signs only after a voyage's time
 * of publication, and its successor is published then: every box ashore within a voyage can verify every token.
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

  async #list(): Promise<readonly KeyRow[]> {
    const { rows } = await this.#pool.query<KeyRow>(
      'SELECT "id", "publicKey", "privateKey", "createdAt", "alg", "crv" FROM auth."jwks" ORDER BY "createdAt", "id"',
    );
    return rows;
  }

  /** Creates a pair: the library makes one when it finds none. */
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
