/** Letters and digits of a pairing code, with what people put between them left out: `k7qf-22md` → `K7QF22MD`. */
export function normalisePairingCode(typed: string): string {
  return typed.replaceAll(/[\s\-–—.]/g, '').toUpperCase();
}

/** A pairing code as it is read out: in two halves, `K7QF 22MD`. */
export function formatPairingCode(code: string): string {
  return code.length === 8 ? `${code.slice(0, 4)} ${code.slice(4)}` : code;
}

/**
 * The address that pairs a tablet when it is opened: the box serves the app, and the page there finds the code. As a QR,
 * any phone's own camera opens it.
 *
 * @param origin of the box as tablets reach it, `https://reef-box.local`
 * @param code empty where the box needs none; it stands there in two halves, as `34E67799` would be read as a number
 */
export function pairingLink(origin: string, code: string): string {
  return code === ''
    ? `${origin}/box`
    : `${origin}/box?pair=${encodeURIComponent(formatPairingCode(code).replace(' ', '-'))}`;
}
