import path from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { z } from 'zod';
import { recipientSchema } from '../../../src/protocol/bundle';
import type { Disk } from '../../../src/server/files/disk';
import { realDisk } from '../../../src/server/files/disk';
import { readKeyFile, writeKeyFile } from '../../../src/server/files/key-file';

const keySchema = z.object({
  recipient: recipientSchema,
  identity: z.string().startsWith('AGE-SECRET-KEY-1'),
  createdAt: z.string(),
});
const fileSchema = z.object({ v: z.literal(1), keys: z.array(keySchema).min(1) });
type KeyFile = z.infer<typeof fileSchema>;

/**
 * Keys that bundles are sealed to (protocol, "Sealed bundle"), in a file of mode 0600. Old keys are never deleted: a
 * bundle may arrive years later.
 */
export class SealKeys {
  readonly recipient: string;
  readonly identities: readonly string[];

  private constructor({ keys }: KeyFile) {
    const [present] = keys;
    if (present === undefined) throw new Error('a file of keys holds one');
    this.recipient = present.recipient;
    this.identities = keys.map(({ identity }) => identity);
  }

  /**
   * Opens the keys in `file`, or creates one durably.
   *
   * @throws Error if the file exists but cannot be read: with a new key, pending bundles could not be opened
   */
  static async open(file: string, now: () => number, disk: Disk = realDisk): Promise<SealKeys> {
    const stored = await readKeys(file, disk);
    return stored === undefined ? SealKeys.#write(file, [await newKey(now())], disk) : new SealKeys(stored);
  }

  static async rotate(file: string, now: () => number, disk: Disk = realDisk): Promise<SealKeys> {
    return SealKeys.#write(file, [await newKey(now()), ...((await readKeys(file, disk))?.keys ?? [])], disk);
  }

  static async #write(file: string, keys: KeyFile['keys'], disk: Disk): Promise<SealKeys> {
    const content: KeyFile = { v: 1, keys };
    await writeKeyFile(disk, file, content);
    return new SealKeys(content);
  }
}

async function newKey(now: number): Promise<KeyFile['keys'][number]> {
  const identity = await generateX25519Identity();
  return { recipient: await identityToRecipient(identity), identity, createdAt: new Date(now).toISOString() };
}

function readKeys(file: string, disk: Disk): Promise<KeyFile | undefined> {
  const unreadable = `The keys for sealed bundles in ${path.basename(file)} cannot be read. Put back a copy of the file; without it no bundle on its way can be opened.`;
  return readKeyFile(disk, file, (value) => fileSchema.parse(value), unreadable);
}
