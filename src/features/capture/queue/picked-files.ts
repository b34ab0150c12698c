import { pluralize } from '../../../base/plural';
import type { ChosenFile } from '../../../domain/custody/intake';

export interface LeftOutFile {
  readonly name: string;
  readonly why: string;
}

export interface PickedFiles {
  readonly photographs: readonly File[];
  readonly leftOut: readonly LeftOutFile[];
}

/** Compares names as people count: `P9` before `P10`. */
const NATURAL = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Files by folder and name, as a camera numbers them: a chooser or a drop gives them in any order. */
export function sortByName(files: readonly File[]): readonly File[] {
  const nameOf = (file: File): string => file.webkitRelativePath || file.name;
  return [...files].sort((a, b) => NATURAL.compare(nameOf(a), nameOf(b)));
}

/** Extensions; the true type comes from the first bytes. */
const PHOTOGRAPHS = new Set([
  'jpg',
  'jpeg',
  'jpe',
  'jfif',
  'png',
  'webp',
  'avif',
  'heic',
  'heif',
  'hif',
  'tif',
  'tiff',
  'dng',
]);
const RAW = new Set(['orf', 'nef', 'cr2', 'cr3', 'arw', 'rw2', 'raf', 'gpr', 'pef', 'srw']);
const VIDEOS = new Set(['mov', 'mp4', 'm4v', 'avi', 'mts', 'm2ts', 'mpg', 'mpeg', 'webm', 'mkv', 'insv', 'lrv', '3gp']);
const SYSTEM = new Set(['.ds_store', 'thumbs.db', 'desktop.ini', 'icon\r']);

/** Sorts a folder: cards also hold videos, thumbnails and system files. Files picked singly are not sorted. */
export function sortFolder(files: readonly File[]): PickedFiles {
  const photographs: File[] = [];
  const leftOut: LeftOutFile[] = [];
  for (const file of files) {
    const why = leftOutReason(file);
    if (why === undefined) photographs.push(file);
    else leftOut.push({ name: file.name, why });
  }
  return { photographs, leftOut };
}

function leftOutReason({ name, type }: File): string | undefined {
  const lower = name.toLowerCase();
  if (SYSTEM.has(lower) || lower.startsWith('._') || lower.startsWith('.')) return 'a system file';
  const ending = /\.([a-z0-9]+)$/.exec(lower)?.[1] ?? '';
  if (VIDEOS.has(ending) || type.startsWith('video/')) return 'a video';
  if (PHOTOGRAPHS.has(ending) || RAW.has(ending)) return undefined;
  if (type.startsWith('image/') && type !== 'image/svg+xml') return undefined;
  return 'not a photograph';
}

/** "9 videos, 3 other files", most first. */
export function leftOutText(leftOut: readonly LeftOutFile[]): string {
  const byReason = new Map<string, number>();
  for (const { why } of leftOut) byReason.set(why, (byReason.get(why) ?? 0) + 1);
  return [...byReason]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([why, n]) => `${n.toLocaleString('en')} ${pluralReason(why, n)}`)
    .join(', ');
}

function pluralReason(why: string, n: number): string {
  switch (why) {
    case 'a video':
      return pluralize(n, 'video');
    case 'a system file':
      return pluralize(n, 'system file');
    case 'not a photograph':
      return pluralize(n, 'other file');
    default:
      return why;
  }
}

/** Longest time to block the thread, ms. */
const SLICE_MS = 10;

/**
 * Name, size and time of each file. Each blocks on the disk: two thousand at once would stop the page for a second, so
 * it yields.
 */
export async function describeFiles(files: readonly File[]): Promise<readonly ChosenFile[]> {
  const described: ChosenFile[] = [];
  let until = performance.now() + SLICE_MS;
  for (const { name, size, lastModified } of files) {
    described.push({ name, size, lastModified });
    if (performance.now() < until) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    until = performance.now() + SLICE_MS;
  }
  return described;
}

/** Used part of a drop item; react-aria's fit. */
export type DroppedItem =
  | { readonly kind: 'file'; readonly getFile: () => Promise<File> }
  | { readonly kind: 'directory'; readonly getEntries: () => AsyncIterable<DroppedItem> }
  | { readonly kind: 'text' };

/** Files of a drop; folders are walked and sorted. Unreadable files count as left out. */
export async function readDroppedFiles(items: readonly DroppedItem[]): Promise<PickedFiles> {
  const loose: File[] = [];
  const inside: File[] = [];
  const leftOut: LeftOutFile[] = [];
  const walk = async (item: DroppedItem, into: File[]): Promise<void> => {
    try {
      if (item.kind === 'file') into.push(await item.getFile());
      else if (item.kind === 'directory') for await (const entry of item.getEntries()) await walk(entry, inside);
    } catch (error) {
      leftOut.push({
        name: 'name' in item && typeof item.name === 'string' ? item.name : 'a file',
        why: `could not be opened (${error instanceof Error ? error.message : String(error)})`,
      });
    }
  };
  for (const item of items) await walk(item, loose);
  const sorted = sortFolder(inside);
  return { photographs: [...loose, ...sorted.photographs], leftOut: [...sorted.leftOut, ...leftOut] };
}
