import { HistoryBuilder } from './disk-history';
import type { DiskHistory } from './disk-history';
import type { TracedCall } from './trace-lines';
import { bytesOf, descriptorOf, textOf, vectorOf } from './trace-lines';
import type { Tree } from './tree';
import { isLeftOut } from './tree';

/** Open file description: duplicated descriptors share one, and its position. */
interface OpenFile {
  readonly inode: number | 'early' | 'left-out';
  readonly path: string;
  readonly appends: boolean;
  readonly reads: boolean;
  position: number;
}

export interface TraceScope {
  /** Folder used as the disk: real path without links. */
  readonly top: string;
  /** File outside it: writes to it count as sent, as if through a socket (used by a planted defect). */
  readonly early: string;
  readonly base: Tree;
}

/**
 * Reads the effect of recorded calls on the disk. It refuses calls that it cannot follow: a model that misses a write
 * proves nothing.
 *
 * @param traces calls of one or more runs on the same disk, in order; the page cache outlives a killed process
 */
export function historyOf(traces: readonly (readonly TracedCall[])[], scope: TraceScope): DiskHistory {
  const reader = new TraceReader(scope);
  let shift = 0;
  for (const calls of traces) shift = reader.run(calls, shift);
  return reader.builder.close(shift);
}

class TraceReader {
  readonly builder: HistoryBuilder;
  readonly #scope: TraceScope;
  /**
   * Threads share descriptors; a forked process has its own empty table, so writing through an inherited descriptor is
   * refused.
   */
  #groups = new Map<number, number>();
  #tables = new Map<number, Map<number, OpenFile>>();
  /** Last bytes sent through each socket. */
  readonly #sent = new Map<string, string>();

  constructor(scope: TraceScope) {
    this.#scope = scope;
    this.builder = new HistoryBuilder(scope.base);
  }

  run(calls: readonly TracedCall[], shift: number): number {
    this.#groups = new Map();
    this.#tables = new Map();
    // A call takes its descriptor when it begins, and has taken effect when it returns.
    const steps = calls.flatMap((call) => [
      { at: call.start, call, step: 'begin' as const },
      { at: call.end ?? Infinity, call, step: 'return' as const },
    ]);
    steps.sort((a, b) => a.at - b.at);
    const files = new Map<TracedCall, OpenFile | undefined>();
    let last = 0;
    for (const { at, call, step } of steps) {
      if (Number.isFinite(at)) last = Math.max(last, at);
      if (step === 'begin') {
        files.set(call, this.#fileOf(call));
        if (SENDS.has(call.name)) this.#send(call, shift + call.start);
        if (call.name === 'close') this.#table(call.pid).delete(Number(descriptorOf(call.args[0] ?? '').fd));
      } else
        this.#apply(call, files.get(call), {
          start: shift + call.start,
          end: call.end === undefined ? Infinity : shift + call.end,
        });
    }
    return shift + last;
  }

  #table(pid: number): Map<number, OpenFile> {
    const group = this.#groups.get(pid) ?? pid;
    const table = this.#tables.get(group) ?? new Map<number, OpenFile>();
    this.#tables.set(group, table);
    return table;
  }

  /** Path below the disk's top; undefined for one elsewhere. */
  #below(path: string): string | undefined {
    if (path === this.#scope.top) return '';
    return path.startsWith(`${this.#scope.top}/`) ? path.slice(this.#scope.top.length + 1) : undefined;
  }

  /** File whose bytes a call works on, checked against the kernel's name for it. */
  #fileOf(call: TracedCall): OpenFile | undefined {
    if (!BY_DESCRIPTOR.has(call.name)) return undefined;
    const arg = call.args[call.name === 'mmap' ? 4 : 0] ?? '';
    if (!/^\d/.test(arg)) return undefined;
    const { fd, path } = descriptorOf(arg);
    const known = this.#table(call.pid).get(Number(fd));
    const ours = path !== undefined && (this.#below(path) !== undefined || path === this.#scope.early);
    if (ours !== (known !== undefined) && call.name !== 'close') {
      throw new Error(
        `The trace is not followed: ${call.name} on ${path ?? fd}, which the model ${known === undefined ? 'does not have open' : `takes for ${known.path}`}.`,
      );
    }
    return ours ? known : undefined;
  }

  /** Data through a socket counts from the start of the call: the receiver may have it before the call returns. */
  #send(call: TracedCall, start: number): void {
    const { path } = descriptorOf(call.args[0] ?? '');
    if (path === undefined || !path.startsWith('socket:') || (call.result !== undefined && call.result < 0)) return;
    this.#depart(path, dataOf(call), start);
  }

  #depart(channel: string, data: Buffer, start: number): void {
    // A packet boundary may split a receipt.
    const text = (this.#sent.get(channel) ?? '') + data.toString('latin1');
    for (const [, sig] of text.matchAll(/\\?"sig\\?":\\?"([A-Za-z0-9_-]{86})/g))
      if (sig !== undefined) this.builder.depart(sig, start);
    this.#sent.set(channel, text.slice(-100));
  }

  #path(call: TracedCall, at: number | undefined, arg: number): string {
    const named = textOf(call.args[arg] ?? '');
    if (named.startsWith('/')) return named.replace(/\/+$/, '');
    const folder = at === undefined ? undefined : descriptorOf(call.args[at] ?? '').path;
    if (folder === undefined)
      throw new Error(
        `The trace names a file by a relative path, which the model does not follow: ${call.name} ${named}`,
      );
    return `${folder}/${named}`.replace(/\/+$/, '');
  }

  #apply(call: TracedCall, file: OpenFile | undefined, { start, end }: { start: number; end: number }): void {
    if (call.result !== undefined && call.result < 0) {
      // A failed fsync leaves no promise; any other failed call leaves no change.
      return;
    }
    const { builder } = this;
    switch (call.name) {
      case 'clone':
      case 'clone3':
      case 'fork':
      case 'vfork':
        if (call.result !== undefined && call.args.some((arg) => arg.includes('CLONE_FILES')))
          this.#groups.set(call.result, this.#groups.get(call.pid) ?? call.pid);
        return;
      case 'open':
      case 'creat':
      case 'openat':
        this.#open(call, start, end);
        return;
      case 'dup':
      case 'dup2':
      case 'dup3':
      case 'fcntl':
        if (call.result === undefined || (call.name === 'fcntl' && call.args[1]?.startsWith('F_DUPFD') !== true))
          return;
        if (file === undefined) this.#table(call.pid).delete(call.result);
        else this.#table(call.pid).set(call.result, file);
        return;
      case 'lseek':
        if (file !== undefined && call.result !== undefined) file.position = call.result;
        return;
      case 'write':
      case 'writev':
        if (file !== undefined) this.#writeNext(file, call, start, end);
        return;
      case 'pwrite64':
      case 'pwritev':
      case 'pwritev2':
        if (file !== undefined) this.#writeAt(file, Number(call.args[3]), dataOf(call), start, end);
        return;
      case 'ftruncate':
        if (typeof file?.inode === 'number') builder.resize(file.inode, Number(call.args[1]), 'any', start, end);
        return;
      case 'fallocate':
        if (typeof file?.inode !== 'number') return;
        if (call.args[1] === '0')
          builder.resize(file.inode, Number(call.args[2]) + Number(call.args[3]), 'growing', start, end);
        else if (call.args[1] !== 'FALLOC_FL_KEEP_SIZE')
          throw new Error(`The model does not know fallocate ${call.args[1] ?? ''}.`);
        return;
      case 'fsync':
      case 'fdatasync':
        // Neither omits anything that a reader needs: fdatasync covers a changed size too (see its manual page).
        if (typeof file?.inode === 'number') builder.sync(file.inode, start, end);
        return;
      case 'mmap':
        if (
          file !== undefined &&
          file.inode !== 'left-out' &&
          call.args[2]?.includes('PROT_WRITE') === true &&
          call.args[3]?.includes('MAP_SHARED') === true
        ) {
          throw new Error(`${file.path} is written through memory, which no trace shows.`);
        }
        return;
      case 'io_uring_setup':
        throw new Error('The process set up io_uring, whose writes no trace shows.');
      case 'sendfile':
      case 'copy_file_range':
      case 'splice':
        if (this.#touchesDisk(call.args[call.name === 'sendfile' ? 0 : 2] ?? ''))
          throw new Error(`The model does not know ${call.name} into a file.`);
        return;
      default:
        this.#names(call, start, end);
    }
  }

  #touchesDisk(descriptor: string): boolean {
    const path = /^\d/.test(descriptor) ? descriptorOf(descriptor).path : undefined;
    return path !== undefined && this.#below(path) !== undefined;
  }

  #open(call: TracedCall, start: number, end: number): void {
    const at = call.name === 'openat' ? 0 : undefined;
    const pathArg = at === undefined ? 0 : 1;
    const named = textOf(call.args[pathArg] ?? '');
    if (!named.startsWith('/') && at === undefined) return;
    const path = this.#path(call, at, pathArg);
    const below = this.#below(path);
    if (below === undefined && path !== this.#scope.early) {
      if (call.result !== undefined) this.#table(call.pid).delete(call.result);
      return;
    }
    const flags = call.name === 'creat' ? 'O_WRONLY|O_CREAT|O_TRUNC' : (call.args[pathArg + 1] ?? '');
    const has = (flag: string): boolean => flags.split('|').includes(flag);
    for (const flag of ['O_TMPFILE', 'O_SYNC', 'O_DSYNC'])
      if (has(flag)) throw new Error(`The model does not know ${flag} (${path}).`);
    let inode: OpenFile['inode'];
    if (below === undefined) inode = 'early';
    else if (isLeftOut(below)) inode = 'left-out';
    else {
      const found = this.builder.lookup(below);
      if (found === undefined && !has('O_CREAT'))
        throw new Error(`The trace opens a file that the model does not have: ${below}`);
      inode = found ?? this.builder.create(below, 'file', start, end);
      if (has('O_TRUNC')) this.builder.resize(inode, 0, 'any', start, end);
    }
    if (call.result === undefined) return;
    this.#table(call.pid).set(call.result, {
      inode,
      path,
      appends: has('O_APPEND'),
      reads: has('O_RDWR'),
      position: 0,
    });
  }

  #writeNext(file: OpenFile, call: TracedCall, start: number, end: number): void {
    const data = dataOf(call);
    if (typeof file.inode === 'number') {
      // Reads are not recorded, so the position of a file that is also read this way would be a guess.
      if (file.reads && !file.appends)
        throw new Error(`The model does not follow the place of ${file.path}, which is read and written in turn.`);
      if (file.appends) file.position = this.builder.sizeOf(file.inode);
    }
    this.#writeAt(file, file.position, data, start, end);
    file.position += data.length;
  }

  #writeAt(file: OpenFile, offset: number, data: Buffer, start: number, end: number): void {
    if (file.inode === 'early') this.#depart(file.path, data, start);
    else if (typeof file.inode === 'number') this.builder.write(file.inode, offset, data, start, end);
  }

  #names(call: TracedCall, start: number, end: number): void {
    const one = (at: number | undefined, arg: number): string | undefined => {
      const named = textOf(call.args[arg] ?? '');
      if (at === undefined && !named.startsWith('/')) return undefined;
      const below = this.#below(this.#path(call, at, arg));
      return below === undefined || isLeftOut(below) ? undefined : below;
    };
    const two = (from: string | undefined, to: string | undefined, apply: (from: string, to: string) => void): void => {
      if (from === undefined && to === undefined) return;
      if (from === undefined || to === undefined)
        throw new Error(`The model does not follow a ${call.name} into or out of the disk.`);
      apply(from, to);
    };
    const { builder } = this;
    switch (call.name) {
      case 'rename':
        return two(one(undefined, 0), one(undefined, 1), (from, to) => builder.rename(from, to, start, end));
      case 'renameat':
      case 'renameat2':
        if (call.args[4] !== undefined && !['0', 'RENAME_NOREPLACE'].includes(call.args[4]))
          throw new Error(`The model does not know ${call.args[4]}.`);
        return two(one(0, 1), one(2, 3), (from, to) => builder.rename(from, to, start, end));
      case 'link':
        return two(one(undefined, 0), one(undefined, 1), (from, to) => builder.link(from, to, start, end));
      case 'linkat':
        return two(one(0, 1), one(2, 3), (from, to) => builder.link(from, to, start, end));
      case 'unlink':
      case 'rmdir':
      case 'unlinkat':
      case 'mkdir':
      case 'mkdirat': {
        const path = call.name.endsWith('at') ? one(0, 1) : one(undefined, 0);
        if (path === undefined) return undefined;
        if (call.name.startsWith('mkdir')) builder.create(path, 'folder', start, end);
        else builder.unlink(path, start, end);
        return undefined;
      }
      case 'truncate': {
        const path = one(undefined, 0);
        const inode = path === undefined ? undefined : builder.lookup(path);
        if (inode !== undefined) builder.resize(inode, Number(call.args[1]), 'any', start, end);
        return undefined;
      }
      case 'sync':
        builder.sync('all', start, end);
        return undefined;
      case 'close':
      case 'close_range':
      case 'sendto':
      case 'sendmsg':
        return undefined;
      case 'sync_file_range':
      case 'msync':
        // Neither makes anything durable.
        return undefined;
      case 'symlink':
      case 'symlinkat':
      case 'mknod':
      case 'mknodat':
      case 'openat2':
      case 'syncfs':
      case 'chdir':
      case 'fchdir':
        throw new Error(`The model does not know ${call.name} ${call.args.map((arg) => arg.slice(0, 80)).join(', ')}.`);
      default:
        throw new Error(`The trace holds a call that the model does not know: ${call.name}.`);
    }
  }
}

const BY_DESCRIPTOR = new Set([
  'close',
  'dup',
  'dup2',
  'dup3',
  'fcntl',
  'lseek',
  'write',
  'pwrite64',
  'writev',
  'pwritev',
  'pwritev2',
  'ftruncate',
  'fallocate',
  'fsync',
  'fdatasync',
  'mmap',
]);

const SENDS = new Set(['write', 'writev', 'sendto', 'sendmsg']);

/** Bytes written by a call: as many as it returned, or all if it never returned. */
function dataOf(call: TracedCall): Buffer {
  if (call.args[1] === 'NULL' && call.args[2] === '0') return Buffer.alloc(0);
  const all = /v2?$|^sendmsg$/.test(call.name) ? vectorOf(call.args[1] ?? '') : bytesOf(call.args[1] ?? '');
  return call.result === undefined ? all : all.subarray(0, call.result);
}
