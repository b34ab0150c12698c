import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../setup.mjs';

/** Token in `REEF_HOME/bridge/token`, created at first start, mode 0600; BRIDGE_TOKEN takes precedence. */
export function bridgeToken(home, given) {
  if (given) return given;
  const file = path.join(home, 'bridge', 'token');
  const known = read(file);
  if (known !== undefined) return known;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const token = randomBytes(32).toString('base64url');
  const temporary = `${file}.${process.pid}`;
  const handle = openSync(temporary, 'w', 0o600);
  writeSync(handle, `${token}\n`);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(temporary, file);
  return token;
}

function read(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8').trim();
    chmodSync(file, 0o600);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw new SetupError(`${file} cannot be read: ${error.message}`);
  }
  if (!/^[\x21-\x7e]{16,512}$/.test(text))
    throw new SetupError(`${file} holds no token. Delete it and start again: a new one is made.`);
  return text;
}
