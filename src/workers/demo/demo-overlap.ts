import { CATEGORY_CLASSES } from '../../domain/analysis/free-draw/categories';
import type { Overlap } from '../../domain/analysis/free-draw/demos';
import { sharedPixels, type LabelPicture } from '../../imaging/label-raster/label-overlap';
import { REEF_CLASSES } from '../../imaging/reef-renderer/reef-classes';
import { CATEGORY_OF } from '../../imaging/reef-renderer/render-demo';

/**
 * Overlap of what is painted with the true areas of a generated picture, by type id.
 * @param painted labels of the category classes
 * @param truth labels as rendered
 */
export function overlapsOf(
  painted: LabelPicture,
  truth: LabelPicture,
  types: readonly string[],
): Readonly<Record<string, Overlap>> {
  const isTrue = (type: string): boolean[] => REEF_CLASSES.map(({ letter }) => CATEGORY_OF[letter] === type);
  const isPainted = (type: string): boolean[] => {
    const labels: boolean[] = [];
    for (const each of CATEGORY_CLASSES) labels[each.label] = each.type.id === type;
    return labels;
  };
  return Object.fromEntries(
    types.map((type) => {
      const { first, second, both } = sharedPixels(painted, truth, isPainted(type), isTrue(type));
      return [type, { onTrue: both / Math.max(1, first), common: both / Math.max(1, first + second - both) }];
    }),
  );
}
