import { writeCsv } from '../../csv/csv-writer';
import { categoryClass } from './categories';
import { colourOf } from './colours';
import type { FreeDrawMark, PictureFacts } from './marks';
import { tracesOf } from './marks';
import type { FreeDrawStats } from './stats';

/** Download format of an analysis (2§2 "download analysis"). */
export type DownloadKind = 'geojson' | 'png' | 'csv';

const FILE_FORMATS: Readonly<Record<DownloadKind, { readonly ending: string; readonly type: string }>> = {
  geojson: { ending: 'geojson', type: 'application/geo+json' },
  png: { ending: 'png', type: 'image/png' },
  csv: { ending: 'csv', type: 'text/csv' },
};
/** Longest file name stem, characters. */
const NAME_MAX = 80;

/**
 * Portable file name and media type of a download. @param name of the photograph's file; the id is used if nothing of
 * it is usable
 */
export function downloadName(
  kind: DownloadKind,
  { name, id }: { readonly name: string; readonly id: string },
): { readonly name: string; readonly type: string } {
  const { ending, type } = FILE_FORMATS[kind];
  const last = name.split(/[\\/]/).at(-1) ?? '';
  const stem = [last.replace(/\.[^.]*$/, ''), id, 'photograph'].map(safeFileName).find((text) => text !== '') ?? '';
  return { name: `${stem}-analysis.${ending}`, type };
}

/** Replaces unsafe characters and truncates at whole characters. */
const safeFileName = (text: string): string =>
  [...text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+/, '')]
    .slice(0, NAME_MAX)
    .join('')
    .replace(/[-.]+$/, '');

/** Marks as a GeoJSON file; coordinates are normalised, 0 to 1 (2§3 "Geojson"). */
export function geojsonFile(marks: readonly FreeDrawMark[], facts: PictureFacts): string {
  return `${JSON.stringify(tracesOf(marks, facts, colourOf), null, 1)}\n`;
}

/**
 * Stats as CSV (RFC 4180), one row per category: id, label, path, mod, coverage (fraction) and colour (2§3 "colour on
 * download").
 */
export function csvFile({ categories }: FreeDrawStats): string {
  const rows = categories.map(({ id, label, path, mod = '', coverage }) => {
    const category = categoryClass(id, mod);
    return [id, label, path.join(' > '), mod, coverage, category === undefined ? '' : colourOf(category)];
  });
  return writeCsv([['id', 'label', 'path', 'mod', 'coverage', 'colour'], ...rows]);
}
