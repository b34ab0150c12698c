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

/** Undefined in a browser without Ed25519. */
async function generateKeyPair(): Promise<CryptoKeyPair | undefined> {
  try {
    return (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotSupportedError') return undefined;
    throw error;
  }
}

function toBase64url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '');
}
