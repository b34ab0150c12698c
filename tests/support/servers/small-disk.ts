import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

/** Small in-memory disk that fills up soon. */
export interface SmallDisk {
  readonly path: string;
  /** Resizes it. */
  grow(megabytes: number): void;
  remove(): void;
}

/** @throws Error if the process is not root's, as only root can mount */
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
