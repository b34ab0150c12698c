import type { ReactNode, Ref } from 'react';
import type { ModifierId } from '../../../../domain/analysis/free-draw/categories';
import { Button } from '../../../../ui/controls/Button';
import { ClassPanel } from './ClassPanel';
import { CoverRing } from './CoverRing';
import styles from './TracePanel.module.css';
import type { TraceState } from '../trace-state';
import { useCover, type OpenTraceEditor } from '../../canvas/use-trace-editor';

interface Props {
  readonly openEditor: OpenTraceEditor | null;
  readonly state: Pick<TraceState, 'group' | 'paints' | 'only'>;
  readonly isReadOnly: boolean;
  readonly hasStates: boolean;
  readonly hasProgress: boolean;
  readonly isPractice: boolean;
  readonly isSaving: boolean;
  readonly canSkip: boolean;
  readonly notes: ReactNode;
  readonly panelSlot: Ref<HTMLDivElement>;
  readonly onGroup: (group: TraceState['group']) => void;
  readonly onChoose: (id: string) => void;
  readonly onModifier: (mod: ModifierId) => void;
  readonly onSkip: () => void;
  readonly onSave: () => void;
}

export function TracePanel({
  openEditor,
  state,
  isReadOnly,
  hasStates,
  hasProgress,
  isPractice,
  isSaving,
  canSkip,
  notes,
  panelSlot,
  onGroup,
  onChoose,
  onModifier,
  onSkip,
  onSave,
}: Props) {
  const cover = useCover(openEditor);
  return (
    <aside className={styles.panel} aria-label="What is painted">
      {hasProgress && <CoverRing cover={cover} />}
      <div ref={panelSlot} className={styles.head} />
      {notes !== null && <div className={styles.notes}>{notes}</div>}
      <ClassPanel
        state={state}
        cover={cover}
        isReadOnly={isReadOnly}
        hasStates={hasStates}
        onGroup={onGroup}
        onChoose={onChoose}
        onModifier={onModifier}
      />
      {!isPractice && (
        <div className={styles.go}>
          <Button onPress={onSkip} isDisabled={!canSkip}>
            Skip
          </Button>
          <Button variant="primary" onPress={onSave} isDisabled={isReadOnly || isSaving || !cover.isComplete}>
            {isReadOnly ? 'View only' : isSaving ? 'Saving...' : cover.isComplete ? 'Save' : 'Save at 95%'}
          </Button>
        </div>
      )}
    </aside>
  );
}
