import { randomBytes } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CryptoKey, JSONWebKeySet, JWK } from 'jose';
import type { Pool } from 'pg';
import { makeId } from '../../../../src/domain/ids';
import { AUTH_LIMITS } from '../auth-limits';
import type { AccountsCipher } from './secrets';

/** Row of `auth.jwks`. The keys are JSON Web Keys as text; the private one is sealed (see {@link SigningKeys}). */
interface KeyRow {
  readonly id: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly createdAt: Date;
}

interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

const KIND = { alg: 'EdDSA', crv: 'Ed25519' } as const;

/** Time the signing key is cached. */
const CACHE_MS = 60_000;

/**
 * Rotation of signing keys. A box at sea knows the keys of its last contact, so a key signs only after a voyage's time
 * of publication, and its successor is published then: every box ashore within a voyage can verify every token.
 *
 * A private key is stored as the JSON string of its sealed text, the format of the accounts library that version 1 ran on.
 */
export class SigningKeys {
  #cached: { readonly key: SigningKey; readonly at: number } | undefined;

  readonly #pool: Pool;
  readonly #cipher: AccountsCipher;
  readonly #clock: () => number;

  /** @param cipher encrypts the private keys */
  constructor(pool: Pool, cipher: AccountsCipher, clock: () => number) {
    this.#pool = pool;
    this.#cipher = cipher;
    this.#clock = clock;
  }

  async current(): Promise<SigningKey> {
    const now = this.#clock();
    if (this.#cached !== undefined && Math.abs(now - this.#cached.at) < CACHE_MS) return this.#cached.key;
    const rows = await this.#list();
    const row =
      rows.filter(({ createdAt }) => now - createdAt.getTime() >= AUTH_LIMITS.keyPublishedAheadMs).at(-1) ??
      rows[0] ??
      (await this.#create());
    if (rows.length === 0 || rows.at(-1)?.id === row.id) await this.#create();
    const key = { kid: row.id, privateKey: await this.#open(row) };
    this.#cached = { key, at: now };
    return key;
  }

  /** Public keys, oldest first, including the next one. The first call creates the first two. */
  async published(): Promise<JSONWebKeySet> {
    await this.current();
    const rows = await this.#list();
    return { keys: rows.map(({ id, publicKey }) => ({ ...KIND, ...(JSON.parse(publicKey) as JWK), kid: id })) };
  }

  async #list(): Promise<readonly KeyRow[]> {
    const { rows } = await this.#pool.query<KeyRow>(
      'SELECT "id", "publicKey", "privateKey", "createdAt" FROM auth."jwks" ORDER BY "createdAt", "id"',
    );
    return rows;
  }

  async #create(): Promise<KeyRow> {
    const pair = await generateKeyPair(KIND.alg, { crv: KIND.crv, extractable: true });
    const row: KeyRow = {
      id: makeId((n) => randomBytes(n)),
      publicKey: JSON.stringify(await exportJWK(pair.publicKey)),
      privateKey: this.#seal(await exportJWK(pair.privateKey)),
      createdAt: new Date(this.#clock()),
    };
    await this.#pool.query(
      'INSERT INTO auth."jwks" ("id", "publicKey", "privateKey", "createdAt", "alg", "crv") VALUES ($1, $2, $3, $4, $5, $6)',
      [row.id, row.publicKey, row.privateKey, row.createdAt, KIND.alg, KIND.crv],
    );
    return row;
  }

  #seal(privateKey: JWK): string {
    return JSON.stringify(this.#cipher.seal(Buffer.from(JSON.stringify(privateKey))));
  }

  async #open({ privateKey }: KeyRow): Promise<CryptoKey> {
    const opened = this.#cipher.open(JSON.parse(privateKey) as string);
    const jwk = JSON.parse(Buffer.from(opened).toString('utf8')) as JWK;
    return (await importJWK(jwk, KIND.alg)) as CryptoKey;
  }
}
