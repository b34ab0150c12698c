import { createPrivateKey, createPublicKey, createHash, sign } from 'node:crypto';
import type { PersonId } from '../../../src/domain/ids';
import { canonicalJson } from '../../../src/domain/canonical';
import type { JsonObject } from '../../../src/domain/json';
import type { Op } from '../../../src/domain/op/op';

/** Person ashore behind the hostile tablet: has an account, and a role that nobody gave. */
export const HOSTILE_PERSON = 'PersonOfAttacker' as PersonId;
export const HOSTILE_TABLET = 'TabletOfAttacker';
export const HOSTILE_BOX = 'BoxOfAnAttacker1';
/** Honest expert; analyses of the others are those of volunteers. */
export const EXPERT = 'Person0000000001' as PersonId;

/** Ed25519 key of the party, derived from a name so that a replay signs the same. */
export interface PartyKey {
  readonly x: string;
  readonly kid: string;
  readonly sign: (text: string) => string;
}

const keys = new Map<string, PartyKey>();

export function partyKey(name: string): PartyKey {
  const known = keys.get(name) ?? newKey(name);
  keys.set(name, known);
  return known;
}

function newKey(name: string): PartyKey {
  const seed = createHash('sha256').update(`hostile ${name}`).digest();
  // An Ed25519 private key is 32 bytes behind a fixed head (RFC 8410).
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const x = String(createPublicKey(key).export({ format: 'jwk' }).x);
  return { x, kid: x.slice(0, 22), sign: (text) => sign(null, Buffer.from(text), key).toString('base64url') };
}

/** Text that a signature covers (protocol, "Device keys"). */
export function coveredText(op: Op): string {
  return canonicalJson(Object.fromEntries(Object.entries(op).filter(([member]) => member !== 'sig')) as JsonObject);
}
