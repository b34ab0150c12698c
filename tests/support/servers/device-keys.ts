/** Device keys of tests: made, certified at a test cloud, and used to sign operations. */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Op } from '../../../src/domain/op/op';
import { deviceAnswerText } from '../../../src/protocol/device-answer';
import { signedOpText } from '../../../src/protocol/op-signature';
import type { CloudReply, TestCloud } from './cloud';
import type { SignedIn } from './people';

export interface TestDeviceKey {
  readonly x: string;
  /** Ed25519 signature of a text, base64url. */
  readonly sign: (text: string) => string;
}

export function newDeviceKey(): TestDeviceKey {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  return { x: String(jwk.x), sign: (text) => sign(null, Buffer.from(text), key).toString('base64url') };
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
