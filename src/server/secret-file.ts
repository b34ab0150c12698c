import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A token of this machine: as set, else the one kept in `file` (mode 0600), which is made at the first start. */
export function secretFile(file: string, given: string | null): string {
  if (given !== null) return given;
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept !== '') return kept;
  const made = randomBytes(24).toString('base64url');
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${made}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return made;
}
