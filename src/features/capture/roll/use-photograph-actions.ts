import { useMemo } from 'react';
import { formatCount } from '../../../base/plural';
import type { ImageRepository } from '../../../data/repositories';
import type { ImageId, SurveyId } from '../../../domain/ids';
import { notify } from '../../../ui/feedback/notices';

/** Actions on photographs; each reports its result. */
interface PhotographActions {
  readonly remove: (ids: readonly ImageId[]) => Promise<void>;
  readonly restore: (ids: readonly ImageId[]) => Promise<void>;
  readonly move: (ids: readonly ImageId[], before: ImageId | null) => Promise<void>;
  /** @param name of the other survey */
  readonly moveToSurvey: (ids: readonly ImageId[], to: SurveyId, name: string) => Promise<void>;
  readonly keepAsIs: (id: ImageId) => Promise<void>;
}

export function usePhotographActions(images: ImageRepository, surveyId: SurveyId): PhotographActions {
  return useMemo(() => {
    const restore = async (ids: readonly ImageId[]): Promise<void> => {
      const { done, problem } = await runInOrder(ids, (id) => images.restore(id));
      if (problem !== null)
        notify({
          icon: 'alert',
          title: done === 0 ? 'Not restored' : `${formatCount(done, 'photograph')} restored, not all`,
          text: problem,
        });
      else notify({ icon: 'check', title: `${formatCount(done, 'photograph')} restored` });
    };
    return {
      restore,
      remove: async (ids) => {
        const { done, problem } = await runInOrder(ids, (id) => images.remove(id));
        if (problem !== null)
          notify({
            icon: 'alert',
            title: done === 0 ? 'Not removed' : `${formatCount(done, 'photograph')} removed, not all`,
            text: problem,
          });
        else
          notify({
            title: `${formatCount(done, 'photograph')} removed`,
            text: 'The originals are still stored.',
            action: { label: 'Restore', onPress: () => void restore(ids) },
          });
      },
      move: async (ids, before) => {
        const { problem } = await runInOrder([null], () => images.move(surveyId, ids, before));
        if (problem !== null) notify({ icon: 'alert', title: 'Not moved', text: problem });
      },
      moveToSurvey: async (ids, to, name) => {
        const { done, problem } = await runInOrder(ids, (id) => images.moveToSurvey(id, to));
        if (problem !== null)
          notify({
            icon: 'alert',
            title: done === 0 ? 'Not moved' : `${formatCount(done, 'photograph')} moved, not all`,
            text: problem,
          });
        else notify({ icon: 'check', title: `${formatCount(done, 'photograph')} moved to ${name}` });
      },
      keepAsIs: async (id) => {
        const { problem } = await runInOrder([id], (one) => images.keepAsIs(one));
        if (problem !== null) notify({ icon: 'alert', title: 'Not kept as it is', text: problem });
      },
    };
  }, [images, surveyId]);
}

/** Stops at the first failure and returns its reason. */
async function runInOrder<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<{ readonly done: number; readonly problem: string | null }> {
  let done = 0;
  try {
    for (const item of items) {
      await work(item);
      done++;
    }
  } catch (error) {
    return { done, problem: error instanceof Error ? error.message : String(error) };
  }
  return { done, problem: null };
}
