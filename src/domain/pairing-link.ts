/** Normalises a typed pairing code: `k7qf-22md` → `K7QF22MD`. */
export function normalisePairingCode(typed: string): string {
  return typed.replaceAll(/[\s\-–—.]/g, '').toUpperCase();
}

/** Formats a pairing code in two halves: `K7QF 22MD`. */
export function formatPairingCode(code: string): string {
  return code.length === 8 ? `${code.slice(0, 4)} ${code.slice(4)}` : code;
}

/**
 * Link that pairs a tablet: the box serves the app and the page reads the code. As a QR code, any phone camera can open
 * it.
 *
 * @param origin of the box as tablets reach it, `https://reef-box.local`
 * @param code empty if the box needs none; written in two halves, as `34E67799` would parse as a number
 */
export function pairingLink(origin: string, code: string): string {
  return code === ''
    ? `${origin}/box`
    : `${origin}/box?pair=${encodeURIComponent(formatPairingCode(code).replace(' ', '-'))}`;
}
