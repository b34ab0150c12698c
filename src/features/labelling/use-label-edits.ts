import { useCallback, useMemo, useRef, useState } from 'react';
import { BAD_IMAGE_LABEL, labelOptionOf } from '../../domain/analysis/labelling/label-sets';
import type { LabelStepState } from '../../domain/analysis/labelling/labelling';
import { isImageSkipped } from '../../domain/analysis/labelling/linear-flow';
import type { Outline } from '../../domain/analysis/labelling/outline';
import { makeId } from '../../domain/ids';
import type { useUsage } from '../analysis';
import { latestOutline, type LabelledWork } from './labelling-state';
import type { LinearHost } from './linear/linear-host';
import type { ActiveLayerHandle } from './stage/ActiveLayer';
import { nextUnlabelled } from './stage/neighbours';
import type { LabelTool } from './stage/StageTools';
import { useDeferred } from './use-deferred';
import type { LabelWorkState } from './use-label-work';
import { useStableCallback } from './use-stable-callback';

interface LabelEditOptions {
  readonly work: LabelWorkState;
  /** Step that is shown. */
  readonly at: LabelStepState;
  readonly isReadOnly: boolean;
  readonly linear: LinearHost | undefined;
  /** Notes an event of use. */
  readonly note: ReturnType<typeof useUsage>;
  readonly showMessage: (text: string) => void;
}

/** Edits of a labelling: labels, answers, outlines of experts, undo and redo, and the outline that they go to. */
export function useLabelEdits({ work, at, isReadOnly, linear, note, showMessage }: LabelEditOptions) {
  const { labelling } = work;
  const [activeId, showActive] = useState<string | null>(() => firstActive(work));
  /** Active outline also between two renders. */
  const activeNow = useRef(activeId);
  const setActiveId = useCallback((id: string | null) => {
    activeNow.current = id;
    showActive(id);
  }, []);
  const active = useMemo(
    () => (at.step.kind === 'labels' ? (labelling.outlines.find(({ id }) => id === activeId) ?? null) : null),
    [at.step.kind, labelling.outlines, activeId],
  );
  const [tool, setTool] = useState<LabelTool>('move');
  const activeLayer = useRef<ActiveLayerHandle>(null);
  const { flush, run } = useDeferred();

  const labelOutline = (outline: Outline, label: string, name: string): void => {
    const after = work.add('labels', { kind: 'label', outline: outline.id, label });
    activeLayer.current?.end(after === null);
    if (after === null) return;
    const left = after.labelling.outlines.length - after.labelling.labels.size;
    setActiveId(firstActive(after));
    showMessage(left === 0 ? `${name}. All outlines have a label.` : `${name}. ${left} to go.`);
  };
  const choose = useStableCallback((label: string) => {
    flush();
    if (isReadOnly) return showMessage('Labels cannot be set here now.');
    const { step } = at;
    const option = labelOptionOf(step.set, label);
    if (option === undefined) return;
    linear?.onChoose(label);
    // 2§4: "The 'Bad Image' choice on question 1 skips the image and loads another".
    if (linear !== undefined && isImageSkipped(linear.state.step, label))
      return showMessage('A bad image is skipped. Continue opens another one.');
    if (step.kind === 'question') {
      if (work.add(step.id, { kind: 'answer', label }) !== null) showMessage(`Answer: ${option.label}.`);
      return;
    }
    if (label === BAD_IMAGE_LABEL) {
      if (work.add(step.id, { kind: 'bad', label }) !== null)
        showMessage('Marked as a bad image: all outlines have this label. Undo takes it back.');
      return;
    }
    const { outlines, labels: labelled } = work.latest().labelling;
    const outline = outlines.find(({ id }) => id === activeNow.current);
    if (outline === undefined) return showMessage('Choose an outline first: tap it, or press an arrow key.');
    // Picture first; counts, list and journal follow after the frame.
    const next = nextUnlabelled(outlines, (id) => id === outline.id || labelled.has(id));
    activeLayer.current?.show({ outline, style: option, next });
    run(() => labelOutline(outline, label, option.label));
  });
  const undo = useStableCallback(() => {
    flush();
    const outline = at.step.kind === 'labels' ? latestOutline(work.latest().logs) : null;
    if (work.apply({ step: at.step.id, kind: 'undo' }) === null) return;
    note(`analysis_step_${at.step.id}_undo`);
    if (outline !== null) setActiveId(outline);
    showMessage('Undone.');
  });
  const redo = useStableCallback(() => {
    flush();
    const after = work.apply({ step: at.step.id, kind: 'redo' });
    if (after === null) return;
    note(`analysis_step_${at.step.id}_redo`);
    if (at.step.kind === 'labels') setActiveId(firstActive(after));
    showMessage('Done again.');
  });
  const draw = useStableCallback((points: readonly (readonly [number, number])[]) => {
    flush();
    const outline = makeId(randomBytes);
    if (work.add('labels', { kind: 'draw', outline, points }) === null)
      return showMessage('Draw around something: this line is too short.');
    note('analysis_step_labels_pen');
    setActiveId(outline);
    setTool('move');
    showMessage('Outline drawn. Choose what is in it.');
  });
  const erase = useStableCallback(() => {
    flush();
    if (active === null) return;
    if (labelling.labels.has(active.id)) return showMessage('This outline has a label. Undo the label first.');
    const after = work.add('labels', { kind: 'erase', outline: active.id });
    if (after === null) return;
    note('analysis_step_labels_eraser');
    setActiveId(firstActive(after));
    showMessage('Outline erased.');
  });
  const fill = useStableCallback((label: string) => {
    flush();
    if (work.add('labels', { kind: 'zap', label }) === null) return;
    note('analysis_step_labels_zap');
    showMessage(`Everything without a label is ${labelOptionOf(at.step.set, label)?.label ?? label}.`);
  });
  const setActive = useStableCallback((outline: Outline) => {
    flush();
    setActiveId(outline.id);
  });
  return {
    active,
    setActive,
    activeLayer,
    tool,
    setTool,
    choose,
    undo,
    redo,
    draw,
    erase,
    fill,
    /** Stores a label that waits for its frame. */
    flush,
  };
}

const randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

function firstActive({ labelling: { outlines, labels } }: LabelledWork): string | null {
  return nextUnlabelled(outlines, (id) => labels.has(id))?.id ?? null;
}
