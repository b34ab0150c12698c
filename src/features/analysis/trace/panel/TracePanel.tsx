import { useState, type ReactNode, type Ref } from 'react';
import { Button as PlainButton } from 'react-aria-components';
import type { ModifierId } from '../../../../domain/analysis/free-draw/categories';
import { Button } from '../../../../ui/controls/Button';
import { Icon } from '../../../../ui/display/Icon';
import { Swatch } from '../../stage/Swatch';
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
  const [isOpen, setOpen] = useState(true);
  return (
    <aside className={styles.panel} aria-label="What is painted" data-open={isOpen}>
      <div className={styles.bar}>
        {hasProgress && <CoverRing cover={cover} />}
        <PlainButton className={styles.sheet ?? ''} aria-expanded={isOpen} onPress={() => setOpen(!isOpen)}>
          <Swatch of={state.paints} />
          <span>{state.paints.type.label}</span>
          <Icon name="down" />
        </PlainButton>
      </div>
      <div ref={panelSlot} className={styles.head} />
      {notes !== null && <div className={styles.notes}>{notes}</div>}
      <div className={styles.classes}>
        <ClassPanel
          state={state}
          cover={cover}
          isReadOnly={isReadOnly}
          hasStates={hasStates}
          onGroup={onGroup}
          onChoose={onChoose}
          onModifier={onModifier}
        />
      </div>
      {!isPractice && (
        <div className={styles.go} data-foot>
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
