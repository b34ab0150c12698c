const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** What bounds sign-in ashore. Times in ms. The specification gives the 30 s (2§8 by way of 1§7); the rest is ours. */
export const AUTH_LIMITS = {
  /** Digits of a login code; and of one for an address at which somebody guesses, which needs no counting: nobody hits it. */
  codeDigits: 6,
  codeDigitsLong: 12,
  codeLifeMs: 10 * MINUTE_MS,
  /** Guesses at one code of few digits, right or wrong; then it is worth nothing. So many wrong ones in a window make the next codes long. */
  codeAttempts: 5,
  /** A code that is asked for again so long before its end is mailed once more as it is. */
  codeReuseMs: 5 * MINUTE_MS,
  /** Beyond the mails of a window the code that was mailed has to do while it is good for so long yet. */
  codeReuseOverLimitMs: MINUTE_MS,
  /** Mails with a code to one address within the window: asked for from one network, and from all of them. Beyond, one while none is good. */
  codesPerWindow: 8,
  codesPerWindowTotal: 24,
  /** Wrong guesses at codes of few digits of one address within the window, from one network. */
  codeGuessesPerWindow: 10,
  codeWindowMs: 3 * 60 * MINUTE_MS,
  /** Wrong passwords for one address within the window, likewise. */
  passwordGuessesPerWindow: 10,
  passwordGuessesPerWindowTotal: 50,
  passwordWindowMs: 30 * MINUTE_MS,
  /** Sending a code times out. */
  sendTimeoutMs: 30_000,
  /** Requests of one network address a minute: a school or a vessel behind one address still gets in. */
  sendsPerMinute: 60,
  guessesPerMinute: 120,
  /** What costs the hash of a password. */
  passwordsPerMinute: 60,
  /** "Random password length 12" (2§9). */
  randomPasswordLength: 12,
  /** "at least 6 characters" (2§5). */
  passwordLengthMin: 6,
  passwordLengthMax: 200,
  /** Passwords that wait for their hash; with more, whoever comes is told to wait. */
  passwordQueueMax: 40,
  /** A link that signs in. */
  linkLifeMs: 60 * MINUTE_MS,
  /** From the start at a provider to its answer. */
  providerSignInLifeMs: 15 * MINUTE_MS,
  customTokenLifeMs: 5 * MINUTE_MS,
  /** A session ends when nobody used it for so long: a tablet lies in a drawer between two seasons. */
  sessionLifeMs: 400 * DAY_MS,
  /** A session in use is prolonged when this much of its life is gone. */
  sessionRenewAfterMs: 7 * DAY_MS,
  appTokenLifeMs: 15 * MINUTE_MS,
  /** A voyage. */
  edgeTokenLifeMs: 120 * DAY_MS,
  /** A key is published for so long before it signs: a voyage. */
  keyPublishedAheadMs: 120 * DAY_MS,
  /** For so long an answer to "who is this" is believed without asking the database. */
  callerCacheMs: 5000,
  /** "Last seen" is written no more often. */
  lastSeenIntervalMs: MINUTE_MS,
} as const;
