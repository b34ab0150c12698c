import { ReefError } from '../../../domain/errors';
import { VESSEL_LIMITS } from '../../../domain/limits/vessel';
import { errorText } from '../../sync-status';

/** Field to check, what happened, what to do. */
export interface PairingError {
  readonly kind:
    'address' | 'code' | 'clock' | 'unreachable' | 'not-the-box' | 'elsewhere' | 'version' | 'wait' | 'other';
  readonly field: 'address' | 'code' | null;
  readonly title: string;
  readonly text: string;
  /** Trust page, if trust may be the cause. */
  readonly trustUrl: string | null;
}

interface PairingErrorContext {
  readonly origin: string;
  readonly pageOrigin: string;
  /** Ms since the epoch. */
  readonly now: number;
  /** True if the content policy blocked the request. */
  readonly blocked: boolean;
}

const SAFE_TEXT = 'Nothing on this tablet was changed.';

export function addressError(fault: 'empty' | 'no-address' | 'insecure'): PairingError {
  const text = {
    empty: 'Type the address that the box shows, such as reef-box.local',
    'no-address': 'An address looks like reef-box.local or 192.168.4.1:4100',
    insecure: 'A box uses https, so that no one on the network can read along. Leave out “http://”.',
  }[fault];
  return { kind: 'address', field: 'address', title: 'The address', text, trustUrl: null };
}

/** A browser reports a wrong certificate and a box that is off alike: the text names both, and how to tell. */
export function pairingError(error: unknown, context: PairingErrorContext): PairingError {
  const host = context.origin.replace(/^https?:\/\//, '');
  const code = error instanceof ReefError ? error.code : 'internal';
  switch (code) {
    case 'pairing-required':
      return {
        kind: 'code',
        field: 'code',
        title: 'The box needs its code',
        text: 'Type the eight-character code that the box shows.',
        trustUrl: null,
      };
    case 'pairing-wrong':
      return {
        kind: 'code',
        field: 'code',
        title: 'Wrong code',
        text: 'The box shows a different code now. Check it again: it has no O, 0, I, 1, L or B.',
        trustUrl: null,
      };
    case 'rate-limited':
      return {
        kind: 'wait',
        field: 'code',
        title: 'Too many wrong codes',
        text: `The box accepts no code from this tablet for ${formatWait(error)}. Try again then.`,
        trustUrl: null,
      };
    case 'unsupported-version':
      return {
        kind: 'version',
        field: null,
        title: 'The box has a different version',
        text: `Close the app everywhere and open it again from the box, so that the versions match. ${SAFE_TEXT}`,
        trustUrl: null,
      };
    case 'bad-message':
    case 'receipt-mismatch':
    case 'not-found':
      return {
        kind: 'not-the-box',
        field: 'address',
        title: 'A different server answers there',
        text: `The server at ${host} cannot prove that it is a box of the census. It may be the sign-in page of a Wi-Fi network, or another device. Check the network and the address. ${SAFE_TEXT}`,
        trustUrl: null,
      };
    case 'disconnected':
    case 'timeout':
      return unreachableError(code, host, context);
    default:
      return {
        kind: 'other',
        field: null,
        title: 'Pairing did not work',
        text: `${error instanceof ReefError ? errorText(error.toWire()) : String(error)} ${SAFE_TEXT}`,
        trustUrl: null,
      };
  }
}

function unreachableError(
  code: 'disconnected' | 'timeout',
  host: string,
  { origin, pageOrigin, now, blocked }: PairingErrorContext,
): PairingError {
  if (now < VESSEL_LIMITS.clockEarliest || now > VESSEL_LIMITS.clockLatest) {
    const day = new Date(now).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
    return {
      kind: 'clock',
      field: null,
      title: 'Check this tablet’s clock',
      text: `It says ${day}. With a clock that is years off, no certificate is valid and the box cannot be trusted. Set the date and time in the tablet’s settings, then try again. ${SAFE_TEXT}`,
      trustUrl: null,
    };
  }
  if (blocked) {
    return {
      kind: 'elsewhere',
      field: 'address',
      title: 'This app belongs to another box',
      text: `It came from ${pageOrigin.replace(/^https?:\/\//, '')} and can only connect to that box and those it names. Open https://${host} in the browser and pair there. ${SAFE_TEXT}`,
      trustUrl: null,
    };
  }
  const title = code === 'timeout' ? `${host} did not answer in time` : `Nothing answers at ${host}`;
  if (origin === pageOrigin)
    return {
      kind: 'unreachable',
      field: 'address',
      title,
      text: `Is the box on, and is this tablet on its Wi-Fi? ${SAFE_TEXT}`,
      trustUrl: null,
    };
  return {
    kind: 'unreachable',
    field: 'address',
    title,
    text: `The box may be off or on another Wi-Fi, or this tablet does not trust its certificate yet. Open the trust page to find out: a warning there means the certificate, no page at all means the network. ${SAFE_TEXT}`,
    trustUrl: `${origin}/edge/trust`,
  };
}

/** Wait from the box, or its default of a minute. */
function formatWait(error: unknown): string {
  const ms = error instanceof ReefError ? error.details['retryAfterMs'] : undefined;
  const seconds = typeof ms === 'number' && ms > 0 ? Math.ceil(ms / 1000) : 60;
  return seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} s`;
}
