/** Parses one range of RFC 9110; undefined for none, or for a form that may be ignored. */
export function byteRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'beyond' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return last === '0' ? 'beyond' : { start: Math.max(0, size - Number(last)), end: size - 1 };
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'beyond' : { start, end };
}
