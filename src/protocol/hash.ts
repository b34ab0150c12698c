import { canonicalJson } from '../domain/canonical';
import type { Json } from '../domain/json';
import { ReefError } from '../domain/errors';
import type { Op } from '../domain/op/op';

/** SHA-256 of a text's UTF-8 bytes as lower-case hex: `node:crypto` on servers, `crypto.subtle` in browsers. */
type Sha256OfText = (text: string) => string | Promise<string>;

/** Text that an operation's hash covers: the canonical JSON (RFC 8785) of its body. */
export function hashedText(body: Json): string {
  return canonicalJson(body);
}

/** @throws ReefError `hash-mismatch` `{field}` if the body does not match the stated hash */
export async function checkOpHash(op: Op, sha256: Sha256OfText, field = 'op'): Promise<void> {
  const actual = await sha256(hashedText(op.body));
  if (actual !== op.sha256)
    throw new ReefError('hash-mismatch', {
      field: `${field}.sha256`,
      message: `${field}.sha256 is not the hash of its body.`,
    });
}
