import type { Change, DiskHistory, DiskOp } from './disk-history';
import { TOP } from './disk-history';
import { streamOf } from './random';
import type { Tree } from './tree';

/** Fate of the parts of a write, on the disk or not. */
export interface Torn {
  readonly kind: 'torn';
  /** Bytes that the disk writes atomically; sectors are aligned to multiples of it in the file. */
  readonly sector: 512 | 4096;
  /** True for each touched sector, in order, that has the new bytes. */
  readonly kept: readonly boolean[];
  /** True if the file's size counts the whole write; otherwise it ends at the last surviving sector. */
  readonly size: 'whole' | 'kept';
  /** Content of a grown file without its bytes: zeros, or what the disk held before. */
  readonly gaps: 'zeros' | 'garbage';
}

/** Effect of a power cut on a change that no fsync covered. */
export type Fate = { readonly kind: 'dropped' } | { readonly kind: 'kept' } | Torn;

export const DROPPED: Fate = { kind: 'dropped' };
export const KEPT: Fate = { kind: 'kept' };

/**
 * Changes that a cut after `event` may lose: begun by then, and not covered by a returned fsync. Writes to a file that
 * no disk can show are omitted, as they make no difference.
 */
export function pendingAt(history: DiskHistory, event: number): DiskOp[] {
  return history.ops.filter(
    (op) =>
      op.start <= event &&
      op.durable > event &&
      !('offset' in op.change && (history.goneFrom.get(op.change.inode) ?? Infinity) <= event),
  );
}

/** Number of sectors of that size that a write touches. */
export function sectorsOf(change: Extract<Change, { type: 'write' }>, sector: number): number {
  return Math.floor((change.offset + change.data.length - 1) / sector) - Math.floor(change.offset / sector) + 1;
}

/**
 * Disk at power-on after a cut: everything synced, and the rest by its `fate`. Changes are independent of each other,
 * across files and within one: later ones may be present and earlier ones not.
 *
 * @param contents cache for many disks of one history: most files equal those of the previous disk
 */
export function diskAfterCut(
  history: DiskHistory,
  event: number,
  fate: (op: DiskOp) => Fate,
  contents = new Contents(history),
): Tree {
  const names = new Map<number, Map<string, number>>();
  const folder = (id: number): Map<string, number> => {
    const found = names.get(id) ?? new Map<string, number>();
    names.set(id, found);
    return found;
  };
  for (const { at, inode } of history.baseEntries) folder(at.folder).set(at.name, inode);
  const written = new Map<number, Written>();
  for (const op of history.ops) {
    const { change } = op;
    const its = op.start > event ? DROPPED : op.durable <= event ? KEPT : fate(op);
    if (change.type === 'write' || change.type === 'size') {
      const file = written.get(change.inode) ?? new Written();
      written.set(change.inode, file);
      file.add(op, its);
      continue;
    }
    if (op.start > event) continue;
    if (its.kind === 'dropped') {
      // A rename is present whole or not at all, except for what the fsync of one of its folders promised for that
      // folder.
      if (change.type === 'rename' && (op.halves?.from ?? Infinity) <= event)
        folder(change.from.folder).delete(change.from.name);
      if (change.type === 'rename' && (op.halves?.to ?? Infinity) <= event)
        folder(change.to.folder).set(change.to.name, change.inode);
      continue;
    }
    if (change.type === 'link') folder(change.at.folder).set(change.at.name, change.inode);
    else if (change.type === 'unlink') folder(change.at.folder).delete(change.at.name);
    else if (change.type === 'rename') {
      if (folder(change.from.folder).get(change.from.name) === change.inode)
        folder(change.from.folder).delete(change.from.name);
      folder(change.to.folder).set(change.to.name, change.inode);
    }
  }
  const folders: string[] = [];
  const files = new Map<string, Buffer>();
  const walk = (id: number, below: string): void => {
    for (const [name, inode] of folder(id)) {
      const path = below === '' ? name : `${below}/${name}`;
      if (history.inodes[inode]?.kind === 'folder') {
        folders.push(path);
        walk(inode, path);
      } else files.set(path, contents.of(inode, written.get(inode) ?? NOTHING));
    }
  };
  walk(TOP, '');
  return { folders, files };
}

type There = Exclude<Fate, { kind: 'dropped' }>;

/** Surviving writes to one file, in the order of their return. */
class Written {
  readonly there: { readonly op: DiskOp; readonly fate: There }[] = [];
  #last = -1;
  #otherwise = '';
  #lost: number[] = [];

  add(op: DiskOp, fate: Fate): void {
    if (fate.kind === 'dropped') {
      this.#lost.push(op.index);
      return;
    }
    this.there.push({ op, fate });
    if (this.#lost.length > 0) this.#otherwise += `${this.#lost.join(' ')} `;
    if (fate.kind === 'torn')
      this.#otherwise += `${op.index}:${fate.sector}${fate.kept.map((kept) => (kept ? 'x' : '.')).join('')}${fate.size}${fate.gaps} `;
    this.#lost = [];
    this.#last = op.index;
  }

  /**
   * Cache key, equal for the same changes with the same fates: the last that is present, and the earlier ones that are
   * not whole.
   */
  get name(): string {
    return `${this.#last}|${this.#otherwise}`;
  }
}

const NOTHING = new Written();

/** Number of file contents in the byte cache. */
const CONTENTS_KEPT = 24;

/** File contents on the disks of one history: recent ones are returned again, as the same unmodified buffer. */
export class Contents {
  readonly #history: DiskHistory;
  readonly #known = new Map<number, Map<string, Buffer>>();

  constructor(history: DiskHistory) {
    this.#history = history;
  }

  of(inode: number, written: Written): Buffer {
    const its = this.#known.get(inode) ?? new Map<string, Buffer>();
    this.#known.set(inode, its);
    const { name } = written;
    const bytes = its.get(name) ?? contentOf(this.#history.baseFiles.get(inode), written.there);
    // The latest entry is last; the first is evicted.
    its.delete(name);
    its.set(name, bytes);
    const [oldest] = its.keys();
    if (its.size > CONTENTS_KEPT && oldest !== undefined) its.delete(oldest);
    return bytes;
  }
}

function contentOf(
  base: Buffer | undefined,
  changes: readonly { readonly op: DiskOp; readonly fate: There }[],
): Buffer {
  let room = base?.length ?? 0;
  for (const { op } of changes) {
    if (op.change.type === 'write') room = Math.max(room, op.change.offset + op.change.data.length);
    else if (op.change.type === 'size') room = Math.max(room, op.change.size);
  }
  const bytes = Buffer.alloc(room);
  base?.copy(bytes);
  let size = base?.length ?? 0;
  for (const { op, fate } of changes) {
    const { change } = op;
    if (change.type === 'size') {
      const next = change.only === 'growing' ? Math.max(size, change.size) : change.size;
      if (next < size) bytes.fill(0, next, size);
      size = next;
    } else if (change.type === 'write') {
      if (fate.kind === 'kept') {
        change.data.copy(bytes, change.offset);
        size = Math.max(size, change.offset + change.data.length);
      } else size = tear(bytes, size, op, change, fate);
    }
  }
  return bytes.subarray(0, size);
}

function tear(bytes: Buffer, size: number, op: DiskOp, change: Extract<Change, { type: 'write' }>, torn: Torn): number {
  const garbage = torn.gaps === 'garbage' ? streamOf(op.index, torn.sector).bytes(change.data.length) : undefined;
  const end = change.offset + change.data.length;
  let [at, sector, reached] = [change.offset, 0, size];
  while (at < end) {
    const next = Math.min(end, (Math.floor(at / torn.sector) + 1) * torn.sector);
    if (torn.kept[sector] === true) {
      change.data.copy(bytes, at, at - change.offset, next - change.offset);
      reached = Math.max(reached, next);
    } else if (next > size) {
      // Only where the file grew: an existing sector keeps its old bytes.
      const grown = Math.max(at, size);
      garbage?.copy(bytes, grown, grown - change.offset, next - change.offset);
    }
    at = next;
    sector++;
  }
  return torn.size === 'whole' ? Math.max(size, end) : reached;
}

/** Readable line: which change, and its fate. */
export function describe(op: DiskOp, fate: Fate): string {
  const words =
    fate.kind === 'torn'
      ? `torn in sectors of ${fate.sector}: [${fate.kept.map((kept) => (kept ? 'x' : '.')).join('')}], size ${fate.size}, gaps ${fate.gaps}`
      : fate.kind;
  return `#${op.index} (events ${op.start}-${op.end}) ${op.label}: ${words}`;
}
