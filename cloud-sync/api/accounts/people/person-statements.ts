import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { PersonId } from '../../../../src/domain/ids';
import type { BoxPeople, PersonStatement } from '../../../../src/protocol/person-statement';
import { isOwnStatement, personStatementSchema } from '../../../../src/protocol/person-statement';
import type { PublicKey } from '../../../../src/protocol/receipt';
import { verifySignature } from '../../../../src/server/ops/receipt-signer';
import type { GrantAccess } from './account-creation';
import { grantClaims } from './claims';

interface PersonStatementsOptions {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly grantAccess: GrantAccess;
}

/** Outcome for the statements of one box. */
interface StatementsResult {
  /** People with a new statement. */
  readonly taken: readonly PersonId[];
  /** Number of statements that are not the box's, or come from a revoked box. */
  readonly refused: number;
}

/**
 * Statements of boxes about the pending people who first signed in there (protocol, "Statements about people"). What a
 * box stated before it was revoked stays; nothing new of it counts.
 */
export class PersonStatements {
  readonly #options: PersonStatementsOptions;

  constructor(options: PersonStatementsOptions) {
    this.#options = options;
  }

  /**
   * Stores a box's statements, settles the claims that waited for them and certifies the devices in them. Repeatable.
   *
   * @param node box that the caller proved to speak for
   */
  async accept(node: string, { keys, statements }: BoxPeople): Promise<StatementsResult> {
    const known = await this.#addKeys(node, keys);
    const valid = new Map<string, PersonStatement>();
    let refused = 0;
    for (const [i, value] of statements.entries()) {
      // A thousand signatures take a tenth of a second.
      if (i % 100 === 99) await turn();
      const parsed = personStatementSchema.safeParse(value);
      const statement = parsed.success && parsed.data.node === node ? parsed.data : undefined;
      if (statement === undefined || !(await isOwnStatement(statement, known, verifySignature, sha256))) refused += 1;
      else if ((valid.get(statement.uid)?.signedAt ?? '') < statement.signedAt) valid.set(statement.uid, statement);
    }
    const taken = await this.#store([...valid.values()]);
    if (taken.length > 0) await grantClaims(this.#options.pool, this.#options.grantAccess, { claimed: taken });
    return { taken, refused };
  }

  /**
   * Settles a claim by the operator's word, for people of a box that states nothing. It counts from the next sign-in of
   * the account.
   *
   * @param email normalized
   * @returns false if the person has an account, or wrote nothing that is known here
   */
  async confirmByOperator(uid: string, email: string): Promise<boolean> {
    const { rowCount } = await this.#options.pool.query(
      `INSERT INTO auth.person_statement (uid, node, email, proven, signed_at) SELECT $1, 'operator', $2, true, $3
       WHERE EXISTS (SELECT FROM ops WHERE by_person = $1 AND accepted) AND NOT EXISTS (SELECT FROM auth."user" WHERE "id" = $1)
       ON CONFLICT (uid, node) DO UPDATE SET email = excluded.email, signed_at = excluded.signed_at`,
      [uid, email, new Date(this.#options.clock())],
    );
    return rowCount === 1;
  }

  /** Adds keys of a box; returns all that it published, or none for a revoked one. */
  async #addKeys(node: string, keys: readonly PublicKey[]): Promise<PublicKey[]> {
    const { pool, clock } = this.#options;
    await pool.query(
      'INSERT INTO auth.box_person_key (kid, node, x, added_at) SELECT kid, $2, x, $4 FROM unnest($1::text[], $3::text[]) AS k(kid, x) ON CONFLICT DO NOTHING',
      [keys.map(({ kid }) => kid), node, keys.map(({ x }) => x), new Date(clock())],
    );
    const { rows } = await pool.query<{ kid: string; x: string }>(
      'SELECT k.kid, k.x FROM auth.box_person_key k WHERE k.node = $1 AND NOT EXISTS (SELECT FROM boxes b WHERE b.node = k.node AND b.revoked_at IS NOT NULL)',
      [node],
    );
    return rows.map(({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', kid, x }));
  }

  /** Stores those that are later than the box's last one about the person; none about an account. */
  async #store(statements: readonly PersonStatement[]): Promise<PersonId[]> {
    const { rows } = await this.#options.pool.query<{ uid: PersonId }>(
      `INSERT INTO auth.person_statement AS s (uid, node, email, device_key, proven, signed_at, statement)
       SELECT n.uid, n.node, n.email, n.device_key, n.proven, n.signed_at, n.statement
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[], $7::text[])
         AS n(uid, node, email, device_key, proven, signed_at, statement)
       WHERE NOT EXISTS (SELECT FROM auth."user" u WHERE u."id" = n.uid)
       ON CONFLICT (uid, node) DO UPDATE SET email = excluded.email, device_key = excluded.device_key, signed_at = excluded.signed_at, statement = excluded.statement
         WHERE s.signed_at < excluded.signed_at
       RETURNING s.uid`,
      [
        statements.map(({ uid }) => uid),
        statements.map(({ node }) => node),
        statements.map(({ email }) => email.normalize('NFC').toLowerCase()),
        statements.map(({ key }) => key ?? null),
        statements.map(({ nonce }) => nonce !== undefined),
        statements.map(({ signedAt }) => signedAt),
        statements.map((statement) => JSON.stringify(statement)),
      ],
    );
    return rows.map(({ uid }) => uid);
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
