import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState, type Ref } from 'react';
import type { Outline } from '../../../domain/analysis/labelling/outline';
import type { ClassStyle } from '../../../domain/analysis/palette';
import type { LaidOutPicture } from './label-look';
import { TopLayer } from './top-layer';

export type ActiveLayerHandle = Pick<TopLayer, 'show' | 'end'>;

interface Props extends LaidOutPicture {
  readonly ref?: Ref<ActiveLayerHandle>;
  readonly outlines: readonly Outline[];
  readonly active: Outline | null;
  /** Labels of the layer below, as they are shown. */
  readonly labels: ReadonlyMap<string, ClassStyle>;
}

/** Topmost layer: the active outline, and a label of which the screen is about to learn. */
export function ActiveLayer({ ref, outlines, active, labels, width, height, turns, prefix }: Props) {
  const svg = useRef<SVGSVGElement>(null);
  const [layer] = useState(() => new TopLayer());
  const at = useMemo(() => ({ width, height, turns, prefix }), [width, height, turns, prefix]);
  useLayoutEffect(() => {
    if (svg.current !== null) layer.update(svg.current, { outlines, active, labels, at });
  }, [layer, outlines, active, labels, at]);
  useImperativeHandle(ref, () => layer, [layer]);
  return <svg ref={svg} />;
}
