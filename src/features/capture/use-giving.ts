import { useCallback, useState } from 'react';
import type { CardRepository, IntakeHandle, Repositories } from '../../data/repositories';
import type { GivenFile } from '../../domain/custody/intake';
import type { ImageId, SurveyId } from '../../domain/ids';
import { formatBytes, formatCount } from '../sync-status';
import type { AddingQueue } from './adding-state';
import { lookAt, type GivenFiles, type LeftOut } from './given-files';
import { keepPageOpen } from './keep-open';

/** What there is to say of the files that were just given, besides the roll. */
export type GivingNote =
  | { readonly kind: 'none' }
  /** Nothing of the batch was added. */
  | { readonly kind: 'no-room'; readonly words: string }
  | { readonly kind: 'not-begun'; readonly words: string }
  | { readonly kind: 'left-out'; readonly leftOut: readonly LeftOut[]; readonly photographs: number };

/** Takes files towards the queue: asks once that the browser keeps them, refuses a batch that would not fit as a whole. */
export function useGiving(
  { images, storage, cards, people }: Pick<Repositories, 'images' | 'storage' | 'cards' | 'people'>,
  queue: AddingQueue,
  surveyId: SurveyId,
) {
  const [note, setNote] = useState<GivingNote>({ kind: 'none' });
  const give = useCallback(
    async ({ photographs, leftOut }: GivenFiles, retakes?: ImageId): Promise<void> => {
      setNote(leftOut.length > 0 ? { kind: 'left-out', leftOut, photographs: photographs.length } : { kind: 'none' });
      if (photographs.length === 0) return;
      const by = people.current.get() ?? undefined;
      // From the choice on: until they are in the queue, which holds the page for itself, nobody else has these files.
      const letGo = keepPageOpen();
      try {
        // Browsers ask a person at most once, and some only after a gesture such as this one.
        if (storage.facts.get().persisted !== true) void storage.requestPersistence();
        const given = await lookAt(photographs);
        // Kept in mind before the first byte is read: what a card held is known though the tab dies now.
        const batch = await keepBatch(cards, surveyId, given, leftOut);
        if (!batch.kept) {
          setNote({ kind: 'not-begun', words: batch.words });
          return;
        }
        const room = await images.room(given);
        if (!room.fits) {
          void batch.handle.end();
          setNote({ kind: 'no-room', words: noRoomWords(photographs.length, room.needs, room.free) });
          return;
        }
        queue.add(photographs, surveyId, {
          batch: batch.handle,
          given,
          by,
          ...(retakes === undefined ? {} : { retakes }),
        });
      } finally {
        letGo();
      }
    },
    [images, storage, cards, people, queue, surveyId],
  );
  return { note, give, clear: useCallback(() => setNote({ kind: 'none' }), []) };
}

/** Files of a card that nobody misses: the system made them. */
const OF_THE_SYSTEM = 'a file of the system';

async function keepBatch(
  cards: CardRepository,
  surveyId: SurveyId,
  photographs: readonly GivenFile[],
  leftOut: readonly LeftOut[],
): Promise<{ readonly kept: true; readonly handle: IntakeHandle } | { readonly kept: false; readonly words: string }> {
  const others = leftOut
    .filter(({ why }) => why !== OF_THE_SYSTEM)
    .map(({ name, why }) => ({ name, why, size: 0, lastModified: 0 }));
  try {
    const handle = await cards.beginIntake(surveyId, [...photographs, ...others]);
    for (const other of others) handle.settle(other, { was: 'left-out', why: other.why });
    return { kept: true, handle };
  } catch (error) {
    return {
      kept: false,
      words: `${error instanceof Error ? error.message : String(error)} None of these was added; keep the card.`,
    };
  }
}

/** A batch that does not fit, with figures. */
export function noRoomWords(files: number, needs: number, free: number | null): string {
  const many = files !== 1;
  const left =
    free === null
      ? 'there is not so much room on this tablet'
      : `this tablet has ${free < 1_000_000 ? 'next to nothing' : formatBytes(free)} free`;
  return `${many ? `These ${formatCount(files, 'photograph')} need` : 'This photograph needs'} ${formatBytes(needs)}, and ${left}. ${many ? 'None of them' : 'It'} was added, and what was saved before is safe. Make room on this tablet${many ? ', or add fewer at a time' : ''}; keep the card.`;
}
