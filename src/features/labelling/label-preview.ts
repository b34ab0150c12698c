import { labelOptionOf } from '../../domain/analysis/labelling/label-sets';
import type { Labelling } from '../../domain/analysis/labelling/labelling';
import { PALETTE_COLOURS } from '../../domain/analysis/palette';
import { ANALYSIS_LIMITS } from '../../domain/limits';
import { makePreview, PREVIEW_WIDTH } from '../analysis';
import type { ViewerHandle } from '../picture-viewer';
import { outlineShape } from './stage/outline-shape';

/** Small image of the picture with its labels (2§2 "preview image"); null if none can be made. */
export async function labelPreview(viewer: ViewerHandle | null, labelling: Labelling): Promise<Blob | null> {
  try {
    const picture = (await viewer?.pixels(PREVIEW_WIDTH)) ?? null;
    if (picture === null) return null;
    return await makePreview(picture, paintLabels(labelling, picture.width, picture.height));
  } catch (error) {
    console.warn('A preview of the analysis could not be made; saving without it:', error);
    return null;
  }
}

function paintLabels({ version, outlines, labels, zap }: Labelling, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  const { set } = version.steps[0];
  const colourOf = (label: string): string => PALETTE_COLOURS[labelOptionOf(set, label)?.palette ?? 'U'];
  context.globalAlpha = ANALYSIS_LIMITS.mlFillOpacity;
  if (zap !== null) {
    context.fillStyle = colourOf(zap);
    context.fillRect(0, 0, width, height);
  }
  // Largest first: smaller outlines lie on top.
  for (const outline of outlines) {
    const label = labels.get(outline.id);
    if (label === undefined) continue;
    const path = new Path2D();
    path.addPath(new Path2D(outlineShape(outline).path), { a: width, d: height });
    context.fillStyle = colourOf(label);
    context.fill(path, 'evenodd');
  }
  return canvas;
}
