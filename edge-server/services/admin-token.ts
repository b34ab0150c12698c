import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The admin token of this box: as set, else the one made at first start in `REEF_HOME/edge/admin-token` (mode 0600). */
export function adminToken(home: string, given: string | null): string {
  if (given !== null) return given;
  const file = path.join(home, 'admin-token');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept !== '') return kept;
  const made = randomBytes(24).toString('base64url');
  writeFileSync(`${file}.new`, `${made}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
  return made;
}
