import type { TraceImage } from '../../../data/repositories';
import { CATEGORY_CLASSES } from '../../../domain/analysis/free-draw/categories';
import { csvFile, downloadName, geojsonFile, type DownloadKind } from '../../../domain/analysis/free-draw/downloads';
import { statsOf } from '../../../domain/analysis/free-draw/stats';
import { offerDownload } from '../../../platform/save-file';
import type { EaselParts } from './use-easel';
import type { DownloadWay } from './WaysSheet';

interface Props {
  readonly image: TraceImage;
  readonly parts: EaselParts;
  readonly size: { readonly width: number; readonly height: number };
}

/** The analysis as it stands on the screen, as files (2§2 "download analysis"). */
export function downloadWays({ image, parts: { easel, session }, size }: Props): readonly DownloadWay[] {
  const give = (kind: DownloadKind, make: () => BlobPart | Promise<BlobPart>) => async (): Promise<void> => {
    const { name, type } = downloadName(kind, image);
    offerDownload(name, new Blob([await make()], { type }));
  };
  const { survey } = image;
  return [
    { word: 'Download GeoJSON', run: give('geojson', () => geojsonFile(easel.marks, { savedAt: Date.now(), imageId: image.id, survey: { id: survey.id, name: survey.name, ...(survey.regionId === null ? {} : { regionId: survey.regionId }) }, ...size })) },
    { word: 'Download PNG overlay', run: give('png', () => pngOf(session.canvas)) },
    { word: 'Download CSV', run: give('csv', async () => csvFile(statsOf((await session.giveUp()).counts, CATEGORY_CLASSES))) },
  ];
}

/** The marks alone, on nothing. */
async function pngOf(marks: HTMLCanvasElement): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = marks.width;
  canvas.height = marks.height;
  const context = canvas.getContext('2d');
  context?.drawImage(marks, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (context === null || blob === null) throw new Error('This browser made no picture.');
  return blob;
}
