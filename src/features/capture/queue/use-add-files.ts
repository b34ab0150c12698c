import { useCallback, useState } from 'react';
import { formatBytes } from '../../../base/format-bytes';
import { formatCount } from '../../../base/plural';
import type { CardRepository, IntakeHandle, Repositories } from '../../../data/repositories';
import type { ChosenFile } from '../../../domain/custody/intake';
import type { ImageId, SurveyId } from '../../../domain/ids';
import type { AddingQueue } from './adding-state';
import { describeFiles, sortByName, type PickedFiles, type LeftOutFile } from './picked-files';
import { holdPageOpen } from './hold-page-open';

export type AddFilesNotice =
  | { readonly kind: 'none' }
  | { readonly kind: 'no-room'; readonly text: string }
  | { readonly kind: 'not-begun'; readonly text: string }
  | { readonly kind: 'left-out'; readonly leftOut: readonly LeftOutFile[]; readonly photographs: number };

/** Requests persistent storage once and refuses a batch that does not fit as a whole. */
export function useAddFiles(
  {
    census: { images },
    tablet: { storage },
    custody: { cards },
    account: { people },
  }: Pick<Repositories, 'census' | 'tablet' | 'custody' | 'account'>,
  queue: AddingQueue,
  surveyId: SurveyId,
) {
  const [note, setNote] = useState<AddFilesNotice>({ kind: 'none' });
  const add = useCallback(
    async ({ photographs: picked, leftOut }: PickedFiles, retakes?: ImageId): Promise<void> => {
      const photographs = sortByName(picked);
      setNote(leftOut.length > 0 ? { kind: 'left-out', leftOut, photographs: photographs.length } : { kind: 'none' });
      if (photographs.length === 0) return;
      const author = people.current.get() ?? undefined;
      // Until the queue has the files, only this keeps the page open.
      const releasePage = holdPageOpen();
      try {
        // Some browsers ask only after a gesture.
        if (storage.facts.get().persisted !== true) void storage.requestPersistence();
        const given = await describeFiles(photographs);
        // Stored before the first read: the content of the card is known even if the tab dies.
        const batch = await openBatch(cards, surveyId, given, leftOut);
        if (!batch.isOpen) {
          setNote({ kind: 'not-begun', text: batch.text });
          return;
        }
        const room = await images.room(given);
        if (!room.fits) {
          void batch.handle.end();
          setNote({ kind: 'no-room', text: noRoomText(photographs.length, room.needs, room.free) });
          return;
        }
        queue.add(photographs, surveyId, {
          batch: batch.handle,
          given,
          author,
          ...(retakes === undefined ? {} : { retakeOf: retakes }),
        });
      } finally {
        releasePage();
      }
    },
    [images, storage, cards, people, queue, surveyId],
  );
  return { note, add, clear: useCallback(() => setNote({ kind: 'none' }), []) };
}

const SYSTEM_FILE = 'a system file';

async function openBatch(
  cards: CardRepository,
  surveyId: SurveyId,
  photographs: readonly ChosenFile[],
  leftOut: readonly LeftOutFile[],
): Promise<
  { readonly isOpen: true; readonly handle: IntakeHandle } | { readonly isOpen: false; readonly text: string }
> {
  const others = leftOut
    .filter(({ why }) => why !== SYSTEM_FILE)
    .map(({ name, why }) => ({ name, why, size: 0, lastModified: 0 }));
  try {
    const handle = await cards.beginIntake(surveyId, [...photographs, ...others]);
    for (const other of others) handle.settle(other, { status: 'left-out', why: other.why });
    return { isOpen: true, handle };
  } catch (error) {
    return {
      isOpen: false,
      text: `${error instanceof Error ? error.message : String(error)} None of these were added. Keep the card.`,
    };
  }
}

export function noRoomText(files: number, needs: number, free: number | null): string {
  const isPlural = files !== 1;
  const left =
    free === null
      ? 'this tablet does not have that much space'
      : `this tablet has ${free < 1_000_000 ? 'next to nothing' : formatBytes(free)} free`;
  return `${isPlural ? `These ${formatCount(files, 'photograph')} need` : 'This photograph needs'} ${formatBytes(needs)}, and ${left}. ${isPlural ? 'None of them' : 'It'} was added. Everything saved before is safe. Keep the card, and free up space on this tablet${isPlural ? ', or add fewer at a time' : ''}.`;
}
