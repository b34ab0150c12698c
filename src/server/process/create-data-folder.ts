import { accessSync, constants, mkdirSync } from 'node:fs';
import { errorCode } from '../files/disk';
import { SettingsError } from './environment';

/** Creates the data folder of a server. @throws SettingsError if it cannot be created: a retry would not help */
export function createDataFolder(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = String(errorCode(error) ?? '');
    if (/^(EACCES|EEXIST|ENOTDIR|EPERM|EROFS)$/.test(code))
      throw new SettingsError(`REEF_HOME: ${home} cannot be used as a folder (${code}).`);
    throw error;
  }
}
