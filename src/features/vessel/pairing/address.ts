import { normalisePairingCode } from '../../../domain/pairing-link';

/** What was scanned or typed says: where the box is, and its code; either may be missing. */
export interface PairingInput {
  readonly origin: string | null;
  readonly code: string | null;
}

/** A code by itself: eight letters and digits, as the consoles of boxes show it. */
const CODE = /^[0-9A-Z]{8}$/;

/**
 * Reads what a QR of a box holds: a pairing link, or the bare code.
 *
 * @returns null for anything else (a ticket, a Wi-Fi code, the box's fingerprint)
 */
export function parsePairingInput(text: string): PairingInput | null {
  const bare = normalisePairingCode(text);
  if (CODE.test(bare)) return { origin: null, code: bare };
  if (!/^https?:\/\//i.test(text.trim()) || !URL.canParse(text.trim())) return null;
  const url = new URL(text.trim());
  if (url.pathname.replace(/\/$/, '') !== '/box') return null;
  const code = url.searchParams.get('pair');
  return {
    origin: url.origin,
    code: code === null || normalisePairingCode(code) === '' ? null : normalisePairingCode(code).slice(0, 32),
  };
}

/** Why an address that was typed is none. */
export type AddressFault = 'empty' | 'no-address' | 'insecure';

/**
 * The origin of a box's address as people type it: `reef.local`, `192.168.4.1:4100`, `HTTPS://reef.local/box`, with a dot
 * or a space too many. `https` where nothing is said, plain http only for this very machine.
 *
 */
export function parseAddress(typed: string): { readonly origin: string } | { readonly fault: AddressFault } {
  const text = typed
    .trim()
    .replaceAll(/\s+/g, '')
    .replace(/^(https?):\/*/i, '$1://')
    .replace(/\.+(?=$|[:/])/, '');
  if (text === '') return { fault: 'empty' };
  const whole = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(whole)) return { fault: 'no-address' };
  const url = new URL(whole);
  // A single word may be the box's name on the vessel's network; a mail address or a code is none.
  if (
    url.username !== '' ||
    url.hostname === '' ||
    !/^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(url.hostname)
  )
    return { fault: 'no-address' };
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isHere) return { fault: 'insecure' };
  return { origin: url.origin };
}
