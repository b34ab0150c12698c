/**
 * Verifies an Ed25519 signature. An invalid key or signature is false; a browser without Ed25519 throws, so that an
 * honest box is not taken for a forged one.
 * @param key `x` of the public key, base64url
 * @param sig base64url
 * @param text signed as UTF-8
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

/** Cache of recent keys: a feed page uses the same one a thousand times. */
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
  // Invalid keys are not cached, and are refused again.
  imported.catch(() => importedKeys.delete(x));
  return imported;
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0));
}
