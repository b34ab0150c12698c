/**
 * Checks an Ed25519 signature. What is no key or no signature is false; a browser that lacks Ed25519 throws, so that it is
 * not taken for a box that lies.
 *
 * @param key `x` of the public key, base64url
 * @param sig base64url
 * @param text its UTF-8 bytes were signed
 * @throws DOMException `NotSupportedError`
 */
export async function verifySignature(key: { readonly x: string }, sig: string, text: string): Promise<boolean> {
  try {
    return await crypto.subtle.verify(
      'Ed25519',
      await importedKey(key.x),
      fromBase64url(sig),
      new TextEncoder().encode(text),
    );
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotSupportedError') throw error;
    return false;
  }
}

/** Keys that were met last: a page of a feed asks a thousand times for the same. */
const importedKeys = new Map<string, Promise<CryptoKey>>();
const KEYS_MAX = 16;

function importedKey(x: string): Promise<CryptoKey> {
  const known = importedKeys.get(x);
  if (known !== undefined) return known;
  const imported = crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x }, 'Ed25519', false, ['verify']);
  for (const oldest of importedKeys.keys()) {
    if (importedKeys.size < KEYS_MAX) break;
    importedKeys.delete(oldest);
  }
  importedKeys.set(x, imported);
  // A key that is none is asked for again, and refused again.
  imported.catch(() => importedKeys.delete(x));
  return imported;
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0));
}
