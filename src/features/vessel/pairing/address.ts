import { normalisePairingCode } from '../../../domain/pairing-link';

/** Scanned or typed; either may be missing. */
export interface PairingInput {
  readonly origin: string | null;
  readonly code: string | null;
}

/** Bare code: eight letters and digits. */
const CODE = /^[0-9A-Z]{8}$/;

/**
 * Pairing link or bare code in a QR.
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

type AddressFault = 'empty' | 'no-address' | 'insecure';

/**
 * Origin from a typed address: `reef.local`, `192.168.4.1:4100`, `HTTPS://reef.local/box`, with stray dots or spaces.
 * `https` by default, http only for this machine.
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
  // A single word may be a host name; a mail address or code is not.
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
