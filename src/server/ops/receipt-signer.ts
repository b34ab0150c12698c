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
 * An Ed25519 key that signs one thing alone: receipts, or (another file) traces (protocol, "Receipts and keys"). It lies
 * in a file of mode 0600 and survives restarts; the public halves of earlier keys stay published, so that receipts
 * signed with them still verify.
 */
export class ReceiptSigner {
  readonly kid: string;
  /** All public keys, the present one first. */
  readonly publicKeys: readonly PublicKey[];
  readonly #key: KeyObject;

  private constructor(file: KeyFile) {
    const { active, key } = activeKey(file);
    this.#key = key;
    this.kid = active.kid;
    const others = file.keys.filter(({ kid }) => kid !== active.kid);
    this.publicKeys = [active, ...others].map(({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid }));
  }

  /** The present public key. */
  get publicKey(): PublicKey {
    const [first] = this.publicKeys;
    if (first === undefined) throw new Error('a signer has a key');
    return first;
  }

  /**
   * Opens the key in `file`; makes one, durably, where there is none.
   *
   * @throws Error when the file is there and cannot be read: a new key in its place would void every receipt given
   */
  static async open(file: string, disk: Disk = realDisk): Promise<ReceiptSigner> {
    const stored = await readKeys(file, disk);
    if (stored !== undefined) return new ReceiptSigner(stored);
    const made = newKey();
    const content: KeyFile = { v: 1, active: made.kid, keys: [made] };
    await writeKeyFile(disk, file, content);
    return new ReceiptSigner(content);
  }

  /** Makes a new key for what is signed from now on; the old one's public half stays published, its private half goes. */
  static async rotate(file: string, disk: Disk = realDisk): Promise<ReceiptSigner> {
    const stored = await readKeys(file, disk);
    const made = newKey();
    const kept = (stored?.keys ?? []).map(({ kid, x }) => ({ kid, x }));
    const content: KeyFile = { v: 1, active: made.kid, keys: [made, ...kept] };
    await writeKeyFile(disk, file, content);
    return new ReceiptSigner(content);
  }

  /** The signature (base64url) over a text's UTF-8 bytes. */
  sign(text: string): string {
    return sign(null, Buffer.from(text, 'utf8'), this.#key).toString('base64url');
  }

  /** The receipt with this key's `kid` and `sig`, over the canonical JSON of all the rest. */
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
  // The thumbprint of RFC 7638 names a key by what it is; half of it is plenty among a box's few keys.
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');
  return { kid: thumbprint.slice(0, 22), x, d };
}

/** Checks an Ed25519 signature (base64url) over a text's UTF-8 bytes; false too for a key or signature of a wrong form. */
export function verifySignature(key: PublicKey, sig: string, text: string): boolean {
  const bytes = Buffer.from(sig, 'base64url');
  if (bytes.length !== 64 || Buffer.from(key.x, 'base64url').length !== 32) return false;
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' });
  return verify(null, Buffer.from(text, 'utf8'), publicKey, bytes);
}
