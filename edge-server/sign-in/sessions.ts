import { createHash, randomBytes } from 'node:crypto';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import type { BoxState } from '../store/box-state';

/** Who is on a connection: a paired device, and perhaps a person. */
export interface Session {
  readonly hash: string;
  readonly deviceId: string;
  readonly person: EdgeUser | null;
  /** Why nobody is signed in any more, in words, where that was ended from shore. */
  readonly revokedReason?: string;
}

/** Says why a sign-in was ended from shore; undefined for one that was not. */
export type RevokedSignIn = (person: EdgeUser | null, deviceId: string) => string | undefined;

/**
 * Sessions: random 32-byte tokens of which the box keeps only hashes. They do not expire: a tablet's photographs must go
 * out after a season in a drawer, and what a session may do is bounded by the policy table.
 */
export class Sessions {
  readonly #state: BoxState;
  readonly #byHash = new Map<string, Session>();

  readonly #revokedSignIn: RevokedSignIn;
  readonly #withCurrentRoles: (person: EdgeUser) => EdgeUser;

  constructor(
    state: BoxState,
    ended: RevokedSignIn = () => undefined,
    /** A person as they are by now. */
    personNow: (person: EdgeUser) => EdgeUser = (person) => person,
  ) {
    this.#revokedSignIn = ended;
    this.#withCurrentRoles = personNow;
    this.#state = state;
  }

  /** The session of a token, or undefined for an unknown one. */
  find(token: string): Session | undefined {
    return this.#resolve(hashOf(token));
  }

  /** Asked each time, so that what the bridge brings counts at once, for sockets that are open too. */
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

  /** The session as it stands now; null once it ended. */
  current(session: Session | null): Session | null {
    if (session === null) return null;
    return this.#resolve(session.hash) ?? null;
  }

  /** Makes a session and gives its token, which is shown this once. */
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

  /** The same session for another person, or another device id (a restored tablet takes a new one). */
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
