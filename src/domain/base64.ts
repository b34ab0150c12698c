const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map([...LETTERS].map((letter, value) => [letter.charCodeAt(0), value]));
const PAD = '=';

/** Encodes bytes as padded base64 (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    const letters =
      LETTERS.charAt(a >> 2) +
      LETTERS.charAt(((a & 3) << 4) | (b >> 4)) +
      LETTERS.charAt(((b & 15) << 2) | (c >> 6)) +
      LETTERS.charAt(c & 63);
    const held = Math.min(3, bytes.length - at);
    parts.push(held === 3 ? letters : letters.slice(0, held + 1) + PAD.repeat(3 - held));
  }
  return parts.join('');
}

/** Decodes base64 with or without padding; null if invalid. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const end = text.endsWith('==') ? text.length - 2 : text.endsWith(PAD) ? text.length - 1 : text.length;
  if (end % 4 === 1 || (end < text.length && text.length % 4 !== 0)) return null;
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  let held = 0;
  let bits = 0;
  let into = 0;
  for (let at = 0; at < end; at++) {
    const value = VALUES.get(text.charCodeAt(at));
    if (value === undefined) return null;
    held = ((held << 6) | value) & 0xffffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[into++] = (held >> bits) & 255;
  }
  return bytes;
}
