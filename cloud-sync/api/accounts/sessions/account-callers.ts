import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { CloudRole } from '../../../../src/domain/policy/roles';
import { rolesOfPerson } from '../../../../src/domain/policy/roles';
import type { Caller } from '../../access/caller';
import type { Devices } from './devices';
import { AUTH_LIMITS } from '../auth-limits';
import { DEVICE_CREDENTIAL, SESSION_TOKEN, tokenHash } from './secrets';
import type { PersonSession, PersonSessions } from './person-sessions';
import type { Tokens } from './tokens';

interface IdentifiedCaller {
  readonly caller: Caller;
  /** Null for a device. */
  readonly session: PersonSession | null;
}

interface CacheEntry {
  readonly validUntil: number;
  readonly answer: Promise<IdentifiedCaller | undefined>;
}

/** Maximum number of cached answers; the oldest is evicted. */
const CACHE_MAX = 10_000;

/**
 * Identifies people and tablets by session, short token or device credential. Cached for seconds: a revocation applies
 * at once here, and within seconds in other processes.
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
   * Returns the owner of a token; undefined if unknown or ended.
   *
   * @throws ReefError `forbidden` for a disabled account
   */
  async identify(token: string): Promise<IdentifiedCaller | undefined> {
    const find = this.#lookupFor(token);
    if (find === undefined) return undefined;
    // Hashes the token, so that a memory dump exposes as few as possible.
    const key = hash('sha256', token, 'base64');
    const now = performance.now();
    const known = this.#cache.get(key);
    if (known !== undefined && known.validUntil > now) return known.answer;
    const answer = find();
    this.#addToCache(key, { validUntil: now + AUTH_LIMITS.callerCacheMs, answer });
    try {
      const found = await answer;
      // Unknown tokens are not cached: anyone can invent any number of them.
      if (found === undefined) this.#cache.delete(key);
      return found;
    } catch (error) {
      this.#cache.delete(key);
      throw error;
    }
  }

  /** Clears the cache after a revocation. */
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
    this.#noteSeen(hash, device.seenAt);
    if (device.isRevoked) return { caller: revokedTablet(device.deviceId), session: null };
    // A tablet only relays; a person's own rights need their own session.
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

  /** Records from time to time that a tablet was seen; not awaited. */
  #noteSeen(hash: string, seenAt: number | null): void {
    const now = this.#clock();
    const last = Math.max(seenAt ?? 0, this.#lastSeen.get(hash) ?? 0);
    if (now >= last && now - last < AUTH_LIMITS.lastSeenIntervalMs) return;
    if (this.#lastSeen.size >= CACHE_MAX) this.#lastSeen.clear();
    this.#lastSeen.set(hash, now);
    this.#devices
      .markSeen(hash)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the last visit of a tablet could not be stored'));
  }

  #addToCache(key: string, entry: CacheEntry): void {
    this.#cache.delete(key);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size >= CACHE_MAX && oldest !== undefined) this.#cache.delete(oldest);
    this.#cache.set(key, entry);
  }
}

/** Caller with a revoked tablet's credential: speaks for no person; the id stays with what it delivers. */
function revokedTablet(deviceId: string): Caller {
  return { roles: new Set<CloudRole>(['anyone', 'revoked']), person: null, deviceId, node: null };
}

function identifiedPerson(session: PersonSession | undefined): IdentifiedCaller | undefined {
  if (session === undefined) return undefined;
  return {
    caller: { roles: rolesOfPerson(session.person), person: session.person.uid, deviceId: null, node: null },
    session,
  };
}
