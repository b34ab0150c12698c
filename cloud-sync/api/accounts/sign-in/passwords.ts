import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { ReefError } from '../../../../src/domain/errors';
import { AUTH_MESSAGES } from '../../../../src/domain/messages';
import { AUTH_LIMITS } from '../auth-limits';
import { tooManyAttempts } from './attempt-limiter';

/** scrypt with 32 MiB for each password, as OWASP's advice for storing passwords has it. */
const COST = { logN: 15, r: 8, p: 3 } as const;
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** Room for the memory that the cost asks for (128 · N · r), and a little. */
const MEMORY_MAX = 64 * 2 ** 20;
/** Half of the machine goes on with what else there is to do: photographs that come in. */
const CONCURRENCY = Math.max(1, Math.floor(availableParallelism() / 2));
/** What a password waits for its turn when all places are taken, about. */
const RETRY_AFTER_MS = 10_000;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const HASH_FORMAT = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/;

/** Stands for the password of whoever has none: it is never right, and it takes as long. */
const DUMMY_HASH = encodeHash(Buffer.alloc(SALT_BYTES), Buffer.alloc(KEY_BYTES));

function encodeHash(salt: Buffer, key: Buffer): string {
  return ['scrypt', COST.logN, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** A password in the one form that is hashed: the same letters, however a keyboard writes them (NFKC). */
function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Whether somebody may choose this password (2§5: "at least 6 characters").
 *
 * @throws ReefError `bad-message` {field: 'password'}, with auth 'auth/weak-password' where it is too short
 */
export function checkPassword(password: string): void {
  const length = [...normalizePassword(password)].length;
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
}

/** A password at random, of 12 characters (2§9): nobody knows it. */
export function randomPassword(): string {
  return Array.from({ length: AUTH_LIMITS.randomPasswordLength }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/**
 * Hashes passwords, few at a time: each takes a good part of a second of one processor and 32 MiB, whoever asks for it.
 */
export class Passwords {
  #running = 0;
  readonly #queue: (() => void)[] = [];

  readonly #queueMax: number;

  /** @param waitingMax passwords that wait for their turn; with more, whoever comes is told to wait */
  constructor(waitingMax: number = AUTH_LIMITS.passwordQueueMax) {
    this.#queueMax = waitingMax;
  }

  /**
   * What is stored of a password: `scrypt$logN$r$p$salt$key`.
   *
   * @throws ReefError `rate-limited` {retryAfterMs, auth} where too many wait already
   */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    return encodeHash(salt, await this.#withSlot(() => derive(normalizePassword(password), salt, COST, KEY_BYTES)));
  }

  /**
   * Whether a password is the one that was stored. It takes as long where nothing is stored.
   *
   * @throws ReefError `rate-limited` {retryAfterMs, auth} where too many wait already
   */
  async verify(password: string, storedHash: string | null): Promise<boolean> {
    const [, logN, r, p, salt, key] = HASH_FORMAT.exec(storedHash ?? DUMMY_HASH) ?? [];
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
    if (this.#running >= CONCURRENCY) {
      if (this.#queue.length >= this.#queueMax) throw tooManyAttempts(RETRY_AFTER_MS);
      // Whoever ends hands its place over.
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

function derive(
  password: string,
  salt: Buffer,
  { logN, r, p }: { readonly logN: number; readonly r: number; readonly p: number },
  bytes: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, bytes, { N: 2 ** logN, r, p, maxmem: MEMORY_MAX }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
