import type { TraceImage } from '../../../data/repositories';
import { csvFile, downloadName, geojsonFile, type DownloadKind } from '../../../domain/analysis/free-draw/downloads';
import { startDownload } from '../../../platform/save-file';
import { savedWork } from './cover';
import type { EaselParts } from './use-easel';
import type { DownloadWay } from './WaysSheet';

interface Props {
  readonly image: TraceImage;
  readonly parts: EaselParts;
  readonly size: { readonly width: number; readonly height: number };
}

/** The analysis as it would be saved now, as files (2§2 "download analysis"). */
export function downloadWays({ image, parts: { easel, session }, size }: Props): readonly DownloadWay[] {
  const give = (kind: DownloadKind, make: () => BlobPart | Promise<BlobPart>) => async (): Promise<void> => {
    const { name, type } = downloadName(kind, image);
    startDownload(name, new Blob([await make()], { type }));
  };
  const { survey } = image;
  const facts = () => ({
    savedAt: Date.now(),
    imageId: image.id,
    survey: { id: survey.id, name: survey.name, ...(survey.regionId === null ? {} : { regionId: survey.regionId }) },
    ...size,
  });
  const work = async () => savedWork(easel.marks, (await session.giveUp()).counts);
  return [
    { word: 'Download GeoJSON', run: give('geojson', async () => geojsonFile((await work()).marks, facts())) },
    { word: 'Download PNG overlay', run: give('png', () => pngOf(session.canvas)) },
    { word: 'Download CSV', run: give('csv', async () => csvFile((await work()).stats)) },
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
