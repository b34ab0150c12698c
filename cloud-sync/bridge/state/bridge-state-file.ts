import path from 'node:path';
import type { Disk } from '../../../src/server/files/disk';
import { isMissing, makeFolder, writeFileDurably } from '../../../src/server/files/disk';
import type { BridgeState, BridgeStateStore } from './bridge-state';
import { bridgeStateSchema } from './bridge-state';

/**
 * The bridge's state in one small file, replaced atomically and durably. An unreadable file is set aside and everything
 * is offered again, which changes nothing ashore.
 */
export class BridgeStateFile implements BridgeStateStore {
  readonly #disk: Disk;
  readonly #file: string;
  readonly #report: (message: string) => void;

  /** @param folder `REEF_HOME/bridge`; created if missing */
  constructor(disk: Disk, folder: string, report: (message: string) => void) {
    this.#disk = disk;
    this.#file = path.join(folder, 'state.json');
    this.#report = report;
  }

  async load(): Promise<BridgeState | null> {
    await makeFolder(this.#disk, path.dirname(this.#file));
    const text = await this.#read();
    if (text === null) return null;
    const parsed = bridgeStateSchema.safeParse(jsonOf(text));
    if (parsed.success) return parsed.data;
    await this.#disk.rename(this.#file, `${this.#file}.broken`);
    this.#report(
      `The bridge’s state file cannot be read. It was renamed to ${this.#file}.broken; everything is offered to the cloud again, which changes nothing there.`,
    );
    return null;
  }

  save(state: BridgeState): Promise<void> {
    return writeFileDurably(this.#disk, this.#file, JSON.stringify(state));
  }

  async #read(): Promise<string | null> {
    try {
      return await this.#disk.readFile(this.#file);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
