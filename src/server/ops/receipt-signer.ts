import type { KeyObject } from 'node:crypto';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import type { PublicKey, Receipt, UnsignedReceipt } from '../../protocol/receipt';
import { signedText } from '../../protocol/receipt';
import type { Disk } from '../files/disk';
import { realDisk } from '../files/disk';
import { readKeyFile, writeKeyFile } from '../files/key-file';

const keySchema = z.object({ kid: z.string().min(1), x: z.string().min(1), d: z.string().min(1).optional() });
const fileSchema = z.object({ v: z.literal(1), active: z.string(), keys: z.array(keySchema).min(1) });
type KeyFile = z.infer<typeof fileSchema>;

/**
 * Ed25519 key with a single purpose: receipts, or (another file) traces (protocol, "Receipts and keys"). Stored in a
 * file of mode 0600; earlier public keys stay published, so that their receipts still verify.
 */
export class ReceiptSigner {
  readonly kid: string;
  /** All public keys, the current one first. */
  readonly publicKeys: readonly PublicKey[];
  readonly #key: KeyObject;

  private constructor(file: KeyFile) {
    const { active, key } = activeKey(file);
    this.#key = key;
    this.kid = active.kid;
    const others = file.keys.filter(({ kid }) => kid !== active.kid);
    this.publicKeys = [active, ...others].map(({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid }));
  }

  get publicKey(): PublicKey {
    const [first] = this.publicKeys;
    if (first === undefined) throw new Error('a signer has a key');
    return first;
  }

  /**
   * Opens the key in `file`; creates one, durably, if it does not exist.
   *
   * @throws Error if the file exists and cannot be read: a new key would void every receipt given
   */
  static async open(file: string, disk: Disk = realDisk): Promise<ReceiptSigner> {
    const stored = await readKeys(file, disk);
    if (stored !== undefined) return new ReceiptSigner(stored);
    const made = newKey();
    const content: KeyFile = { v: 1, active: made.kid, keys: [made] };
    await writeKeyFile(disk, file, content);
    return new ReceiptSigner(content);
  }

  /** Creates a new signing key; the old one's public half stays published, its private half is deleted. */
  static async rotate(file: string, disk: Disk = realDisk): Promise<ReceiptSigner> {
    const stored = await readKeys(file, disk);
    const made = newKey();
    const kept = (stored?.keys ?? []).map(({ kid, x }) => ({ kid, x }));
    const content: KeyFile = { v: 1, active: made.kid, keys: [made, ...kept] };
    await writeKeyFile(disk, file, content);
    return new ReceiptSigner(content);
  }

  /** Signature (base64url) over a text's UTF-8 bytes. */
  sign(text: string): string {
    return sign(null, Buffer.from(text, 'utf8'), this.#key).toString('base64url');
  }

  /** Adds this key's `kid` and `sig`, over the canonical JSON of all other members. */
  signReceipt(unsigned: Omit<UnsignedReceipt, 'kid'>): Receipt {
    const named = { ...unsigned, kid: this.kid } as UnsignedReceipt;
    return { ...named, sig: this.sign(signedText(named)) } as Receipt;
  }
}

function readKeys(file: string, disk: Disk): Promise<KeyFile | undefined> {
  const unreadable = `The signing key in ${path.basename(file)} cannot be read. Put back a copy of it, or move it away to start with a new key.`;
  const parse = (value: unknown): KeyFile => {
    const keys = fileSchema.parse(value);
    activeKey(keys);
    return keys;
  };
  return readKeyFile(disk, file, parse, unreadable);
}

function activeKey(file: KeyFile): { active: KeyFile['keys'][number]; key: KeyObject } {
  const active = file.keys.find(({ kid }) => kid === file.active);
  if (active?.d === undefined) throw new Error('the key file names an active key that it does not hold');
  return {
    active,
    key: createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x: active.x, d: active.d }, format: 'jwk' }),
  };
}

function newKey(): { kid: string; x: string; d: string } {
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  if (x === undefined || d === undefined) throw new Error('an Ed25519 key has x and d');
  // Thumbprint of RFC 7638; half of it suffices for a box's few keys.
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { kid: thumbprint.slice(0, 22), x, d };
}

/** Verifies an Ed25519 signature (base64url) over UTF-8 text; false too for a malformed key or signature. */
export function verifySignature(key: PublicKey, sig: string, text: string): boolean {
  const bytes = signatureBytes(key, sig);
  return bytes !== undefined && verify(null, Buffer.from(text, 'utf8'), publicKeyOf(key.x), bytes);
}

/** Same as {@link verifySignature}, in a thread of libuv's pool. */
export async function verifyInPool(key: PublicKey, sig: string, text: string): Promise<boolean> {
  const bytes = signatureBytes(key, sig);
  if (bytes === undefined) return false;
  const publicKey = publicKeyOf(key.x);
  return new Promise((resolve, reject) => {
    verify(null, Buffer.from(text, 'utf8'), publicKey, bytes, (error, isValid) =>
      error === null ? resolve(isValid) : reject(error),
    );
  });
}

/** Bytes of a signature; undefined for a malformed key or signature. */
function signatureBytes(key: PublicKey, sig: string): Buffer | undefined {
  const bytes = Buffer.from(sig, 'base64url');
  return bytes.length !== 64 || Buffer.from(key.x, 'base64url').length !== 32 ? undefined : bytes;
}

/** Recent public keys by `x`: parsing one costs as much as a verification. */
const publicKeys = new Map<string, KeyObject>();
const PUBLIC_KEYS_MAX = 1000;

function publicKeyOf(x: string): KeyObject {
  const known = publicKeys.get(x);
  if (known !== undefined) return known;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  if (publicKeys.size >= PUBLIC_KEYS_MAX) publicKeys.clear();
  publicKeys.set(x, key);
  return key;
}
