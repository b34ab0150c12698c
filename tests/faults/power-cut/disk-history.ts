import type { Tree } from './tree';

/** File or folder of the recorded disk, from its creation to the end of the recording, under any names. */
export interface Inode {
  readonly id: number;
  readonly kind: 'file' | 'folder';
  /** First name it was seen under, relative to the disk's top; for people. */
  readonly label: string;
}

/** Name in a folder. */
export interface Entry {
  readonly folder: number;
  readonly name: string;
}

export type Change =
  | { readonly type: 'write'; readonly inode: number; readonly offset: number; readonly data: Buffer }
  | { readonly type: 'size'; readonly inode: number; readonly size: number; readonly only: 'any' | 'growing' }
  | { readonly type: 'link'; readonly at: Entry; readonly inode: number }
  | { readonly type: 'unlink'; readonly at: Entry }
  | { readonly type: 'rename'; readonly from: Entry; readonly to: Entry; readonly inode: number };

/**
 * Change of the disk. It may be on the disk from event `start` on, and surely is from event `durable` on, the return of
 * the fsync that covers it (Infinity: never covered).
 */
export interface DiskOp {
  readonly index: number;
  readonly change: Change;
  readonly label: string;
  readonly start: number;
  readonly end: number;
  durable: number;
  /** Two halves of a rename: when the new name is surely present, and when the old one is surely gone. */
  halves?: { readonly to: number; readonly from: number };
}

/**
 * Receipt that left the edge: from event `start` on a client may rely on it. `sig` is its signature and identifies it.
 */
export interface Departure {
  readonly start: number;
  readonly sig: string;
}

export interface DiskHistory {
  /** Durable content of the disk before the recording began. */
  readonly base: Tree;
  readonly inodes: readonly Inode[];
  /** Event from which no disk can show the file: its names came and went, durably. */
  readonly goneFrom: ReadonlyMap<number, number>;
  readonly baseFiles: ReadonlyMap<number, Buffer>;
  readonly baseEntries: readonly { readonly at: Entry; readonly inode: number }[];
  /** Sorted by return. */
  readonly ops: readonly DiskOp[];
  /** First departure of each receipt. */
  readonly departures: readonly Departure[];
  /** Events at which the set of losable changes or of owed receipts changes: a power cut is tried after each. */
  readonly cuts: readonly number[];
  readonly lastEvent: number;
}

export const TOP = 0;

interface Sync {
  readonly inode: number | 'all';
  readonly start: number;
  readonly end: number;
}

/** Collects the events of a trace and closes them into a history. Its namespace is what a running program sees. */
export class HistoryBuilder {
  readonly #inodes: Inode[] = [{ id: TOP, kind: 'folder', label: '.' }];
  readonly #names = new Map<number, Map<string, number>>([[TOP, new Map()]]);
  readonly #sizes = new Map<number, number>();
  readonly #baseFiles = new Map<number, Buffer>();
  readonly #baseEntries: { at: Entry; inode: number }[] = [];
  readonly #ops: DiskOp[] = [];
  readonly #syncs: Sync[] = [];
  readonly #departures = new Map<string, Departure>();
  /** Changes that added or removed a file's name. */
  readonly #namings = new Map<number, { ops: DiskOp[]; unlinked: boolean }>();
  readonly #base: Tree;

  constructor(base: Tree) {
    this.#base = base;
    for (const folder of base.folders) this.#layBase(folder, 'folder');
    for (const [path, content] of base.files) {
      const id = this.#layBase(path, 'file');
      this.#baseFiles.set(id, content);
      this.#sizes.set(id, content.length);
    }
  }

  #layBase(path: string, kind: Inode['kind']): number {
    const at = this.entry(path);
    const id = this.#newInode(kind, path);
    this.#folder(at.folder).set(at.name, id);
    this.#baseEntries.push({ at, inode: id });
    return id;
  }

  #newInode(kind: Inode['kind'], label: string): number {
    const id = this.#inodes.length;
    this.#inodes.push({ id, kind, label });
    if (kind === 'folder') this.#names.set(id, new Map());
    else this.#sizes.set(id, 0);
    return id;
  }

  #folder(id: number): Map<string, number> {
    const names = this.#names.get(id);
    if (names === undefined) throw new Error(`The trace uses ${this.#inodes[id]?.label ?? id} as a folder.`);
    return names;
  }

  /** Entry of a path below the top; its folder must exist. */
  entry(path: string): Entry {
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    const name = parts.pop();
    if (name === undefined || parts.includes('..') || name === '..')
      throw new Error(`The trace names a place that is not understood: ${path}`);
    let folder = TOP;
    for (const part of parts) {
      const next = this.#folder(folder).get(part);
      if (next === undefined)
        throw new Error(`The trace uses a folder that the model does not know: ${part} in ${path}`);
      folder = next;
    }
    return { folder, name };
  }

  lookup(path: string): number | undefined {
    if (path === '' || path === '.') return TOP;
    const at = this.entry(path);
    return this.#folder(at.folder).get(at.name);
  }

  kindOf(inode: number): Inode['kind'] {
    return this.#inodes[inode]?.kind ?? 'file';
  }

  sizeOf(inode: number): number {
    return this.#sizes.get(inode) ?? 0;
  }

  #add(change: Change, label: string, start: number, end: number, names?: number): void {
    const op: DiskOp = { index: this.#ops.length, change, label, start, end, durable: Infinity };
    this.#ops.push(op);
    if (names === undefined) return;
    const known = this.#namings.get(names) ?? { ops: [], unlinked: false };
    known.ops.push(op);
    known.unlinked ||= change.type === 'unlink';
    this.#namings.set(names, known);
  }

  #isNamed(inode: number): boolean {
    return [...this.#names.values()].some((folder) => [...folder.values()].includes(inode));
  }

  create(path: string, kind: Inode['kind'], start: number, end: number): number {
    const at = this.entry(path);
    const inode = this.#newInode(kind, path);
    this.#folder(at.folder).set(at.name, inode);
    this.#add({ type: 'link', at, inode }, `${kind === 'folder' ? 'mkdir' : 'create'} ${path}`, start, end, inode);
    return inode;
  }

  link(from: string, to: string, start: number, end: number): void {
    const inode = this.lookup(from);
    if (inode === undefined) throw new Error(`The trace links a file that the model does not know: ${from}`);
    const at = this.entry(to);
    this.#folder(at.folder).set(at.name, inode);
    this.#add({ type: 'link', at, inode }, `link ${from} as ${to}`, start, end, inode);
  }

  unlink(path: string, start: number, end: number): void {
    const at = this.entry(path);
    const inode = this.#folder(at.folder).get(at.name);
    this.#folder(at.folder).delete(at.name);
    this.#add({ type: 'unlink', at }, `unlink ${path}`, start, end, inode);
  }

  rename(fromPath: string, toPath: string, start: number, end: number): void {
    const [from, to] = [this.entry(fromPath), this.entry(toPath)];
    const inode = this.#folder(from.folder).get(from.name);
    if (inode === undefined) throw new Error(`The trace renames a file that the model does not know: ${fromPath}`);
    this.#folder(from.folder).delete(from.name);
    this.#folder(to.folder).set(to.name, inode);
    this.#add({ type: 'rename', from, to, inode }, `rename ${fromPath} to ${toPath}`, start, end, inode);
  }

  write(inode: number, offset: number, data: Buffer, start: number, end: number): void {
    if (data.length === 0) return;
    this.#sizes.set(inode, Math.max(this.sizeOf(inode), offset + data.length));
    this.#add(
      { type: 'write', inode, offset, data },
      `write ${this.#label(inode)} at ${offset}, ${data.length} bytes`,
      start,
      end,
    );
  }

  resize(inode: number, size: number, only: 'any' | 'growing', start: number, end: number): void {
    const before = this.sizeOf(inode);
    const after = only === 'growing' ? Math.max(before, size) : size;
    if (after === before) return;
    this.#sizes.set(inode, after);
    this.#add(
      { type: 'size', inode, size, only },
      `size of ${this.#label(inode)} from ${before} to ${after} bytes`,
      start,
      end,
    );
  }

  sync(inode: number | 'all', start: number, end: number): void {
    this.#syncs.push({ inode, start, end });
  }

  depart(sig: string, start: number): void {
    if (!this.#departures.has(sig)) this.#departures.set(sig, { start, sig });
  }

  #label(inode: number): string {
    return this.#inodes[inode]?.label ?? String(inode);
  }

  close(lastEvent: number): DiskHistory {
    for (const op of this.#ops) {
      op.durable = Math.max(...touched(op.change).map((inode) => this.#syncedAt(inode, op.end)));
      const { change } = op;
      if (change.type === 'rename')
        op.halves = { to: this.#syncedAt(change.to.folder, op.end), from: this.#syncedAt(change.from.folder, op.end) };
    }
    const goneFrom = new Map<number, number>();
    for (const [inode, names] of this.#namings) {
      if (names.unlinked && !this.#isNamed(inode))
        goneFrom.set(inode, Math.max(...names.ops.map(({ durable }) => durable)));
    }
    const departures = [...this.#departures.values()];
    const events = [
      ...this.#ops.flatMap(({ start, end }) => [start, end]),
      ...this.#syncs.map(({ end }) => end),
      ...departures.map(({ start }) => start),
    ];
    return {
      base: this.#base,
      inodes: this.#inodes,
      goneFrom,
      baseFiles: this.#baseFiles,
      baseEntries: this.#baseEntries,
      ops: this.#ops,
      departures,
      cuts: [...new Set(events.filter(Number.isFinite))].sort((a, b) => a - b),
      lastEvent,
    };
  }

  /** Return of the first fsync that began after `end`: an earlier one need not cover the change. */
  #syncedAt(inode: number, end: number): number {
    const returns = this.#syncs
      .filter((sync) => (sync.inode === inode || sync.inode === 'all') && sync.start > end)
      .map((sync) => sync.end);
    return Math.min(Infinity, ...returns);
  }
}

/**
 * Inodes to fsync before a change is surely on the disk: the file for its bytes and size; the folder for an entry (an
 * fsync of a new file does not cover its entry: POSIX promises no more); both folders for a rename, each for its half.
 */
function touched(change: Change): number[] {
  switch (change.type) {
    case 'write':
    case 'size':
      return [change.inode];
    case 'link':
    case 'unlink':
      return [change.at.folder];
    case 'rename':
      return [change.from.folder, change.to.folder];
  }
}
