import type { DeviceKeys } from './host';

/** Device keys of this browser, by WebCrypto. */
export const browserDeviceKeys: DeviceKeys = {
  generate: async () => {
    const pair = await generateKeyPair();
    if (pair === undefined) return undefined;
    const { x } = await crypto.subtle.exportKey('jwk', pair.publicKey);
    return x === undefined ? undefined : { x, privateKey: pair.privateKey };
  },
  sign: async (privateKey, text) =>
    toBase64url(await crypto.subtle.sign('Ed25519', privateKey as CryptoKey, new TextEncoder().encode(text))),
};

/** Attempts to make a key: some engines (WebKitGTK) fail now and then. */
const ATTEMPTS = 3;

/** Undefined in a browser without Ed25519, and where each attempt failed: the next start tries again. */
async function generateKeyPair(): Promise<CryptoKeyPair | undefined> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      if (error.name === 'NotSupportedError') return undefined;
    }
  }
  return undefined;
}

function toBase64url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
}
