import { createHash, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { PersonId } from '../../src/domain/ids';
import type { Op } from '../../src/domain/op/op';
import { deviceKeyOf, signedOpText } from '../../src/protocol/op-signature';
import type { BoxPeople, PersonStatement } from '../../src/protocol/person-statement';
import {
  isHashedPersonId,
  personIdOf,
  personIdText,
  signedStatementText,
  statementEmailSchema,
} from '../../src/protocol/person-statement';
import type { ReceiptSigner } from '../../src/server/ops/receipt-signer';
import { verifySignature } from '../../src/server/ops/receipt-signer';
import type { BoxState } from '../store/box-state';
import type { SqliteAppendStore } from '../store/sqlite-append-store';

const NONCE_BYTES = 16;

interface PersonStatementsOptions {
  readonly state: BoxState;
  readonly store: Pick<SqliteAppendStore, 'database' | 'identity' | 'onCommit'>;
  /** The box's person key. */
  readonly signer: ReceiptSigner;
  /** Wall clock, ms since 1970. */
  readonly clock: () => number;
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Statements about the pending people who first signed in at this box (protocol, "Statements about people"). Ashore they
 * alone settle who gets what those people wrote.
 *
 * A tablet without a box makes its own person: for these the first operation of the profile that this box took decides,
 * and later ones that the same key signed. Others aboard learn such a uid afterwards.
 */
export class PersonStatements {
  readonly #options: PersonStatementsOptions;

  /** States everyone whom an earlier version knew. */
  constructor(options: PersonStatementsOptions) {
    this.#options = options;
    const { state, store } = options;
    const profiles = store.database
      .prepare<[], { uid: string }>("SELECT DISTINCT doc_id AS uid FROM ops WHERE kind = 'profile' AND accepted = 1")
      .all();
    for (const uid of new Set([...state.people(), ...profiles].map(({ uid }) => uid))) this.#tryUpdate(uid);
    store.onCommit((entries) => {
      for (const { op, receipt } of entries)
        if (op?.kind === 'profile' && receipt?.accepted === true) this.#tryUpdate(op.docId, op);
    });
  }

  /** Makes the uid of a new person: only this box can state anything about it. */
  newPerson(): { readonly uid: PersonId; readonly nonce: string } {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const text = personIdText(this.#options.signer.publicKey.x, nonce);
    return { uid: personIdOf(createHash('sha256').update(text, 'utf8').digest('hex')), nonce };
  }

  /**
   * Signs what is new about a person. Does nothing for someone of the shore or of another box.
   *
   * @param written operation of their profile that was just stored
   */
  update(uid: string, written?: Op): void {
    const { state, store, signer, clock } = this.#options;
    const stated = state.stated(uid);
    const text = stated?.statement ?? undefined;
    const before = text === undefined ? undefined : (JSON.parse(text) as PersonStatement);
    const facts = this.#factsOf(uid, before, written);
    if (facts === undefined || (before?.email === facts.email && before.key === facts.key)) return;
    const signedAt = Math.max(clock(), before === undefined ? 0 : Date.parse(before.signedAt) + 1);
    const nonce = stated?.nonce ?? undefined;
    const unsigned: Omit<PersonStatement, 'sig'> = {
      v: 1,
      uid,
      ...(nonce === undefined ? {} : { nonce }),
      node: store.identity.nodeId,
      ...facts,
      signedAt: new Date(signedAt).toISOString(),
      kid: signer.kid,
    };
    state.saveStatement(uid, JSON.stringify({ ...unsigned, sig: signer.sign(signedStatementText(unsigned)) }));
  }

  /** The latest statements, and the keys that signed them. */
  people(): BoxPeople {
    const { signer, state } = this.#options;
    return { keys: [...signer.publicKeys], statements: state.statements() };
  }

  /** Runs next to the record: a full disk must stop neither it nor the start. */
  #tryUpdate(uid: string, written?: Op): void {
    try {
      this.update(uid, written);
    } catch (error) {
      this.#options.log.error({ err: error }, 'a statement about a person was not stored; made at the next start');
    }
  }

  #factsOf(
    uid: string,
    before: PersonStatement | undefined,
    written: Op | undefined,
  ): Pick<PersonStatement, 'email' | 'key'> | undefined {
    const { state } = this.#options;
    const own = state.personOf(uid);
    if (own === undefined && (isHashedPersonId(uid) || state.hasAccount(uid))) return undefined;
    const first = before === undefined || before.key === undefined ? this.#firstProfile(uid) : undefined;
    // Until its own tablet wrote of it, no other one knew the uid.
    const key = before?.key ?? signingKeyOf(first);
    const corrected =
      before?.key !== undefined && written?.sig?.key === before.key && signingKeyOf(written) !== undefined
        ? emailOf(written)
        : undefined;
    const email = own?.email ?? corrected ?? before?.email ?? emailOf(first);
    if (email === undefined || !statementEmailSchema.safeParse(email).success) return undefined;
    return key === undefined ? { email } : { email, key };
  }

  #firstProfile(uid: string): Op | undefined {
    const row = this.#options.store.database
      .prepare<[string], { op: string }>(
        "SELECT op FROM ops WHERE kind = 'profile' AND doc_id = ? AND accepted = 1 ORDER BY seq LIMIT 1",
      )
      .get(uid);
    return row === undefined ? undefined : (JSON.parse(row.op) as Op);
  }
}

/** Key that signed an operation; undefined without a valid signature. */
function signingKeyOf(op: Op | undefined): string | undefined {
  return op?.sig !== undefined && verifySignature(deviceKeyOf(op.sig.key), op.sig.value, signedOpText(op))
    ? op.sig.key
    : undefined;
}

function emailOf(op: Op | undefined): string | undefined {
  const email = op?.body['email'];
  return typeof email === 'string' ? email.trim().normalize('NFC').toLowerCase() : undefined;
}
