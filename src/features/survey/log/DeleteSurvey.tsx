import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { formatCount, pluralize } from '../../../base/plural';
import type { SurveyRepository, SurveyView } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Dialog } from '../../../ui/controls/Dialog';
import { HoldButton } from '../../../ui/controls/HoldButton';
import { Note } from '../../../ui/feedback/Note';
import { notify } from '../../../ui/feedback/notices';

interface Props {
  readonly surveys: SurveyRepository;
  readonly survey: SurveyView;
  readonly photographs: number;
}

/** Deletes a survey after confirmation and goes back to the list, where it can be restored. */
export function DeleteSurvey({ surveys, survey, photographs }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [failed, setFailed] = useState<string | null>(null);
  const navigate = useNavigate();

  async function remove() {
    try {
      await surveys.remove(survey.id);
      setAsking(false);
      // The page of a deleted survey has nothing to show, also on the way back.
      void navigate({ to: '/surveys', replace: true });
      notify({
        title: `${survey.name} was deleted`,
        text: 'You can also restore it later, under “Deleted”.',
        icon: 'undo',
        action: {
          label: 'Undo',
          onPress: () =>
            void surveys
              .restore(survey.id)
              .catch(() =>
                notify({
                  title: 'The survey could not be restored',
                  text: 'Try again from the list of surveys.',
                  icon: 'alert',
                }),
              ),
        },
      });
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
  }

  return (
    <>
      <Button onPress={() => setAsking(true)}>Delete survey</Button>
      <Dialog
        title="Delete this survey?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        role="alertdialog"
        actions={
          <>
            <Button onPress={() => setAsking(false)}>Cancel</Button>
            <HoldButton onHeld={() => void remove()} holdLabel="Hold to delete">
              Delete
            </HoldButton>
          </>
        }
      >
        <p>
          {survey.name} is removed from the list.{' '}
          {photographs > 0 &&
            `Its ${formatCount(photographs, 'photograph')} ${pluralize(photographs, 'is', 'are')} stored and sent as before.`}
          You can restore it.
        </p>
        {failed !== null && (
          <Note tone="look" icon="alert" title="The survey could not be deleted" role="alert">
            {failed}
          </Note>
        )}
      </Dialog>
    </>
  );
}
