import { ReefError } from '../../../domain/errors';
import { VESSEL_LIMITS } from '../../../domain/limits/vessel';
import { errorText } from '../../sync-status';

/** Why pairing did not come about, for a person: which field to look at, what happened, what to do. */
export interface PairingTrouble {
  readonly kind:
    'address' | 'code' | 'clock' | 'unreachable' | 'not-the-box' | 'elsewhere' | 'version' | 'wait' | 'other';
  readonly field: 'address' | 'code' | null;
  readonly title: string;
  readonly words: string;
  /** The page of the box that says how this tablet comes to trust it, where that may be the cause. */
  readonly trust: string | null;
}

/** What is known beside the error. */
export interface PairingScene {
  readonly origin: string;
  /** The origin of this page. */
  readonly page: string;
  /** This tablet's clock, ms since the epoch. */
  readonly now: number;
  /** The page's own content policy kept it from asking there. */
  readonly blocked: boolean;
}

const SAFE = 'Nothing on this tablet was changed.';

/** What an address that was typed lacks. */
export function addressTrouble(fault: 'empty' | 'no-address' | 'insecure'): PairingTrouble {
  const words = {
    empty: 'Type the address that the box shows, such as reef-box.local',
    'no-address': 'An address looks like reef-box.local or 192.168.4.1:4100',
    insecure: 'A box is reached over https, so that nobody on the network can read along. Leave out “http://”.',
  }[fault];
  return { kind: 'address', field: 'address', title: 'The address', words, trust: null };
}

/** Names the cause of a pairing that failed. A browser tells a wrong certificate and a box that is off alike: both are said, and how to see which. */
export function pairingTrouble(error: unknown, scene: PairingScene): PairingTrouble {
  const host = scene.origin.replace(/^https?:\/\//, '');
  const code = error instanceof ReefError ? error.code : 'internal';
  switch (code) {
    case 'pairing-required':
      return {
        kind: 'code',
        field: 'code',
        title: 'The box wants its code',
        words: 'Type the code of eight characters that the box shows.',
        trust: null,
      };
    case 'pairing-wrong':
      return {
        kind: 'code',
        field: 'code',
        title: 'That is not its code',
        words: 'That is not the code that the box shows now. Look at it again: it has no O, 0, I, 1, L or B.',
        trust: null,
      };
    case 'rate-limited':
      return {
        kind: 'wait',
        field: 'code',
        title: 'Too many wrong codes',
        words: `The box takes no code from this tablet for ${waitWords(error)}. Try again then.`,
        trust: null,
      };
    case 'unsupported-version':
      return {
        kind: 'version',
        field: null,
        title: 'The box speaks another version',
        words: `Close the app everywhere and open it again from the box, so that it is the one the box brings. ${SAFE}`,
        trust: null,
      };
    case 'bad-message':
    case 'receipt-mismatch':
    case 'not-found':
      return {
        kind: 'not-the-box',
        field: 'address',
        title: 'Something answers there, but it is not the box',
        words: `What answers at ${host} cannot sign as a box of the census: perhaps the sign-in page of a Wi-Fi, or another device. Check the network and the address. ${SAFE}`,
        trust: null,
      };
    case 'disconnected':
    case 'timeout':
      return unreachable(code, host, scene);
    default:
      return {
        kind: 'other',
        field: null,
        title: 'Pairing did not work',
        words: `${error instanceof ReefError ? errorText(error.toWire()) : String(error)} ${SAFE}`,
        trust: null,
      };
  }
}

function unreachable(
  code: 'disconnected' | 'timeout',
  host: string,
  { origin, page, now, blocked }: PairingScene,
): PairingTrouble {
  if (now < VESSEL_LIMITS.clockEarliest || now > VESSEL_LIMITS.clockLatest) {
    const day = new Date(now).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
    return {
      kind: 'clock',
      field: null,
      title: 'Check this tablet’s clock',
      words: `It says ${day}. With a clock that is years off no certificate holds, and the box cannot be trusted. Set date and time in the tablet’s settings, then try again. ${SAFE}`,
      trust: null,
    };
  }
  if (blocked) {
    return {
      kind: 'elsewhere',
      field: 'address',
      title: 'This app belongs to another box',
      words: `It came from ${page.replace(/^https?:\/\//, '')} and may talk to that box and those it names. Open https://${host} in the browser and pair there. ${SAFE}`,
      trust: null,
    };
  }
  const title = code === 'timeout' ? `${host} did not answer in time` : `Nothing answers at ${host}`;
  if (origin === page)
    return {
      kind: 'unreachable',
      field: 'address',
      title,
      words: `Is the box on, and is this tablet on its Wi-Fi? ${SAFE}`,
      trust: null,
    };
  return {
    kind: 'unreachable',
    field: 'address',
    title,
    words: `Either the box is off or on another Wi-Fi, or this tablet does not trust its certificate yet. Open the trust page to see which: a warning there means the certificate, no page at all means the network. ${SAFE}`,
    trust: `${origin}/edge/trust`,
  };
}

/** The box says for how long; else a minute, which is its rule. */
function waitWords(error: unknown): string {
  const ms = error instanceof ReefError ? error.details['retryAfterMs'] : undefined;
  const seconds = typeof ms === 'number' && ms > 0 ? Math.ceil(ms / 1000) : 60;
  return seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} s`;
}
