import { useCallback, useMemo, useRef, useState } from 'react';
import type { AnalysisContent, AnalysisRepository, TraceImage } from '../../data/repositories';
import { labelOptionOf, labelSet } from '../../domain/analysis/labelling/label-sets';
import { labelVersion } from '../../domain/analysis/labelling/label-versions';
import type { Labelling } from '../../domain/analysis/labelling/labelling';
import type { Outline } from '../../domain/analysis/labelling/outline';
import type { ClassStyle } from '../../domain/analysis/palette';
import { useShortcuts } from '../../ui/keys/use-shortcuts';
import { PictureFailedNote, PLAIN_LIGHT, useViewedPicture, ViewedLayout, type ViewedFacts } from '../analysis';
import type { ViewerHandle, ViewState } from '../picture-viewer';
import { labelledWork } from './labelling-state';
import type { ActiveLayerHandle } from './stage/ActiveLayer';
import { LabelStage } from './stage/LabelStage';
import { stepOutline } from './stage/neighbours';
import { OutlineList } from './stage/OutlineList';

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'picture' | 'corrected'>;
  readonly image: TraceImage;
  readonly analysis: ViewedFacts;
  readonly labels: Extract<AnalysisContent, { readonly kind: 'labels' }>;
}

/** Labelling of someone else over its photograph, without tools: a tap or an arrow key names an outline. */
export function ViewedLabels({ analyses, image, analysis, labels: content }: Props) {
  const { version, outlines, logs, cover } = content;
  const viewer = useRef<ViewerHandle>(null);
  const activeLayer = useRef<ActiveLayerHandle>(null);
  const [view, setView] = useState<ViewState | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const [active, setActive] = useState<Outline | null>(null);
  const { labelling } = useMemo(
    () => labelledWork(labelVersion(version), outlines.outlines, logs),
    [version, outlines, logs],
  );
  const { set } = labelling.version.steps[0];
  const shown = useMemo(
    () =>
      new Map(
        [...labelling.labels].flatMap(([outline, label]): [string, ClassStyle][] => {
          const option = labelOptionOf(set, label);
          return option === undefined ? [] : [[outline, option]];
        }),
      ),
    [set, labelling.labels],
  );
  const labelOf = useCallback(
    (id: string): string | null => {
      const label = labelling.labels.get(id);
      return label === undefined ? null : (labelOptionOf(set, label)?.label ?? label);
    },
    [labelling.labels, set],
  );
  const step = (by: 1 | -1) => () => setActive((now) => stepOutline(labelling.outlines, now?.id ?? null, by) ?? now);
  const zoom = (factor: number) => () => viewer.current?.zoomBy(factor);
  useShortcuts({
    ArrowRight: { label: 'Next outline', run: step(1) },
    ArrowDown: { label: 'Next outline', run: step(1) },
    ArrowLeft: { label: 'Previous outline', run: step(-1) },
    ArrowUp: { label: 'Previous outline', run: step(-1) },
    '+': { label: 'Zoom in', run: zoom(ZOOM_BY) },
    '=': { label: 'Zoom in', run: zoom(ZOOM_BY) },
    '-': { label: 'Zoom out', run: zoom(1 / ZOOM_BY) },
    f: { label: 'Show the whole picture', run: () => viewer.current?.fit() },
  });
  return (
    <ViewedLayout
      analysis={analysis}
      legend={legendOf(labelling, cover)}
      answers={answersOf(labelling)}
      stage={
        <LabelStage
          viewer={viewer}
          picture={useViewedPicture(analyses, image)}
          light={PLAIN_LIGHT}
          outlines={labelling.outlines}
          labels={shown}
          styles={labelSet(set)}
          activeLayer={activeLayer}
          zap={labelling.zap === null ? null : (labelOptionOf(set, labelling.zap) ?? null)}
          active={active}
          highlighted={null}
          tool="move"
          view={view}
          onView={setView}
          onTap={setActive}
          onDrawn={nothing}
          onFailed={setFailed}
          over={<OutlineList outlines={labelling.outlines} labelOf={labelOf} active={active} onActive={setActive} />}
        >
          {null}
        </LabelStage>
      }
    >
      {failed !== null && <PictureFailedNote />}
    </ViewedLayout>
  );
}

function legendOf({ version, labels, zap }: Labelling, cover: Readonly<Record<string, number>>) {
  const { set } = version.steps[0];
  const used = new Set([...labels.values(), ...(zap === null ? [] : [zap])]);
  return labelSet(set)
    .filter(({ id }) => used.has(id))
    .map((option) => ({ key: option.id, label: option.label, style: option, share: cover[option.id] ?? null }))
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
}

const answersOf = ({
  version,
  answers,
}: Labelling): readonly { readonly question: string; readonly answer: string }[] =>
  version.steps.flatMap(({ id, set, title }) => {
    const answer = answers.get(id);
    return answer === undefined ? [] : [{ question: title, answer: labelOptionOf(set, answer)?.label ?? answer }];
  });

const nothing = (): void => undefined;
const ZOOM_BY = 1.5;
