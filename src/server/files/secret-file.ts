import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, isMissing } from './disk';

/**
 * Returns a token: from the setting, else from `file` (mode 0600), created at the first start. Concurrent processes
 * over one folder agree on one.
 */
export function secretFile(file: string, given: string | null): string {
  if (given !== null) return given;
  const kept = readSecret(file);
  if (kept !== '') return kept;
  const made = randomBytes(24).toString('base64url');
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${made}\n`, { mode: 0o600, flush: true });
  // The first process to fill the file wins.
  linkIfAbsent(draft, file);
  if (readSecret(file) === '') replaceEmpty(draft, file);
  rmSync(draft, { force: true });
  return readSecret(file);
}

function readSecret(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
}

/** Replaces an empty file. If another process just filled it, its content is put back. */
function replaceEmpty(draft: string, file: string): void {
  const aside = `${draft}.aside`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  linkIfAbsent(readSecret(aside) === '' ? draft : aside, file);
  rmSync(aside, { force: true });
}

function linkIfAbsent(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
