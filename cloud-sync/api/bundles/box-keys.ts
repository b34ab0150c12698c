import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import type { BundleManifest, ImportDone } from '../../../src/protocol/bundle';
import type { PublicKey } from '../../../src/protocol/receipt';

/** Party that vouches for a box's key: the box by its token, or a staff member. */
export type Vouching =
  | { readonly by: 'box'; readonly node: string }
  | { readonly by: 'staff'; readonly person: string | null; readonly confirmed: string | null };

export interface BoxKey {
  readonly kid: string;
  readonly node: string;
  readonly how: 'box' | 'staff';
  readonly addedAt: Date;
}

export interface ImportRow {
  readonly id: string;
  readonly node: string;
  readonly name: string;
  readonly importedAt: Date;
  readonly kid: string;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly done: ImportDone;
}

/**
 * Keys with which boxes sign bundles. A box's first key is accepted from the holder of its token; any other needs
 * confirmation by staff, since a bundle can be forged.
 */
export class BoxKeys {
  readonly #pool: pg.Pool;
  readonly #clock: () => number;

  constructor(pool: pg.Pool, clock: () => number) {
    this.#pool = pool;
    this.#clock = clock;
  }

  async list(): Promise<readonly BoxKey[]> {
    const { rows } = await this.#pool.query<BoxKey>(
      'SELECT kid, node, how, added_at AS "addedAt" FROM box_keys ORDER BY node, added_at',
    );
    return rows;
  }

  /**
   * Checks that a bundle's key is its box's, and accepts a new one if the deliverer may vouch for it.
   *
   * @returns true if the key was known before
   * @throws ReefError `forbidden` {confirm}: unknown key, which staff may confirm by that value
   */
  async trust(
    key: PublicKey,
    { node, name }: Pick<BundleManifest, 'node' | 'name'>,
    vouching: Vouching,
  ): Promise<boolean> {
    const { rows } = await this.#pool.query<{ kid: string; node: string; x: string }>(
      'SELECT kid, node, x FROM box_keys WHERE kid = $1 OR node = $2',
      [key.kid, node],
    );
    const same = rows.find(({ kid }) => kid === key.kid);
    if (same !== undefined && (same.node !== node || same.x !== key.x))
      throw new ReefError('forbidden', {
        field: 'signature',
        message: `This bundle claims to come from the box "${name}" (${node}), but it is signed with another box’s key. Nothing was imported.`,
      });
    const revoked = await this.#isRevoked(node);
    if (vouching.by === 'box') {
      if (vouching.node !== node)
        throw new ReefError('forbidden', {
          field: 'node',
          message: `This is a bundle of another box, "${name}" (${node}). A person of the staff can import it.`,
        });
      if (same !== undefined) return true;
      if (rows.length > 0) throw this.#unknownKeyError(key, name, node, 'The box signed with another key before');
      await this.#add(key, node, 'box', null);
      return false;
    }
    if (same !== undefined && !revoked) return true;
    if (vouching.confirmed !== key.kid)
      throw this.#unknownKeyError(
        key,
        name,
        node,
        revoked
          ? 'This box was revoked'
          : rows.length > 0
            ? 'The box signed with another key before'
            : 'The cloud does not know this box’s key',
      );
    if (same === undefined) await this.#add(key, node, 'staff', vouching.person);
    return same !== undefined;
  }

  /** Time of an earlier import of the same part of the same box's feed; null if none. */
  async previousImportAt({ node, storeEpoch, ops }: BundleManifest): Promise<Date | null> {
    const { rows } = await this.#pool.query<{ at: Date | null }>(
      'SELECT min(imported_at) AS at FROM bundle_imports WHERE node = $1 AND store_epoch = $2 AND ops_sha256 = $3',
      [node, storeEpoch, ops.sha256],
    );
    return rows[0]?.at ?? null;
  }

  async recordImport(
    id: string,
    { node, name, storeEpoch, fromSeq, toSeq, ops }: BundleManifest,
    kid: string,
    person: string | null,
    done: ImportDone,
  ): Promise<void> {
    await this.#pool.query(
      `INSERT INTO bundle_imports (id, node, name, store_epoch, ops_sha256, imported_at, kid, person, from_seq, to_seq, done)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        id,
        node,
        name,
        storeEpoch,
        ops.sha256,
        new Date(this.#clock()),
        kid,
        person,
        fromSeq,
        toSeq,
        JSON.stringify(done),
      ],
    );
  }

  async imports(limit: number): Promise<readonly ImportRow[]> {
    const { rows } = await this.#pool.query<ImportRow>(
      'SELECT id, node, name, imported_at AS "importedAt", kid, from_seq::float8 AS "fromSeq", to_seq::float8 AS "toSeq", done FROM bundle_imports ORDER BY imported_at DESC LIMIT $1',
      [limit],
    );
    return rows;
  }

  async #isRevoked(node: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query('SELECT 1 FROM boxes WHERE node = $1 AND revoked_at IS NOT NULL', [
      node,
    ]);
    return rowCount !== 0;
  }

  async #add({ kid, x }: PublicKey, node: string, how: BoxKey['how'], person: string | null): Promise<void> {
    await this.#pool.query(
      'INSERT INTO box_keys (kid, node, x, how, added_at, person) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (kid) DO NOTHING',
      [kid, node, x, how, new Date(this.#clock()), person],
    );
  }

  #unknownKeyError({ kid }: PublicKey, name: string, node: string, why: string): ReefError {
    return new ReefError('forbidden', {
      field: 'signature',
      confirm: kid,
      message: `${why}. The bundle claims to come from "${name}" (${node}), signed with the key ${kid}. Compare the key with the one that the box’s console shows, and confirm it. Nothing was imported.`,
    });
  }
}
