import { TraceNotes } from './panel/TraceNotes';
import { TracePanel } from './panel/TracePanel';
import { PicturePane } from './PicturePane';
import { TraceDialogs } from './TraceDialogs';
import styles from './Tracing.module.css';
import { useTraceScreen, type TracingProps } from './use-trace-screen';

/** Tracing screen: the picture, the panel of classes beside it, and dialogs. */
export function Tracing(props: TracingProps) {
  const screen = useTraceScreen(props);
  const { editors, next, saving, state, dispatch } = screen;
  const { work, uid, isVersionRaised = false, onSignIn } = props;
  const { editorState, isPractice } = editors;
  return (
    <main className={styles.trace} data-ready={editorState.isReady}>
      <PicturePane screen={screen} />
      <TracePanel
        openEditor={editors.openEditor}
        state={state}
        isReadOnly={editors.isReadOnly}
        hasStates={screen.hasStates}
        hasProgress={screen.hasProgress}
        isPractice={isPractice || props.teacher !== undefined}
        isSaving={saving.isSaving}
        canSkip={!saving.isSaving}
        panelSlot={screen.setPanelSlot}
        notes={
          isPractice ? null : (
            <TraceNotes
              tab={props.tab}
              isVersionRaised={isVersionRaised}
              work={work}
              isFresh={editorState.marks === work.marks.length && next.shown === null}
              uid={uid}
              journalState={editors.journalState}
              failed={editors.failed}
              saveFailed={saving.failed}
              warning={editors.warning}
              onRetrySave={saving.save}
              onSignIn={onSignIn}
              onRetryJournal={() => void editors.ownEditor?.journalQueue?.flush().catch(() => undefined)}
            />
          )
        }
        onGroup={(group) => dispatch({ type: 'group', group })}
        onChoose={(id) => dispatch({ type: 'choose', id })}
        onModifier={(mod) => dispatch({ type: 'modifier', mod })}
        onSkip={screen.skip}
        onSave={saving.save}
      />
      <TraceDialogs screen={screen} />
    </main>
  );
}
