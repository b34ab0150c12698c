import { VALIDATION_MESSAGES } from './messages';

/**
 * Error catalogue: each code once with HTTP status, retryability and a plain message. The code crosses the wire (`{ok:
 * false, error: {code, message, retryable, …}}`); the message is for people.
 */
export const ERRORS = {
  'bad-message': { status: 400, retryable: false, message: 'The message could not be read.' },
  unauthorised: { status: 401, retryable: false, message: 'This connection has not been verified. Verify it first.' },
  'pairing-required': {
    status: 401,
    retryable: false,
    message: 'This tablet is not paired with the box yet. Enter the code that the box shows.',
  },
  'pairing-wrong': { status: 401, retryable: false, message: 'Wrong code. Enter the code that the box shows now.' },
  forbidden: { status: 403, retryable: false, message: 'You do not have permission to do this.' },
  'unsupported-version': {
    status: 400,
    retryable: false,
    message: 'This box does not support this version of the app.',
  },
  'unknown-survey': {
    status: 404,
    retryable: true,
    message: 'The survey of this photograph has not arrived yet. Send the survey first.',
  },
  'unlinked-survey': { status: 400, retryable: false, message: VALIDATION_MESSAGES.surveyNotLinked },
  'image-exists': { status: 409, retryable: false, message: VALIDATION_MESSAGES.imageExists },
  incomplete: { status: 409, retryable: true, message: 'Part of the photograph is still missing.' },
  'offset-mismatch': { status: 409, retryable: true, message: 'The data does not continue where the last part ended.' },
  'hash-mismatch': {
    status: 409,
    retryable: true,
    message: 'What arrived does not match what was announced. It will be sent again.',
  },
  'receipt-mismatch': {
    status: 409,
    retryable: false,
    message: 'The receipt does not match what was sent. Your copy is safe.',
  },
  'unsupported-media': {
    status: 415,
    retryable: false,
    message: 'This file is not a photograph (JPEG, PNG, WebP, AVIF, HEIC or TIFF).',
  },
  'too-large': { status: 413, retryable: false, message: 'This is larger than the box accepts in one part.' },
  'storage-full': {
    status: 507,
    retryable: true,
    message: 'The disk is nearly full. The photograph is safe where it is.',
  },
  'not-found': { status: 404, retryable: false, message: 'Nothing was found by that name.' },
  'rate-limited': {
    status: 429,
    retryable: true,
    message: 'Too many attempts in a short time. Wait a moment, then try again.',
  },
  internal: {
    status: 500,
    retryable: true,
    message: 'Something failed on the server. What was confirmed before is safe.',
  },
  // Client-only codes (1§8: "Socket errors: disconnected, timeout, receipt mismatch").
  /** Tablet only: a chosen file cannot be read completely. */
  'unreadable-file': {
    status: 400,
    retryable: true,
    message:
      'This file could not be read to the end: it changed, was moved, or its card was removed. It was not saved. Put the card back and add it again.',
  },
  disconnected: { status: 503, retryable: true, message: 'Lost the connection to the box. Retrying automatically.' },
  timeout: { status: 504, retryable: true, message: 'The box did not answer in time. Retrying automatically.' },
} as const satisfies Record<string, { status: number; retryable: boolean; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Error as it crosses a wire. Extra members identify a place (`field`) or a fact (`offset`). */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly [detail: string]: unknown;
}

/** Catalogue error. `details` cross the wire: no paths, stacks or personal data. */
export class ReefError extends Error {
  override readonly name = 'ReefError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, options: { message?: string; cause?: unknown; [detail: string]: unknown } = {}) {
    const { message, cause, ...details } = options;
    super(message ?? ERRORS[code].message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = ERRORS[code].retryable;
    this.status = ERRORS[code].status;
    this.details = details;
  }

  toWire(): WireError {
    return { ...this.details, code: this.code, message: this.message, retryable: this.retryable };
  }

  /** Rebuilds a wire error. An unknown code from a newer peer becomes `internal` and its message is retained. */
  static fromWire(error: { code?: unknown; message?: unknown; [detail: string]: unknown }): ReefError {
    const { code, message, retryable: _retryable, ...details } = error;
    const known = typeof code === 'string' && Object.hasOwn(ERRORS, code);
    return new ReefError(known ? (code as ErrorCode) : 'internal', {
      ...details,
      ...(known ? {} : { peerCode: String(code) }),
      ...(typeof message === 'string' ? { message } : {}),
    });
  }
}
