/** Older version as recorded by `scripts/record-version.mjs`: its tablet's databases, its box's home, its program. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Origin } from '../tablet/tablet';

const TOP = fileURLToPath(new URL('../../..', import.meta.url));

/** Screen text before the recording ended. */
export interface Expected {
  readonly box: {
    readonly url: string;
    readonly nodeId: string;
    readonly storeEpoch: string;
    readonly adminToken: string;
  };
  readonly deviceId: string;
  readonly person: string;
  readonly surveys: { readonly sent: string; readonly unsent: string };
  readonly photographs: readonly { readonly sha256: string; readonly surveyId: string }[];
}

interface RecordedStore {
  readonly name: string;
  readonly keyPath: string | string[] | null;
  readonly autoIncrement: boolean;
  readonly indexes: readonly {
    readonly name: string;
    readonly keyPath: string | string[];
    readonly unique: boolean;
    readonly multiEntry: boolean;
  }[];
  readonly keys: readonly IDBValidKey[] | null;
  readonly rows: readonly unknown[];
}

/** Files of one recorded version. */
export class RecordedVersion {
  readonly expected: Expected;
  readonly #folder: string;

  constructor(name: string) {
    this.#folder = path.join(TOP, 'tests', 'fixtures', name);
    this.expected = JSON.parse(readFileSync(path.join(this.#folder, 'expected.json'), 'utf8')) as Expected;
  }

  /** Feed of the box and its list of surveys, as that version returned them. */
  feed(): {
    feed: { storeEpoch: string; entries: { seq: number; op?: { opId: string }; receipt?: unknown }[]; next: number };
    surveys: unknown;
  } {
    return this.#read('feed.json.gz');
  }

  /** Creates a folder with the box's home as it was on disk. */
  edgeHome(): string {
    const home = mkdtempSync(path.join(os.tmpdir(), 'reef-recorded-'));
    for (const { path: place, base64 } of this.#read<{ files: { path: string; base64: string }[] }>('edge-home.json.gz')
      .files) {
      const file = path.join(home, place);
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, Buffer.from(base64, 'base64'), { mode: 0o600 });
    }
    return home;
  }

  /** Restores the tablet's databases into an empty origin; `address` replaces the box's old one. */
  async restoreTablet(origin: Origin, address?: string): Promise<void> {
    const { marker, databases } = this.#read<{
      marker: string | null;
      databases: { name: string; version: number; stores: RecordedStore[] }[];
    }>('tablet.json.gz', (text) => (address === undefined ? text : text.replaceAll(this.expected.box.url, address)));
    origin.marker = marker;
    for (const { name, version, stores } of databases) {
      const opening = origin.factory.open(name, version) as unknown as IDBOpenDBRequest;
      opening.onupgradeneeded = () => {
        for (const { name: of, keyPath, autoIncrement, indexes } of stores) {
          const store = opening.result.createObjectStore(of, { keyPath, autoIncrement });
          for (const { name: index, keyPath: over, unique, multiEntry } of indexes)
            store.createIndex(index, over, { unique, multiEntry });
        }
      };
      const database = await settled(opening);
      for (const { name: of, keys, rows } of stores) {
        const store = database.transaction(of, 'readwrite').objectStore(of);
        await Promise.all(
          rows.map((row, i) => settled(keys === null ? store.put(revived(row)) : store.put(revived(row), keys[i]))),
        );
      }
      database.close();
    }
  }

  /**
   * Loads that version's tablet as a module for Node: the exports of its `tests/support/tablet.ts`, under present
   * names.
   */
  async program<Program>(): Promise<Program> {
    // Below node_modules, so that the few unbundled packages are found.
    const folder = path.join(TOP, 'node_modules', '.cache', 'recorded');
    mkdirSync(folder, { recursive: true });
    const packed = readFileSync(path.join(this.#folder, 'tablet-program.mjs.br'));
    const file = path.join(
      folder,
      `${path.basename(this.#folder)}-${createHash('sha256').update(packed).digest('hex').slice(0, 12)}.mjs`,
    );
    if (!existsSync(file)) {
      // Two test files may do this at once: each writes its own file, and both are equal.
      const own = `${file}.${process.pid}`;
      writeFileSync(own, brotliDecompressSync(packed));
      renameSync(own, file);
    }
    const program = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as OldProgram;
    const openTestTablet: OldProgram['openTestTablet'] = async (options) =>
      underPresentNames(await program.openTestTablet(options));
    return { ...program, openTestTablet } as Program;
  }

  #read<Content>(name: string, change: (text: string) => string = (text) => text): Content {
    return JSON.parse(change(gunzipSync(readFileSync(path.join(this.#folder, name))).toString('utf8'))) as Content;
  }
}

type Method = (...args: readonly unknown[]) => unknown;

/** Repositories of version 1, by names that have changed since. */
interface OldTablet {
  readonly parts: { readonly store: { readonly fact: Method } };
  readonly repositories: Record<
    'surveys' | 'images' | 'people' | 'edge' | 'packs' | 'sending' | 'custody' | 'cards' | 'conflicts',
    Record<string, Method>
  >;
}

interface OldProgram {
  readonly openTestTablet: (options: unknown) => Promise<OldTablet>;
}

function underPresentNames(tablet: OldTablet): OldTablet {
  const {
    repositories: { surveys, images, people, edge, packs, sending, custody, cards, conflicts },
    parts: { store },
  } = tablet;
  const link = Object.assign(edge, { setOfflineByChoice: edge['stayOffline'] });
  const repositories = {
    account: { people: Object.assign(people, { createPending: people['enter'] }) },
    census: { surveys, images, conflicts },
    custody: { photographs: custody, cards, sending },
    edge: { link, packs },
  };
  const context = { store: { getMeta: (...args: readonly unknown[]) => store.fact(...args) } };
  return Object.assign(tablet, { context, repositories });
}

function revived(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value !== 'object' || value === null) return value;
  const { $: what, type, base64, at } = value as Record<string, string>;
  if (what === 'undefined') return undefined;
  if (what === 'blob') return new Blob([Buffer.from(base64 ?? '', 'base64')], { type: type ?? '' });
  if (what === 'date') return new Date(at ?? '');
  if (what === 'bytes') return new Uint8Array(Buffer.from(base64 ?? '', 'base64'));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, revived(member)]));
}

function settled<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed'));
  });
}
