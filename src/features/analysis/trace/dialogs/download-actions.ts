import type { TraceImage } from '../../../../data/repositories';
import { csvFile, downloadName, geojsonFile, type DownloadKind } from '../../../../domain/analysis/free-draw/downloads';
import { startDownload } from '../../../../platform/save-file';
import { savedWork } from '../../canvas/cover';
import type { OpenTraceEditor } from '../../canvas/use-trace-editor';
import type { DownloadAction } from './MoreActionsDialog';

interface Props {
  readonly image: TraceImage;
  readonly openEditor: OpenTraceEditor;
  readonly size: { readonly width: number; readonly height: number };
}

/** Analysis as it would be saved now (2§2 "download analysis"). */
export function downloadActions({ image, openEditor: { editor, session }, size }: Props): readonly DownloadAction[] {
  const download = (kind: DownloadKind, make: () => BlobPart | Promise<BlobPart>) => async (): Promise<void> => {
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
  const work = async () => savedWork(editor.marks, (await session.discardStroke()).counts);
  return [
    { label: 'Download GeoJSON', run: download('geojson', async () => geojsonFile((await work()).marks, facts())) },
    { label: 'Download PNG overlay', run: download('png', () => pngOf(session.canvas)) },
    { label: 'Download CSV', run: download('csv', async () => csvFile((await work()).stats)) },
  ];
}

/** Encodes the marks alone, on a transparent ground. */
async function pngOf(marks: HTMLCanvasElement): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = marks.width;
  canvas.height = marks.height;
  const context = canvas.getContext('2d');
  context?.drawImage(marks, 0, 0);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (context === null || blob === null) throw new Error('This browser could not make the picture.');
  return blob;
}
