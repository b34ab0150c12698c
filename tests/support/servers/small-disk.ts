import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

/** A disk of its own (memory) that is full soon. */
export interface SmallDisk {
  readonly path: string;
  /** Makes it as large as this. */
  grow(megabytes: number): void;
  remove(): void;
}

/** @throws Error where this is not root's process: mounting is root's */
export function smallDisk(folder: string, name: string, megabytes: number): SmallDisk {
  if (process.getuid?.() !== 0)
    throw new Error('The full-disk tests mount a small tmpfs and need root: run them as root (the CI does).');
  const place = path.join(folder, name);
  mkdirSync(place);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', place]);
  return {
    path: place,
    grow: (size) => void execFileSync('mount', ['-o', `remount,size=${size}m`, place]),
    remove: () => void execFileSync('umount', [place]),
  };
}
