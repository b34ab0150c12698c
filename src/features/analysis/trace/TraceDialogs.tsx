import { ClassHelpDialog } from './dialogs/ClassHelpDialog';
import { ConfirmFillDialog } from './dialogs/ConfirmFillDialog';
import { downloadActions } from './dialogs/download-actions';
import { MoreActionsDialog } from './dialogs/MoreActionsDialog';
import { NextPreview } from '../next-photograph/NextPreview';
import { SavedResult } from './dialogs/SavedResult';
import { toolHint } from './toolbar/tool-hints';
import type { TraceScreen } from './use-trace-screen';

/** Dialogs of the tracing screen; at most one is open. */
export function TraceDialogs({ screen }: { readonly screen: TraceScreen }) {
  const { props, editors, painting, next, state, dispatch, dialog, setDialog, learning } = screen;
  const { image, repositories, hasMoreActions, moreLinks, teacher, onGo } = props;
  const { ownEditor, size } = editors;
  return (
    <>
      <ConfirmFillDialog
        confirmation={state.confirmation}
        marks={editors.editorState.marks}
        onConfirm={painting.confirmFill}
        onCancel={() => dispatch({ type: 'answered' })}
      />
      {dialog === 'class' && (
        <ClassHelpDialog of={state.paints} hint={toolHint(state.tool)} onClose={() => setDialog(null)} />
      )}
      {dialog === 'ways' && (
        <MoreActionsDialog
          onClose={() => setDialog(null)}
          onLight={() => setDialog('light')}
          hasTraining={teacher === undefined}
          isTraining={learning.isTraining}
          onTraining={(on) => {
            learning.setTraining(on);
            setDialog(null);
          }}
          librarySurvey={hasMoreActions ? image.survey.id : null}
          moreLinks={moreLinks}
          downloads={
            hasMoreActions && ownEditor !== null && size !== null
              ? downloadActions({ image, openEditor: ownEditor, size })
              : []
          }
        />
      )}
      {next.shown !== null && (
        <NextPreview
          analyses={repositories.census.analyses}
          saved={next.shown.saved}
          result={
            next.shown.result !== null && (
              <SavedResult analyses={repositories.census.analyses} image={image} saved={next.shown.result} />
            )
          }
          isSkipped={next.shown.skipped}
          next={next.shown.next}
          onStart={onGo}
          onSkip={next.skipShown}
          onStay={next.hide}
        />
      )}
    </>
  );
}
