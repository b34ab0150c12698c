import { canonicalJson } from '../domain/canonical';
import type { JsonObject } from '../domain/json';
import type { Op } from '../domain/op/op';
import type { PublicKey, VerifySignature } from './receipt';

/** Public key `x` of a device, base64url, as the verifier takes it. */
export function deviceKeyOf(x: string): PublicKey {
  return { kty: 'OKP', crv: 'Ed25519', kid: x, x };
}

/** Text that an operation's signature covers: the canonical JSON of all but `sig` (protocol, "Operation"). */
export function signedOpText(op: Op): string {
  const { sig: _sig, ...rest } = op;
  return canonicalJson(rest as unknown as JsonObject);
}

/**
 * True if the device key that the operation names signed it; false without a signature.
 *
 * @param text signed text, if it is known
 */
export async function hasValidSignature(op: Op, verify: VerifySignature, text?: string): Promise<boolean> {
  return op.sig !== undefined && (await verify(deviceKeyOf(op.sig.key), op.sig.value, text ?? signedOpText(op)));
}
