import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { ReefError } from '../../../../src/domain/errors';
import type { CloudRole } from '../../../../src/domain/policy/roles';
import { rolesOfPerson } from '../../../../src/domain/policy/roles';
import type { Caller } from '../../context';
import type { Devices } from './devices';
import { AUTH_LIMITS } from '../auth-limits';
import { DEVICE_CREDENTIAL, SESSION_TOKEN, tokenHash } from './secrets';
import type { PersonSession, PersonSessions } from './person-sessions';
import type { Tokens } from './tokens';

/** Who a token belongs to, and a person's session where it is one. */
export interface IdentifiedCaller {
  readonly caller: Caller;
  /** null for a device. */
  readonly session: PersonSession | null;
}

interface CacheEntry {
  readonly validUntil: number;
  readonly answer: Promise<IdentifiedCaller | undefined>;
}

/** Answers that are remembered; beyond, the oldest goes. */
const CACHE_MAX = 10_000;

export const DEVICE_REVOKED_MESSAGE =
  'This tablet was revoked ashore. Nothing that it holds is lost: it stays on the tablet. Sign in on it again to make it known.';

/**
 * Finds people and their tablets by what they come with: a session, a short token, a device credential. An answer is believed for
 * some seconds, so that reading costs no look-up each time; what ends in this process ends at once, elsewhere within those seconds.
 */
export class AccountCallers {
  readonly #cache = new Map<string, CacheEntry>();
  readonly #lastSeen = new Map<string, number>();

  readonly #sessions: PersonSessions;
  readonly #tokens: Tokens;
  readonly #devices: Devices;
  readonly #clock: () => number;
  readonly #log: Logger;

  constructor(sessions: PersonSessions, tokens: Tokens, devices: Devices, clock: () => number, log: Logger) {
    this.#sessions = sessions;
    this.#tokens = tokens;
    this.#devices = devices;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Who a bearer token belongs to; undefined for one of another kind, and for one that ended.
   *
   * @throws ReefError `forbidden` for a tablet that was revoked, and for a person whose account was disabled
   */
  async identify(token: string): Promise<IdentifiedCaller | undefined> {
    const find = this.#lookupFor(token);
    if (find === undefined) return undefined;
    // Not the token itself: a memory dump should hold as few of them as can be.
    const key = createHash('sha256').update(token).digest('base64');
    const now = performance.now();
    const known = this.#cache.get(key);
    if (known !== undefined && known.validUntil > now) return known.answer;
    const answer = find();
    this.#addToCache(key, { validUntil: now + AUTH_LIMITS.callerCacheMs, answer });
    try {
      const found = await answer;
      // Tokens that are nobody's are not kept: anyone can make up as many as they like.
      if (found === undefined) this.#cache.delete(key);
      return found;
    } catch (error) {
      this.#cache.delete(key);
      throw error;
    }
  }

  /** Forgets every answer: something ended. */
  clearCache(): void {
    this.#cache.clear();
  }

  #lookupFor(token: string): (() => Promise<IdentifiedCaller | undefined>) | undefined {
    if (DEVICE_CREDENTIAL.test(token)) return () => this.#identifyDevice(token);
    if (SESSION_TOKEN.test(token)) return async () => identifiedPerson(await this.#sessions.find(token));
    if (token.split('.').length !== 3) return undefined;
    return async () => {
      const id = await this.#tokens.verifySessionToken(token);
      return id === undefined ? undefined : identifiedPerson(await this.#sessions.findById(id));
    };
  }

  async #identifyDevice(credential: string): Promise<IdentifiedCaller | undefined> {
    const hash = tokenHash(credential);
    const device = await this.#devices.find(hash);
    if (device === undefined) return undefined;
    if (device.isRevoked) throw new ReefError('forbidden', { message: DEVICE_REVOKED_MESSAGE });
    this.#noteSeen(hash, device.seenAt);
    // A tablet relays; what a person may, they may with their own session alone.
    return {
      caller: {
        roles: new Set<CloudRole>(['anyone', 'device']),
        person: device.person,
        ...(device.uploadOwner === null ? {} : { uploadOwner: device.uploadOwner }),
        deviceId: device.deviceId,
        node: null,
      },
      session: null,
    };
  }

  /** Notes that a tablet was here, now and then; nobody waits for it. */
  #noteSeen(hash: string, seenAt: number | null): void {
    const now = this.#clock();
    const last = Math.max(seenAt ?? 0, this.#lastSeen.get(hash) ?? 0);
    if (now >= last && now - last < AUTH_LIMITS.lastSeenIntervalMs) return;
    if (this.#lastSeen.size >= CACHE_MAX) this.#lastSeen.clear();
    this.#lastSeen.set(hash, now);
    this.#devices
      .markSeen(hash)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'it was not noted that a tablet was here'));
  }

  #addToCache(key: string, entry: CacheEntry): void {
    this.#cache.delete(key);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= CACHE_MAX && oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.set(key, entry);
  }
}

function identifiedPerson(session: PersonSession | undefined): IdentifiedCaller | undefined {
  if (session === undefined) return undefined;
  return {
    caller: { roles: rolesOfPerson(session.person), person: session.person.uid, deviceId: null, node: null },
    session,
  };
}
