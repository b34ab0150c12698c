import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Semaphore } from '../../../../src/base/semaphore';
import { ReefError } from '../../../../src/domain/errors';
import { AUTH_MESSAGES } from '../../../../src/domain/messages';
import { isCommonPassword } from '../../../../src/domain/user/common-passwords';
import { AUTH_LIMITS } from '../auth-limits';
import { tooManyAttempts } from './attempt-limiter';

/** Work of scrypt for one password. */
export interface PasswordCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** scrypt with 32 MiB per password, as OWASP advises. */
const COST: PasswordCost = { logN: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Memory limit for the cost (128 · N · r), with a margin. */
const MEMORY_MAX = 64 * 2 ** 20;
/** Half of the processors stay free for other work, such as incoming photographs. */
const CONCURRENCY = Math.max(1, Math.floor(availableParallelism() / 2));
/** Approximate wait when all slots are taken. */
const RETRY_AFTER_MS = 10_000;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const HASH_FORMAT = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

function encodeHash({ logN, r, p }: PasswordCost, salt: Buffer, key: Buffer): string {
  return ['scrypt', logN, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

const COMMON_MESSAGE = 'This password is one of the most common ones. Please choose another.';

/** Normalizes a password, so that the same letters match on every keyboard (NFKC). */
function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Checks that a password may be chosen (2§5: "at least 6 characters"), and is none of the most common ones.
 *
 * @throws ReefError `bad-message` {field: 'password'}, with auth 'auth/weak-password' if too short
 */
export function checkPassword(password: string): void {
  const normalized = normalizePassword(password);
  const length = [...normalized].length;
  if (length < AUTH_LIMITS.passwordLengthMin)
    throw new ReefError('bad-message', {
      field: 'password',
      auth: 'auth/weak-password',
      message: AUTH_MESSAGES['auth/weak-password'],
    });
  if (length > AUTH_LIMITS.passwordLengthMax)
    throw new ReefError('bad-message', {
      field: 'password',
      message: `The password is too long. Please use at most ${AUTH_LIMITS.passwordLengthMax} characters.`,
    });
  // Without `auth`: the sentence of 'auth/weak-password' asks for six characters, which these have.
  if (isCommonPassword(normalized)) throw new ReefError('bad-message', { field: 'password', message: COMMON_MESSAGE });
}

/** Returns a random password of 12 characters (2§9); no one knows it. */
export function randomPassword(): string {
  return Array.from({ length: AUTH_LIMITS.randomPasswordLength }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Password hashing, few at a time: each takes a good part of a second and 32 MiB. */
export class Passwords {
  readonly #slots = new Semaphore(CONCURRENCY);
  readonly #queueMax: number;
  readonly #cost: PasswordCost;
  /** Hash for accounts without a password: never right, equally slow. */
  readonly #dummyHash: string;

  /** @param waitingMax passwords that may wait; beyond that, callers must retry later */
  constructor(waitingMax: number = AUTH_LIMITS.passwordQueueMax, cost: PasswordCost = COST) {
    this.#queueMax = waitingMax;
    this.#cost = cost;
    this.#dummyHash = encodeHash(cost, Buffer.alloc(SALT_BYTES), Buffer.alloc(KEY_BYTES));
  }

  /**
   * Hashes a password as `scrypt$logN$r$p$salt$key`.
   *
   * @throws ReefError `rate-limited` {retryAfterMs, auth} if too many are waiting
   */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const key = await this.#withSlot(() => derive(normalizePassword(password), salt, this.#cost, KEY_BYTES));
    return encodeHash(this.#cost, salt, key);
  }

  /**
   * True if the password matches the stored hash. Takes as long if nothing is stored.
   *
   * @throws ReefError `rate-limited` {retryAfterMs, auth} if too many are waiting
   */
  async verify(password: string, storedHash: string | null): Promise<boolean> {
    const [, logN, r, p, salt, key] = HASH_FORMAT.exec(storedHash ?? this.#dummyHash) ?? [];
    if (salt === undefined || key === undefined)
      throw new Error('a stored password has a form that this service does not know');
    const expected = Buffer.from(key, 'base64url');
    const found = await this.#withSlot(() =>
      derive(
        normalizePassword(password),
        Buffer.from(salt, 'base64url'),
        { logN: Number(logN), r: Number(r), p: Number(p) },
        expected.length,
      ),
    );
    return timingSafeEqual(found, expected) && storedHash !== null;
  }

  async #withSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.#slots.available <= -this.#queueMax) throw tooManyAttempts(RETRY_AFTER_MS);
    const release = await this.#slots.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }
}

function derive(password: string, salt: Buffer, { logN, r, p }: PasswordCost, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, bytes, { N: 2 ** logN, r, p, maxmem: MEMORY_MAX }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
