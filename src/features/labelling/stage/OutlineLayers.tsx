import { Fragment, memo, useEffect, useId, useState, type Ref } from 'react';
import type { Outline } from '../../../domain/analysis/labelling/outline';
import type { ClassStyle } from '../../../domain/analysis/palette';
import { HatchPattern } from '../../analysis';
import type { ViewState } from '../../picture-viewer';
import { ActiveLayer, type ActiveLayerHandle } from './ActiveLayer';
import { patternKey, topPatternId, type LaidOutPicture } from './label-look';
import { labelPlace } from './label-place';
import { LabelledOutline } from './LabelledOutline';
import { outlineShape } from './outline-shape';
import styles from './OutlineLayers.module.css';

interface Props {
  readonly view: ViewState;
  readonly outlines: readonly Outline[];
  /** Style of the label of each labelled outline, by its id. */
  readonly labels: ReadonlyMap<string, ClassStyle>;
  /** Styles of all labels that may come; the same on each render. */
  readonly styles: readonly ClassStyle[];
  /** Style of the whole-image fill; null for none. */
  readonly zap: ClassStyle | null;
  readonly active: Outline | null;
  /** Outlines that the question is about; null: labels are shown. */
  readonly highlighted: readonly Outline[] | null;
  readonly activeLayer: Ref<ActiveLayerHandle>;
}

/**
 * Outlines over the picture in layers of their own: dashes below, labels above them, the active one on top. A label
 * repaints its outline in its layer, and no dash of the others (2§9: "ML labelled fill opacity 0.6").
 */
export const OutlineLayers = memo(function OutlineLayers(props: Props) {
  const { view, outlines, labels, zap, active, highlighted } = props;
  const settled = useSettledScale(view.scale);
  const prefix = useId();
  const laidOut = { width: view.width * settled, height: view.height * settled, turns: view.turns, prefix };
  usePlacesAhead(outlines, view.height / view.width);
  const { width, height } = laidOut;
  return (
    <div
      className={styles.layers}
      style={{ width, height, transform: `scale(${view.scale / settled})` }}
      aria-hidden="true"
    >
      {/* Made again at another size: Chromium goes on drawing patterns and letters as they were made, blurred. */}
      <Patterns key={`patterns ${width}`} styles={props.styles} {...laidOut} />
      {highlighted === null ? (
        <>
          <Dashes outlines={outlines} />
          <Labels key={`labels ${width}`} outlines={outlines} labels={labels} zap={zap} {...laidOut} />
        </>
      ) : (
        <Highlights outlines={highlighted} />
      )}
      <ActiveLayer ref={props.activeLayer} outlines={outlines} active={active} labels={labels} {...laidOut} />
    </div>
  );
});

const SETTLE_MS = 160;

/** Scale at which lines are laid out: it follows a zoom once it is over, and the compositor scales until then. */
function useSettledScale(scale: number): number {
  const [settled, setSettled] = useState(scale);
  useEffect(() => {
    if (settled === scale) return undefined;
    const timer = setTimeout(() => setSettled(scale), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [scale, settled]);
  return settled;
}

/** Outlines whose letter is placed at a time. */
const BATCH = 8;

/** Finds the places of letters ahead, some at a time, so that no label waits for one. */
function usePlacesAhead(outlines: readonly Outline[], ratio: number): void {
  useEffect(() => {
    let at = 0;
    let timer = setTimeout(function place() {
      for (const outline of outlines.slice(at, at + BATCH)) labelPlace(outline, ratio);
      at += BATCH;
      if (at < outlines.length) timer = setTimeout(place);
    });
    return () => clearTimeout(timer);
  }, [outlines, ratio]);
}

const Patterns = memo(function Patterns({
  styles: all,
  width,
  height,
  prefix,
}: LaidOutPicture & Pick<Props, 'styles'>) {
  const byKey = new Map(all.map((style) => [patternKey(style), style]));
  return (
    <svg className={styles.patterns}>
      <defs>
        {[...byKey].map(([key, style]) => (
          <Fragment key={key}>
            <HatchPattern id={`${prefix}${key}`} of={style} transform={`scale(${1 / width} ${1 / height})`} />
            <HatchPattern id={topPatternId(style, { prefix })} of={style} />
          </Fragment>
        ))}
      </defs>
    </svg>
  );
});

const Dashes = memo(function Dashes({ outlines }: Pick<Props, 'outlines'>) {
  return (
    <svg viewBox="0 0 1 1" preserveAspectRatio="none">
      {outlines.map((outline) => (
        <g key={outline.id} data-outline={outline.id}>
          <path className={styles.dashUnder} d={outlineShape(outline).path} />
          <path className={styles.dashOver} d={outlineShape(outline).path} />
        </g>
      ))}
    </svg>
  );
});

/** Fill of the rest: weaker than a label, so that outlines without one stay visible. */
const ZAP_OPACITY = 0.35;

const Labels = memo(function Labels({
  outlines,
  labels,
  zap,
  ...laidOut
}: LaidOutPicture & Pick<Props, 'outlines' | 'labels' | 'zap'>) {
  return (
    <svg viewBox="0 0 1 1" preserveAspectRatio="none">
      {zap !== null && (
        <rect
          width="1"
          height="1"
          fill={`url(#${laidOut.prefix}${patternKey(zap)})`}
          fillOpacity={ZAP_OPACITY}
          data-zap
        />
      )}
      {outlines.map((outline) => {
        const style = labels.get(outline.id);
        return style === undefined ? null : (
          <LabelledOutline key={outline.id} outline={outline} style={style} {...laidOut} />
        );
      })}
    </svg>
  );
});

const Highlights = memo(function Highlights({ outlines }: Pick<Props, 'outlines'>) {
  return (
    <svg viewBox="0 0 1 1" preserveAspectRatio="none">
      {outlines.map((outline) => (
        <g key={outline.id} data-highlighted={outline.id}>
          <path className={styles.activeUnder} d={outlineShape(outline).path} />
          <path className={styles.highlightOver} d={outlineShape(outline).path} />
        </g>
      ))}
    </svg>
  );
});
