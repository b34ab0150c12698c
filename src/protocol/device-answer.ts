import { z } from 'zod';
import { canonicalJson } from '../domain/canonical';
import { deviceKeySchema, signatureSchema } from '../domain/op/op';
import { deviceKeyOf } from './op-signature';
import type { VerifySignature } from './receipt';

/** Question that a device answers with its key: `node` asks with a `challenge` that it uses for nothing else. */
interface DeviceChallenge {
  readonly node: string;
  readonly challenge: string;
  /** `x` of the device's public key, base64url. */
  readonly key: string;
}

/** Text that the answer signs; a node's name in it keeps another node from passing the answer on. */
export function deviceAnswerText({ node, challenge, key }: DeviceChallenge): string {
  return canonicalJson({ v: 1, for: 'reef-device', node, challenge, key });
}

/** True if the answer is the key's signature for this challenge. */
export async function isDeviceAnswer(
  challenge: DeviceChallenge,
  answer: string,
  verify: VerifySignature,
): Promise<boolean> {
  return verify(deviceKeyOf(challenge.key), answer, deviceAnswerText(challenge));
}

/** `POST /api/auth/key`: the session's bearer token is the challenge. */
export const deviceKeyFormSchema = z.object({ key: deviceKeySchema, answer: signatureSchema });
