import { useMemo, useState } from 'react';
import type { Repositories, SurveyView } from '../../data/repositories';
import type { ImageId, SurveyId } from '../../domain/ids';
import { useObservable } from '../shell';
import { countCustody } from '../survey';
import { useDetectedClock } from './camera-clock/use-detected-clock';
import { addingQueueFor } from './queue/adding-queue';
import { useAddFiles } from './queue/use-add-files';
import { useUnreadFiles } from './queue/use-unread-files';
import { usePhotographActions } from './roll/use-photograph-actions';
import { useRollItems } from './roll/use-roll-items';
import { useRollSelection } from './roll/use-roll-selection';

export type CaptureScreen = ReturnType<typeof useCaptureWork>;

/** State and commands of the capture page, which its parts share. */
export function useCaptureWork(repositories: Repositories, survey: SurveyView) {
  const { images, surveys } = repositories.census;
  const surveyId = survey.id;
  const queue = addingQueueFor(images);
  const read = useObservable(images.ofSurvey(surveyId));
  const adding = useObservable(queue.ofSurvey(surveyId));
  const photographs = read.items;
  const every = useObservable(surveys.all).items;
  const others = useMemo(() => every.filter(({ id }) => id !== surveyId), [every, surveyId]);
  const counts = useMemo(() => countCustody(photographs), [photographs]);
  const roll = useRollItems(photographs, adding);
  const selection = useRollSelection(photographs);
  const addFiles = useAddFiles(repositories, queue, surveyId);
  const unread = useUnreadFiles(repositories.custody.cards, surveyId);
  const actions = usePhotographActions(images, surveyId);
  const [openedKey, open] = useState<string | null>(null);
  const [showsRemoved, setShowsRemoved] = useState(false);
  useDetectedClock(surveys, surveyId, adding.detectedClock, photographs);
  return {
    repositories,
    survey,
    queue,
    read,
    photographs,
    adding,
    isWorking: adding.reading + adding.waiting > 0,
    counts,
    /** Files of the card that were never read; 0 while another note says what to do. */
    unread: addFiles.note.kind === 'no-room' ? 0 : unread,
    roll,
    selection,
    addFiles,
    actions,
    /** Removes photographs, which can be restored, and ends their selection. */
    remove: (ids: readonly ImageId[]): void => {
      selection.clear();
      void actions.remove(ids);
    },
    /** Other surveys, the newest first. */
    others,
    /** Moves photographs to another survey and ends their selection. */
    moveToSurvey: (ids: readonly ImageId[], to: SurveyId): void => {
      selection.clear();
      void actions.moveToSurvey(ids, to, others.find(({ id }) => id === to)?.name ?? '');
    },
    /** Key of the tile that a dialog shows. */
    openedKey,
    open,
    showsRemoved,
    setShowsRemoved,
  };
}
