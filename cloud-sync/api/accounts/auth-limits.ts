const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Limits of sign-in ashore, times in ms. The specification sets the 30 s (2§8 by way of 1§7); the rest is ours. */
export const AUTH_LIMITS = {
  /** Digits of a login code, and of the long code used under attack, which needs no attempt counting. */
  codeDigits: 6,
  codeDigitsLong: 12,
  codeLifeMs: 10 * MINUTE_MS,
  /** Guesses per short code. As many wrong ones in a window make the next codes long. */
  codeAttempts: 5,
  /** Remaining life from which a code requested again is mailed again unchanged. */
  codeReuseMs: 5 * MINUTE_MS,
  /** Remaining life from which the mailed code must do once the mail limit is exceeded. */
  codeReuseOverLimitMs: MINUTE_MS,
  /**
   * Code mails per address and window: from one network, and in total. Beyond that, one only while no code is valid.
   */
  codesPerWindow: 8,
  codesPerWindowTotal: 24,
  codeGuessesPerWindow: 10,
  codeWindowMs: 3 * 60 * MINUTE_MS,
  /** Wrong passwords per address and window: from one network, and in total. */
  passwordGuessesPerWindow: 10,
  passwordGuessesPerWindowTotal: 50,
  passwordWindowMs: 30 * MINUTE_MS,
  sendTimeoutMs: 30_000,
  /** Requests per network and minute; high enough for a school or vessel behind one address. */
  sendsPerMinute: 60,
  guessesPerMinute: 120,
  /** Requests per network and minute that hash a password. */
  passwordsPerMinute: 60,
  /** "Random password length 12" (2§9). */
  randomPasswordLength: 12,
  /** "at least 6 characters" (2§5). */
  passwordLengthMin: 6,
  passwordLengthMax: 200,
  /** Passwords waiting to be hashed; beyond that, callers must retry later. */
  passwordQueueMax: 40,
  /** Time for which a session has passed the second factor: a working day. */
  factorLifeMs: 12 * 60 * MINUTE_MS,
  /** Wrong one-time and recovery codes per person and window; passkeys cannot be guessed. */
  factorGuessesPerWindow: 10,
  factorWindowMs: 60 * MINUTE_MS,
  passkeyChallengeMs: 5 * MINUTE_MS,
  linkLifeMs: 60 * MINUTE_MS,
  /** Time from starting at a provider to its answer. */
  providerSignInLifeMs: 15 * MINUTE_MS,
  customTokenLifeMs: 5 * MINUTE_MS,
  /** Session life without use: a tablet may stay unused between two seasons. */
  sessionLifeMs: 400 * DAY_MS,
  sessionRenewAfterMs: 7 * DAY_MS,
  /** Time after a sign-in in which its session changes an address, a password or a provider. */
  recentSignInMs: 10 * MINUTE_MS,
  appTokenLifeMs: 15 * MINUTE_MS,
  /** One voyage. */
  edgeTokenLifeMs: 120 * DAY_MS,
  /** Time a key is published before it signs: one voyage. */
  keyPublishedAheadMs: 120 * DAY_MS,
  /** Time a caller's identity is cached. */
  callerCacheMs: 5000,
  /** Minimum interval between updates of "last seen". */
  lastSeenIntervalMs: MINUTE_MS,
} as const;
