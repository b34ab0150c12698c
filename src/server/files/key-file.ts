import path from 'node:path';
import type { Disk } from './disk';
import { isMissing, makeFolder, writeFileDurably } from './disk';

/** File mode of secret keys: readable only by the owner. */
const MODE = 0o600;

/**
 * Reads a file of secret keys; undefined if it does not exist.
 *
 * @throws Error `unreadable`, if it exists and `parse` refuses it: new keys must not replace it silently
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
  // A copy from a backup may have any mode.
  await disk.chmod(file, MODE);
  try {
    return parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(unreadable, { cause });
  }
}

export async function writeKeyFile(disk: Disk, file: string, content: unknown): Promise<void> {
  await makeFolder(disk, path.dirname(file));
  await writeFileDurably(disk, file, JSON.stringify(content), MODE);
}
