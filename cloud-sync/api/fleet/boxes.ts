import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { ReefError } from '../../../src/domain/errors';
import { makeId } from '../../../src/domain/ids';
import type { FleetReport } from '../../../src/protocol/cloud-http';

export interface BoxCredential {
  readonly hash: string;
  /** Box it is bound to; null before its first use, or with several boxes. */
  readonly node: string | null;
  /** True if several boxes used it before tokens were bound: each request must then name its box. */
  readonly several: boolean;
}

export interface BoxRow {
  readonly node: string;
  readonly name: string;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  readonly revokedAt: Date | null;
  readonly report: FleetReport | null;
}

interface Registration {
  readonly id: string;
  readonly name: string;
  readonly node: string | null;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

/** Time a valid credential is cached, ms: a photograph takes many requests. */
const CACHE_MS = 5000;
/** Minimum interval between updates of "last seen", per box. */
const LAST_SEEN_INTERVAL_MS = 30_000;

/** Name of `BRIDGE_TOKEN` in the fleet console until its box reports its own. */
const DEFAULT_TOKEN_NAME = 'First box (BRIDGE_TOKEN)';
/** Start of the registration ids of `BRIDGE_TOKEN`: one counts only while the environment has its value. */
const DEFAULT_TOKEN_ID = 'BridgeToken';
/** SQL condition: the token `t` opens something. `$1` is the hash of `BRIDGE_TOKEN`, or null. */
const IS_VALID = `t.revoked_at IS NULL AND (t.id NOT LIKE '${DEFAULT_TOKEN_ID}%' OR t.token_hash IS NOT DISTINCT FROM $1)`;

const REVOKED_MESSAGE =
  'This box was revoked ashore. Nothing that it holds is lost: it stays aboard until the box is registered again. Ask the people who run the census.';
const ANOTHER_BOX_MESSAGE =
  'This token belongs to another box. Register this box in the fleet console and give it its own token.';

export class Boxes {
  readonly #pool: pg.Pool;
  readonly #clock: () => number;
  readonly #defaultTokenHash: string | null;
  readonly #lastSeen = new Map<string, number>();
  /** Valid credentials by hash; cleared on every local change. */
  readonly #credentials = new Map<string, { readonly credential: BoxCredential; readonly validUntil: number }>();

  /** @param bridgeToken value of `BRIDGE_TOKEN`, or null */
  constructor(pool: pg.Pool, clock: () => number, bridgeToken: string | null) {
    this.#pool = pool;
    this.#clock = clock;
    this.#defaultTokenHash = bridgeToken === null ? null : hashToken(bridgeToken);
  }

  /** Registers `BRIDGE_TOKEN` of the environment as the first box's token, so that staff see and revoke it like any other. */
  async registerDefaultToken(): Promise<void> {
    if (this.#defaultTokenHash === null) return;
    await this.#pool.query(
      'INSERT INTO box_tokens (token_hash, id, name, node, created_at) VALUES ($1, $2, $3, NULL, $4) ON CONFLICT (token_hash) DO NOTHING',
      [this.#defaultTokenHash, defaultTokenId(this.#defaultTokenHash), DEFAULT_TOKEN_NAME, new Date(this.#clock())],
    );
  }

  /**
   * Returns the credential of a bearer token; undefined if not a box's. Changes by other processes apply within
   * {@link CACHE_MS}.
   *
   * @throws ReefError `forbidden` for a revoked one
   */
  async credential(token: string): Promise<BoxCredential | undefined> {
    const hash = hashToken(token);
    const good = this.#credentials.get(hash);
    if (good !== undefined && performance.now() < good.validUntil) return good.credential;
    const { rows } = await this.#pool.query<{
      revoked: boolean;
      own_node: string | null;
      node: string | null;
      box_revoked: boolean | null;
      boxes: number;
    }>(
      `SELECT t.revoked_at IS NOT NULL AS revoked, t.node AS own_node, b.node, b.revoked_at IS NOT NULL AS box_revoked,
         (SELECT count(*) FROM boxes WHERE token_hash = t.token_hash) AS boxes
       FROM box_tokens t
       LEFT JOIN LATERAL (SELECT node, revoked_at FROM boxes WHERE token_hash = t.token_hash ORDER BY last_seen_at DESC LIMIT 1) b ON true
       WHERE t.token_hash = $2 AND (t.revoked_at IS NOT NULL OR ${IS_VALID})`,
      [this.#defaultTokenHash, hash],
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const several = row.own_node === null && row.boxes > 1;
    if (row.revoked || (row.box_revoked === true && !several))
      throw new ReefError('forbidden', { message: REVOKED_MESSAGE });
    const credential = { hash, several, node: several ? null : (row.own_node ?? row.node) };
    this.#credentials.set(hash, { credential, validUntil: performance.now() + CACHE_MS });
    return credential;
  }

  /**
   * Binds a credential to the first box that uses it, once and for all, and records the visit.
   *
   * @throws ReefError `forbidden` if the credential is another box's or the box is revoked
   */
  async recordVisit({ hash, several, node: bound }: BoxCredential, node: string): Promise<void> {
    if (bound !== null && bound !== node)
      throw new ReefError('forbidden', { field: 'node', message: ANOTHER_BOX_MESSAGE });
    const now = this.#clock();
    const key = `${hash} ${node}`;
    if (
      (bound === node || several) &&
      Math.abs(now - (this.#lastSeen.get(key) ?? -Infinity)) < (several ? CACHE_MS : LAST_SEEN_INTERVAL_MS)
    )
      return;
    // The row of the token decides between two boxes that come first at the same time.
    const { rows } = await this.#pool.query<{ revoked: boolean | null; visited: boolean }>(
      `WITH box AS (SELECT token_hash, revoked_at IS NOT NULL AS revoked,
           token_hash <> $2 AND EXISTS (SELECT FROM box_tokens t WHERE t.token_hash = boxes.token_hash AND ${IS_VALID}) AS taken
         FROM boxes WHERE node = $3),
       bound AS (UPDATE box_tokens SET node = $3 WHERE token_hash = $2
           AND NOT EXISTS (SELECT FROM box WHERE revoked OR taken)
           AND (node = $3 OR node IS NULL AND NOT EXISTS (SELECT FROM boxes WHERE token_hash = $2 AND node <> $3))
         RETURNING name),
       visit AS (INSERT INTO boxes AS b (node, token_hash, name, first_seen_at, last_seen_at)
         SELECT $3, $2, coalesce((SELECT name FROM bound), ''), $4, $4
         WHERE EXISTS (SELECT FROM bound) OR EXISTS (SELECT FROM box WHERE token_hash = $2 AND NOT revoked)
         ON CONFLICT (node) DO UPDATE SET last_seen_at = greatest(b.last_seen_at, $4), token_hash = $2 WHERE b.revoked_at IS NULL
         RETURNING node)
       SELECT (SELECT revoked FROM box) AS revoked, EXISTS (SELECT FROM visit) AS visited`,
      [this.#defaultTokenHash, hash, node, new Date(now)],
    );
    if (rows[0]?.revoked === true) throw new ReefError('forbidden', { message: REVOKED_MESSAGE });
    if (rows[0]?.visited !== true) throw new ReefError('forbidden', { field: 'node', message: ANOTHER_BOX_MESSAGE });
    this.#lastSeen.set(key, now);
    if (bound !== node && !several) this.#credentials.delete(hash);
  }

  async saveReport(node: string, report: FleetReport): Promise<void> {
    await this.#pool.query(
      'UPDATE boxes SET report = $2, name = $3, last_seen_at = greatest(last_seen_at, $4) WHERE node = $1',
      [node, JSON.stringify(report), report.name, new Date(this.#clock())],
    );
  }

  /**
   * Registers a box; returns its token, which is shown only once.
   *
   * @param node the box, if staff know it; a revoked one may return with the new token
   */
  async register(name: string, node: string | null): Promise<{ id: string; token: string }> {
    const token = randomBytes(32).toString('base64url');
    const id = makeId((n) => randomBytes(n));
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      await client.query(
        'INSERT INTO box_tokens (token_hash, id, name, node, created_at) VALUES ($1, $2, $3, $4, $5)',
        [hashToken(token), id, name, node, new Date(this.#clock())],
      );
      if (node !== null) {
        await client.query(
          `UPDATE box_tokens SET revoked_at = $3 WHERE token_hash = (SELECT token_hash FROM boxes WHERE node = $1) AND token_hash <> $2 AND revoked_at IS NULL
             AND NOT EXISTS (SELECT FROM boxes other WHERE other.token_hash = box_tokens.token_hash AND other.node <> $1)`,
          [node, hashToken(token), new Date(this.#clock())],
        );
        await client.query('UPDATE boxes SET revoked_at = NULL, token_hash = $2 WHERE node = $1', [
          node,
          hashToken(token),
        ]);
      }
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch((cause: Error) => (broken = cause));
      throw error;
    } finally {
      client.release(broken);
    }
    this.#clearCache();
    return { id, token };
  }

  /**
   * Revokes a box by node or registration id. Its data stays aboard.
   *
   * @throws ReefError `not-found`
   */
  async revoke(nodeOrId: string): Promise<void> {
    const at = new Date(this.#clock());
    const { rows } = await this.#pool.query<{ n: number }>(
      `WITH box AS (UPDATE boxes SET revoked_at = coalesce(revoked_at, $2) WHERE node = $1 RETURNING token_hash),
            tokens AS (UPDATE box_tokens SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1 OR node = $1 OR token_hash IN (SELECT token_hash FROM box) RETURNING token_hash),
            of_token AS (UPDATE boxes SET revoked_at = coalesce(revoked_at, $2) WHERE node <> $1 AND token_hash IN (SELECT token_hash FROM tokens) RETURNING node)
       SELECT (SELECT count(*) FROM box) + (SELECT count(*) FROM tokens) + (SELECT count(*) FROM of_token) AS n`,
      [nodeOrId, at],
    );
    this.#clearCache();
    if (Number(rows[0]?.n ?? 0) === 0) throw new ReefError('not-found', { node: nodeOrId });
  }

  #clearCache(): void {
    this.#lastSeen.clear();
    this.#credentials.clear();
  }

  async list(): Promise<readonly BoxRow[]> {
    const { rows } = await this.#pool.query<BoxRow>(
      `SELECT node, name, first_seen_at AS "firstSeenAt", last_seen_at AS "lastSeenAt", revoked_at AS "revokedAt", report FROM boxes ORDER BY name, node`,
    );
    return rows;
  }

  async listUnused(): Promise<readonly Registration[]> {
    const { rows } = await this.#pool.query<Registration>(
      `SELECT id, name, node, created_at AS "createdAt", revoked_at AS "revokedAt" FROM box_tokens t
       WHERE NOT EXISTS (SELECT 1 FROM boxes b WHERE b.token_hash = t.token_hash) AND ${IS_VALID} ORDER BY created_at`,
      [this.#defaultTokenHash],
    );
    return rows;
  }
}

/** Registration id of `BRIDGE_TOKEN`: the same in all processes of the service. */
function defaultTokenId(hash: string): string {
  return DEFAULT_TOKEN_ID + createHash('sha256').update(hash).digest('hex').slice(0, 8);
}

function hashToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64url');
}
