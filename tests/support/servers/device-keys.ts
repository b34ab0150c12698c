/** Device keys of tests: made, certified at a test cloud, and used to sign operations. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import type { Op } from '../../../src/domain/op/op';
import { deviceAnswerText } from '../../../src/protocol/device-answer';
import { signedOpText } from '../../../src/protocol/op-signature';
import type { CloudReply, TestCloud } from './cloud';
import type { SignedIn } from './people';

/** Start of an Ed25519 private key in PKCS#8 (RFC 8410); the 32 bytes of the seed follow. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface TestDeviceKey {
  readonly x: string;
  /** Ed25519 signature of a text, base64url. */
  readonly sign: (text: string) => string;
}

export function newDeviceKey(): TestDeviceKey {
  return testKeyOf(generateKeyPairSync('ed25519').privateKey);
}

/** Key of a test device: the same for the same id. */
export function deviceKeyFor(deviceId: string): TestDeviceKey {
  const seed = createHash('sha256').update(`device ${deviceId}`).digest();
  const der = Buffer.concat([PKCS8_HEAD, seed]);
  return testKeyOf(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** Key of a tablet in Node (`nodeDeviceKeys`). */
export function deviceKeyOfTablet({ privateKey }: { readonly privateKey: unknown }): TestDeviceKey {
  return testKeyOf(createPrivateKey({ key: privateKey as JsonWebKey, format: 'jwk' }));
}

function testKeyOf(key: KeyObject): TestDeviceKey {
  return {
    x: String(createPublicKey(key).export({ format: 'jwk' }).x),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64url'),
  };
}

/** Operation signed by a device, as the app writes it. */
export function signedBy({ x, sign }: TestDeviceKey, op: Op): Op {
  return { ...op, sig: { key: x, value: sign(signedOpText(op)) } };
}

/** Asks for the certificate of a key in a session, as the app does after a sign-in. */
export function askToCertify(cloud: TestCloud, { session }: SignedIn, key: TestDeviceKey): Promise<CloudReply> {
  const { nodeId } = cloud.cloud.context.store.identity;
  const answer = key.sign(deviceAnswerText({ node: nodeId, challenge: session, key: key.x }));
  return cloud.post('/api/auth/key', { key: key.x, answer }, session);
}

/** Key of a device on which a person signed in. */
export async function certifiedKey(cloud: TestCloud, person: SignedIn): Promise<TestDeviceKey> {
  const key = newDeviceKey();
  const { status, body } = await askToCertify(cloud, person, key);
  if (status !== 200) throw new Error(`POST /api/auth/key: ${status} ${JSON.stringify(body)}`);
  return key;
}
