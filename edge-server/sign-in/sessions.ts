import { createHash, randomBytes } from 'node:crypto';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { BoxState } from '../store/box-state';

/** Session of a connection: a paired device, and perhaps a person. */
export interface Session {
  readonly hash: string;
  readonly deviceId: string;
  readonly person: EdgeUser | null;
  /** Message if the sign-in was revoked from shore. */
  readonly revokedReason?: string;
}

/** Returns the message for a revoked sign-in; undefined if it is valid. */
export type RevokedSignIn = (person: EdgeUser | null, deviceId: string) => string | undefined;

/**
 * Sessions: random 32-byte tokens, stored as hashes. They never expire: a tablet must be able to send after a season in
 * a drawer, and the policy table limits what a session may do.
 */
export class Sessions {
  readonly #state: BoxState;
  readonly #byHash = new Map<string, Session>();

  readonly #revokedSignIn: RevokedSignIn;
  readonly #withCurrentRoles: (person: EdgeUser) => EdgeUser;

  constructor(
    state: BoxState,
    ended: RevokedSignIn = () => undefined,
    /** Person with current roles. */
    personNow: (person: EdgeUser) => EdgeUser = (person) => person,
  ) {
    this.#revokedSignIn = ended;
    this.#withCurrentRoles = personNow;
    this.#state = state;
  }

  /** Session of a token, or undefined if unknown. */
  find(token: string): Session | undefined {
    return this.#resolve(hashOf(token));
  }

  /** Evaluated on each use, so that new revocations apply at once, also to open sockets. */
  #resolve(hash: string): Session | undefined {
    const session = this.#byHash.get(hash) ?? this.#load(hash);
    if (session === undefined) return undefined;
    const ended = this.#revokedSignIn(session.person, session.deviceId);
    if (ended !== undefined) return { ...session, person: null, revokedReason: ended };
    const person = session.person === null ? null : this.#withCurrentRoles(session.person);
    return person === session.person ? session : { ...session, person };
  }

  #load(hash: string): Session | undefined {
    const row = this.#state.session(hash);
    if (row === undefined) return undefined;
    return this.#cache({
      hash,
      deviceId: row.deviceId,
      person: row.person === null ? null : (JSON.parse(row.person) as EdgeUser),
    });
  }

  current(session: Session | null): Session | null {
    if (session === null) return null;
    return this.#resolve(session.hash) ?? null;
  }

  /** Creates a session and returns its token, which is shown only once. */
  create(deviceId: string, person: EdgeUser | null, now: string): { token: string; session: Session } {
    const token = randomBytes(32).toString('base64url');
    const session = { hash: hashOf(token), deviceId, person };
    this.#state.addSession({
      hash: session.hash,
      deviceId,
      person: person === null ? null : JSON.stringify(person),
      createdAt: now,
    });
    return { token, session: this.#cache(session) };
  }

  /** Changes the session's person, or its device id (a restored tablet takes a new one). */
  update(session: Session, deviceId: string, person: EdgeUser | null): Session {
    if (session.deviceId === deviceId && JSON.stringify(session.person) === JSON.stringify(person)) return session;
    this.#state.updateSession(session.hash, deviceId, person === null ? null : JSON.stringify(person));
    return this.#cache({ hash: session.hash, deviceId, person });
  }

  #cache(session: Session): Session {
    if (this.#byHash.size >= 10_000) this.#byHash.clear();
    this.#byHash.set(session.hash, session);
    return session;
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64url');
}
