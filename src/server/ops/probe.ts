/**
 * Named points before and after each step of the intake that a power cut can split. The fault tests kill the process at
 * every one; production passes no probe. The list is exhaustive: a step without its two points is untested.
 */
export const PROBE_POINTS = [
  // Announcement: the sidecar that lets a restart find the partial again.
  'blob.before-sidecar-write',
  'blob.after-sidecar-write',
  'blob.before-write',
  'blob.after-write',
  'blob.before-fdatasync',
  'blob.after-fdatasync',
  // The first acknowledged chunk: the names of partial and sidecar become durable.
  'blob.before-sidecar-fsync',
  'blob.after-sidecar-fsync',
  'blob.before-partials-fsync',
  'blob.after-partials-fsync',
  // The last chunk: bytes, journal of recent blobs, address, folders.
  'blob.before-fsync',
  'blob.after-fsync',
  'blob.before-journal-sync',
  'blob.after-journal-sync',
  'blob.before-mkdir',
  'blob.after-mkdir',
  'blob.before-rename',
  'blob.after-rename',
  'blob.before-shard-fsync',
  'blob.after-shard-fsync',
  'blob.before-target-fsync',
  'blob.after-target-fsync',
  'blob.before-source-fsync',
  'blob.after-source-fsync',
  'blob.before-sidecar-unlink',
  'blob.after-sidecar-unlink',
  'append.before-begin',
  'append.after-insert',
  'append.before-commit',
  'append.after-commit',
  'emit.before',
  'emit.after',
] as const;

export type ProbePoint = (typeof PROBE_POINTS)[number];

/** Called at each point. */
export type Probe = (point: ProbePoint) => void;
