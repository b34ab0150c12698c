const UNITS = [
  [1e9, 'GB'],
  [1e6, 'MB'],
] as const;

/** Size for people, in powers of ten: `512 B`, `640 KB`, `3.1 MB`, `1.1 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${Math.round(bytes)} B`;
  for (const [size, unit] of UNITS) {
    const value = bytes / size;
    if (value >= 1) return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ${unit}`;
  }
  return `${Math.round(bytes / 1e3)} KB`;
}
