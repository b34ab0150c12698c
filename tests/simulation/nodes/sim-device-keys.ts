import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { DeviceKeys } from '../../../src/platform/host';

/** Start of an Ed25519 private key in PKCS#8; the 32 bytes of the seed follow. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Device keys from names, so that a replay signs the same and the history's generator is left alone.
 *
 * @param nextName a name for each key
 */
export function simDeviceKeys(nextName: () => string, onMade: (x: string) => void): DeviceKeys {
  return {
    generate: async () => {
      const privateKey = Buffer.concat([PKCS8_PREFIX, createHash('sha256').update(nextName()).digest()]).toString(
        'base64',
      );
      const x = String(createPublicKey(keyOf(privateKey)).export({ format: 'jwk' }).x);
      onMade(x);
      return { x, privateKey };
    },
    sign: async (privateKey, text) => sign(null, Buffer.from(text), keyOf(String(privateKey))).toString('base64url'),
  };
}

function keyOf(der: string): ReturnType<typeof createPrivateKey> {
  return createPrivateKey({ key: Buffer.from(der, 'base64'), format: 'der', type: 'pkcs8' });
}
