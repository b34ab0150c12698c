import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';

/** Text of a key file derived from a seed, so that signatures repeat. */
export function keyFileOf(seed: string): string {
  const known = keyFiles.get(seed) ?? newKeyFile(seed);
  keyFiles.set(seed, known);
  return known;
}

const keyFiles = new Map<string, string>();

function newKeyFile(seed: string): string {
  const d = createHash('sha256').update(`key ${seed}`).digest();
  // An Ed25519 private key is 32 bytes behind a fixed head (RFC 8410).
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), d]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  const kid = createHash('sha256').update(String(x)).digest('base64url').slice(0, 22);
  return JSON.stringify({ v: 1, active: kid, keys: [{ kid, x, d: d.toString('base64url') }] });
}

type Crypto = Pick<typeof import('node:crypto'), 'createPrivateKey' | 'createPublicKey' | 'verify'>;

/**
 * Caches Node's signatures: several nodes check most receipts and every server start reads the same keys. Results are
 * unchanged.
 */
export function rememberingCrypto(real: Crypto): Crypto {
  const keys = new Map<string, ReturnType<Crypto['createPublicKey']>>();
  const answers = new WeakMap<object, Map<string, boolean>>();
  const remembered = (kind: 'createPrivateKey' | 'createPublicKey') => (given: never) => {
    const { key } = given as { key?: { x?: unknown; d?: unknown } };
    if (typeof key?.x !== 'string') return real[kind](given);
    const name = `${kind} ${key.x} ${String(key.d ?? '')}`;
    const known = keys.get(name) ?? real[kind](given);
    keys.set(name, known);
    return known;
  };
  const verify = (algorithm: null, data: Buffer, key: object, sig: Buffer): boolean => {
    const known = answers.get(key) ?? new Map<string, boolean>();
    answers.set(key, known);
    const question = `${data.toString('latin1')} ${sig.toString('latin1')}`;
    const answered = known.get(question);
    if (answered !== undefined) return answered;
    if (known.size > 2000) known.clear();
    const answer = real.verify(algorithm, data, key as never, sig);
    known.set(question, answer);
    return answer;
  };
  return {
    createPrivateKey: remembered('createPrivateKey'),
    createPublicKey: remembered('createPublicKey'),
    verify,
  } as unknown as Crypto;
}
