import { createHash, randomBytes } from 'node:crypto';
import type { EdgeUser } from '../../src/protocol/edge-socket';
import { Emitter } from '../../src/base/emitter';
import type { BoxState, SessionRow } from '../store/box-state';
import { END_TEXTS, SESSION_ENDS, type SessionEnd } from './session-ends';

/** Session of a connection: a paired device, and perhaps a person. */
export interface Session {
  readonly hash: string;
  readonly deviceId: string;
  readonly person: EdgeUser | null;
  /** Device key of the session. Without one it delivers and reads nothing. */
  readonly key?: string;
  /** Message if the sign-in was revoked from shore, or the session ended. */
  readonly revokedReason?: string;
  readonly ended?: SessionEnd;
}

/** Session of a list. */
export interface ListedSession extends Session {
  readonly createdAt: string;
  readonly usedAt: string;
  readonly endedAt: string | null;
}

/** Returns the message for a revoked sign-in; undefined if it is valid. */
type RevokedSignIn = (person: EdgeUser | null, deviceId: string) => string | undefined;

/** Clock and revocations that end sessions. */
interface SessionLife {
  /** Trusted time of the box, ms since 1970. */
  readonly now: () => number;
  readonly isDeviceRevoked: (deviceId: string) => boolean;
}

/** Time without use after which a session ends, ms. */
const UNUSED_MS = 60 * 86_400_000;
/** Minimum interval between updates of the last use, ms. */
const STAMP_MS = 3_600_000;

interface StoredSession extends Session {
  readonly usedMs: number;
}

/**
 * Sessions: random 32-byte tokens, stored as hashes. None is ever forgotten, so that a tablet can send after a season in
 * a drawer; one that ended (unused, unpaired, ended, its tablet revoked) delivers and reads nothing.
 */
export class Sessions {
  readonly #state: BoxState;
  readonly #byHash = new Map<string, StoredSession>();

  readonly #revokedSignIn: RevokedSignIn;
  readonly #withCurrentRoles: (person: EdgeUser) => EdgeUser;
  readonly #life: SessionLife | undefined;
  readonly #ended = new Emitter<string>();
  /** Registers a listener for the hash of each session that ends; returns the unsubscribe function. */
  readonly onEnd = this.#ended.subscribe;

  /** @param life absent: sessions never end */
  constructor(
    state: BoxState,
    ended: RevokedSignIn = () => undefined,
    /** Person with current roles. */
    personNow: (person: EdgeUser) => EdgeUser = (person) => person,
    life?: SessionLife,
  ) {
    this.#revokedSignIn = ended;
    this.#withCurrentRoles = personNow;
    this.#state = state;
    this.#life = life;
    if (life !== undefined) state.startSessionLives(isoTime(life.now()));
  }

  /** Session of a token, or undefined if unknown. */
  find(token: string): Session | undefined {
    return this.#resolve(hashOf(token));
  }

  /** Evaluated on each use, so that new revocations and ends apply at once, also to open sockets. */
  #resolve(hash: string): Session | undefined {
    const stored = this.#byHash.get(hash) ?? this.#load(hash);
    if (stored === undefined) return undefined;
    this.#noteUse(stored);
    return this.#withPresentAccess(stored);
  }

  #withPresentAccess(stored: StoredSession): Session {
    const { usedMs: _, ...session } = stored;
    const ended = this.#endOf(stored);
    if (ended !== undefined) return { ...session, person: null, ended, revokedReason: END_TEXTS[ended] };
    const revoked = this.#revokedSignIn(session.person, session.deviceId);
    if (revoked !== undefined) return { ...session, person: null, revokedReason: revoked };
    const person = session.person === null ? null : this.#withCurrentRoles(session.person);
    return person === session.person ? session : { ...session, person };
  }

  #endOf({ ended, usedMs, deviceId }: StoredSession): SessionEnd | undefined {
    const life = this.#life;
    if (ended !== undefined || life === undefined) return ended;
    if (life.now() - usedMs > UNUSED_MS) return 'unused';
    return life.isDeviceRevoked(deviceId) ? 'revoked' : undefined;
  }

  /** Ends a session for good that was away too long; else notes that it is in use. */
  #noteUse(stored: StoredSession): void {
    const life = this.#life;
    if (life === undefined || stored.ended !== undefined) return;
    const now = life.now();
    if (now - stored.usedMs > UNUSED_MS) return this.#end(stored.hash, 'unused');
    if (now - stored.usedMs < STAMP_MS) return;
    this.#state.useSession(stored.hash, isoTime(now));
    this.#byHash.set(stored.hash, { ...stored, usedMs: now });
  }

  #load(hash: string): StoredSession | undefined {
    const row = this.#state.session(hash);
    return row === undefined ? undefined : this.#cache(this.#sessionOf(row));
  }

  #sessionOf({ hash, deviceId, person, usedAt, endReason, key }: SessionRow): StoredSession {
    const ended = SESSION_ENDS.find((end) => end === endReason);
    return {
      hash,
      deviceId,
      person: person === null ? null : (JSON.parse(person) as EdgeUser),
      usedMs: usedAt === undefined || usedAt === null ? (this.#life?.now() ?? 0) : Date.parse(usedAt),
      ...(ended === undefined ? {} : { ended }),
      ...(key === undefined || key === null ? {} : { key }),
    };
  }

  /** Lists all sessions with their present access, the latest used first. */
  list(): readonly ListedSession[] {
    return this.#state
      .sessions()
      .map((row) => ({
        ...this.#withPresentAccess(this.#byHash.get(row.hash) ?? this.#sessionOf(row)),
        createdAt: row.createdAt,
        usedAt: row.usedAt ?? row.createdAt,
        endedAt: row.endedAt ?? null,
      }));
  }

  /** Ends one session: it delivers and reads nothing. */
  end(session: Session, reason: SessionEnd = 'ended'): void {
    this.#end(session.hash, reason);
  }

  /** Ends all sessions of a tablet. */
  unpair(deviceId: string, reason: 'unpaired' | 'revoked' = 'unpaired'): void {
    for (const { hash } of this.#state.sessionsOf(deviceId)) this.#end(hash, reason);
  }

  #end(hash: string, reason: SessionEnd): void {
    this.#state.endSession(hash, reason, isoTime(this.#life?.now() ?? 0));
    this.#byHash.delete(hash);
    this.#ended.emit(hash);
  }

  current(session: Session | null): Session | null {
    if (session === null) return null;
    return this.#resolve(session.hash) ?? null;
  }

  /** Creates a session and returns its token, which is shown only once. */
  create(deviceId: string, person: EdgeUser | null, now: string, key?: string): { token: string; session: Session } {
    const token = randomBytes(32).toString('base64url');
    const session = { hash: hashOf(token), deviceId, person };
    const usedMs = this.#life?.now() ?? 0;
    this.#state.addSession({
      hash: session.hash,
      deviceId,
      person: person === null ? null : JSON.stringify(person),
      createdAt: now,
    });
    if (this.#life !== undefined) this.#state.useSession(session.hash, isoTime(usedMs));
    this.#cache({ ...session, usedMs });
    return { token, session: key === undefined ? session : this.bind(session, key) };
  }

  /** Binds a session to the first key that its tablet proves. */
  bind(session: Session, key: string): Session {
    if (session.key !== undefined) return session;
    this.#state.bindSession(session.hash, key);
    const stored = this.#byHash.get(session.hash) ?? this.#load(session.hash);
    if (stored !== undefined) this.#cache({ ...stored, key });
    return { ...session, key };
  }

  /** Changes the session's person, or its device id (a restored tablet takes a new one). */
  update(session: Session, deviceId: string, person: EdgeUser | null): Session {
    if (session.deviceId === deviceId && JSON.stringify(session.person) === JSON.stringify(person)) return session;
    this.#state.updateSession(session.hash, deviceId, person === null ? null : JSON.stringify(person));
    const stored = this.#byHash.get(session.hash) ?? this.#load(session.hash);
    if (stored !== undefined) this.#cache({ ...stored, deviceId, person });
    return { ...session, deviceId, person };
  }

  #cache(session: StoredSession): StoredSession {
    if (this.#byHash.size >= 10_000) this.#byHash.clear();
    this.#byHash.set(session.hash, session);
    return session;
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function hashOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64url');
}
