import { useCallback, useState } from 'react';
import type { Repositories } from '../../data/repositories';
import type { ImageId, SurveyId } from '../../domain/ids';
import { bytesWords, count } from '../sync-status';
import type { AddingQueue } from './adding';
import type { GivenFiles, LeftOut } from './given-files';

/** What there is to say of the files that were just given, besides the roll. */
export type GivingNote =
  | { readonly kind: 'none' }
  /** Nothing of the batch was added. */
  | { readonly kind: 'no-room'; readonly words: string }
  | { readonly kind: 'left-out'; readonly leftOut: readonly LeftOut[]; readonly photographs: number };

/** Takes files towards the queue: asks once that the browser keeps them, refuses a batch that would not fit as a whole. */
export function useGiving({ images, storage }: Pick<Repositories, 'images' | 'storage'>, queue: AddingQueue, surveyId: SurveyId) {
  const [note, setNote] = useState<GivingNote>({ kind: 'none' });
  const give = useCallback(
    async ({ photographs, leftOut }: GivenFiles, retakes?: ImageId): Promise<void> => {
      setNote(leftOut.length > 0 ? { kind: 'left-out', leftOut, photographs: photographs.length } : { kind: 'none' });
      if (photographs.length === 0) return;
      // Browsers ask a person at most once, and some only after a gesture such as this one.
      if (storage.facts.get().persisted !== true) void storage.persist();
      const room = await images.room(photographs);
      if (!room.fits) {
        setNote({ kind: 'no-room', words: noRoomWords(photographs.length, room.needs, room.free) });
        return;
      }
      queue.add(photographs, surveyId, retakes === undefined ? {} : { retakes });
    },
    [images, storage, queue, surveyId],
  );
  return { note, give, clear: useCallback(() => setNote({ kind: 'none' }), []) };
}

/** A batch that does not fit, with figures. */
export function noRoomWords(files: number, needs: number, free: number | null): string {
  const many = files !== 1;
  const left = free === null ? 'there is not so much room on this tablet' : `this tablet has ${free < 1_000_000 ? 'next to nothing' : bytesWords(free)} free`;
  return `${many ? `These ${count(files, 'photograph')} need` : 'This photograph needs'} ${bytesWords(needs)}, and ${left}. ${many ? 'None of them' : 'It'} was added, and what was saved before is safe. Make room on this tablet${many ? ', or add fewer at a time' : ''}; keep the card.`;
}
