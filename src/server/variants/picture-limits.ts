import os from 'node:os';

const MIB = 1024 * 1024;

/** Limits of a process that decodes photographs. */
export interface PictureLimits {
  /** Data of the process: heap, anonymous mappings, stacks of threads; bytes. */
  readonly memoryBytes: number;
  /** Processor time of one picture, ms: a busy machine marks no honest one. */
  readonly cpuMs: number;
  /** Time of one picture in all, ms; only a decoder that hangs takes so long. */
  readonly wallMs: number;
  /** Running time after which another process takes the pictures that wait, ms. */
  readonly holdMs: number;
  /** Running time after which a picture makes room for others, unless it is the only such one, ms. */
  readonly slowMs: number;
}

/** Memory of a process before its first picture, bytes; measured 70 to 85 MiB. */
const BASE_BYTES = 100 * MIB;
const SHARE_OF_MACHINE = 0.35;
const MEMORY_MIN = 256 * MIB;
const MEMORY_MAX = 640 * MIB;

/** Limits for this machine: two processes leave room for the server on a box of 1 GB. */
export function machinePictureLimits(machineBytes = availableBytes()): PictureLimits {
  return {
    memoryBytes: Math.round(Math.min(MEMORY_MAX, Math.max(MEMORY_MIN, SHARE_OF_MACHINE * machineBytes))),
    cpuMs: 30_000,
    wallMs: 600_000,
    holdMs: 1_000,
    slowMs: 10_000,
  };
}

/** Part of the limit that decoding may take, bytes. */
export function decodingBytes({ memoryBytes }: PictureLimits): number {
  return memoryBytes - BASE_BYTES;
}

/** Memory of the machine or of its container, bytes. */
function availableBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(os.totalmem(), constrained) : os.totalmem();
}
