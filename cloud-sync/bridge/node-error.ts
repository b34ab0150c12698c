import { ERRORS, ReefError } from '../../src/domain/errors';
import { LIMITS } from '../../src/domain/limits';

type Side = 'edge' | 'cloud';

/** Reason why nothing moves. `wait`: which interval passes before the next try. */
export interface BridgeBlocker {
  readonly state: 'paused' | 'no-link' | 'refused';
  /** Message for the crew: what happened, and that nothing is lost. */
  readonly text: string;
  readonly wait: 'retry' | 'refused';
  /** Wait requested by the cloud, ms. */
  readonly waitMs?: number;
}

/** Error of one node that stops the whole bridge for a while. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly side: Side;
  readonly error: ReefError;

  constructor(side: Side, error: ReefError) {
    super(`${side}: ${error.code}: ${error.message}`, { cause: error });
    this.side = side;
    this.error = error;
  }

  /** True if the cloud may be reachable for a report. */
  get isReportable(): boolean {
    return (
      this.side === 'edge' ||
      !['disconnected', 'timeout', 'unauthorised', 'forbidden', 'rate-limited'].includes(this.error.code)
    );
  }

  get blocker(): BridgeBlocker {
    const { code, details, message } = this.error;
    const waitMs = typeof details['retryAfterMs'] === 'number' ? { waitMs: details['retryAfterMs'] } : {};
    if (typeof details['certificate'] === 'string')
      return untrustedBlocker(this.side, details['certificate'].slice(0, 120));
    if (this.side === 'edge') {
      if (code === 'unauthorised' || code === 'forbidden')
        return {
          state: 'refused',
          text: 'The box does not take this admin token. Look at the token that the bridge was given.',
          wait: 'refused',
        };
      if (code === 'disconnected' && message !== ERRORS.disconnected.message)
        return { state: 'no-link', text: message, wait: 'retry' };
      if (code === 'disconnected' || code === 'timeout')
        return { state: 'no-link', text: 'The box does not answer. Retrying automatically.', wait: 'retry' };
      return { state: 'no-link', text: `The box answers with an error: ${message}`, wait: 'retry' };
    }
    switch (code) {
      case 'disconnected':
      case 'timeout':
        return {
          state: 'no-link',
          text: 'No link to the cloud. Everything stays on the box; retrying automatically.',
          wait: 'retry',
        };
      case 'unauthorised':
        return {
          state: 'refused',
          text: 'The cloud does not know the token of this box. Nothing is lost. Ask staff ashore to register the box.',
          wait: 'refused',
        };
      case 'forbidden':
        return {
          state: 'refused',
          text: 'The cloud refuses this box: it was revoked. Nothing is lost; staff ashore can register it again.',
          wait: 'refused',
        };
      case 'rate-limited':
        return { state: 'paused', text: 'The cloud asks the bridge to wait a little.', wait: 'retry', ...waitMs };
      case 'storage-full':
        return {
          state: 'paused',
          text: 'The cloud has no room for photographs at the moment. They stay aboard and go later.',
          wait: 'refused',
          ...waitMs,
        };
      default:
        return { state: 'refused', text: `The cloud answers with an error: ${message}`, wait: 'retry', ...waitMs };
    }
  }
}

/** Blocker for an untrusted certificate. A hotel's sign-in page may answer for the cloud for a while. */
function untrustedBlocker(side: Side, why: string): BridgeBlocker {
  return side === 'edge'
    ? {
        state: 'refused',
        text: `The certificate of the box is not trusted here (${why}). Nothing was sent to it. Pass the bridge the fingerprint that the box shows (--edge-fingerprint), or its authority (--edge-ca).`,
        wait: 'refused',
      }
    : {
        state: 'no-link',
        text: `The server at the cloud’s address shows a certificate that is not trusted here (${why}). Nothing was sent to it; retrying automatically. If this persists, check the address, the clock of this machine, and whether the network requires a sign-in.`,
        wait: 'retry',
      };
}

/**
 * Runs a call to one side and converts its error into a {@link NodeError} of that side.
 *
 * @throws NodeError
 */
export async function callNode<T>(side: Side, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw nodeErrorOf(side, error);
  }
}

export function nodeErrorOf(side: Side, thrown: unknown): NodeError {
  if (thrown instanceof NodeError) return thrown;
  return new NodeError(
    side,
    thrown instanceof ReefError
      ? thrown
      : new ReefError('internal', {
          message: thrown instanceof Error ? thrown.message : String(thrown),
          cause: thrown,
        }),
  );
}

/** Error codes of a single record or photograph, not of the link or the service. */
const ITEM_ERROR_CODES: ReadonlySet<string> = new Set([
  'bad-message',
  'hash-mismatch',
  'unsupported-media',
  'too-large',
  'not-found',
  'offset-mismatch',
  'receipt-mismatch',
  'image-exists',
  'incomplete',
  'unknown-survey',
  'unlinked-survey',
]);

/** True if the work can continue with the next item. */
export function isItemError({ error }: NodeError): boolean {
  return ITEM_ERROR_CODES.has(error.code);
}

/** Error of a transfer that was stopped on this side. */
export function stoppedError(): ReefError {
  return new ReefError('disconnected', { message: 'Sending was stopped here.' });
}

/** The cloud's offset of the file, if the error contains it. */
export function offsetOfMismatch(thrown: unknown): number | undefined {
  if (!(thrown instanceof NodeError) || thrown.side !== 'cloud' || thrown.error.code !== 'offset-mismatch')
    return undefined;
  const { offset } = thrown.error.details;
  return typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0 && offset <= LIMITS.imageBytesMax
    ? offset
    : undefined;
}
