import path from 'node:path';
import type { Disk } from './disk';
import { isMissing, makeFolder, writeFileDurably } from './disk';

/** Only its owner reads a file of secret keys. */
const MODE = 0o600;

/**
 * What a file of secret keys holds; undefined where there is none.
 *
 * @throws Error `unreadable`, when it is there and `parse` refuses it: nobody may put new keys in its place unasked
 */
export async function readKeyFile<Content>(
  disk: Disk,
  file: string,
  parse: (value: unknown) => Content,
  unreadable: string,
): Promise<Content | undefined> {
  let text: string;
  try {
    text = await disk.readFile(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  // A copy from a backup may have come with any mode.
  await disk.chmod(file, MODE);
  try {
    return parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(unreadable, { cause });
  }
}

/** Writes a file of secret keys, durably. */
export async function writeKeyFile(disk: Disk, file: string, content: unknown): Promise<void> {
  await makeFolder(disk, path.dirname(file));
  await writeFileDurably(disk, file, JSON.stringify(content), MODE);
}
