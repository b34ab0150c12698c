import type { SurveyId } from '../../../domain/ids';
import { mergeEdits, readEdits } from '../../../domain/survey/log-edits';
import type { LogEdits } from '../../../domain/survey/log';

/** Entries not written yet, or faulty; they survive a reload and are removed once written. */
export interface DraftJournal {
  readonly read: (id: SurveyId) => LogEdits;
  readonly write: (id: SurveyId, edits: LogEdits) => void;
}

const keyOf = (id: SurveyId): string => `reef.log.${id}`;

/**
 * Journal of a tab in localStorage, shared by all tabs: written synchronously, so that closing the tab mid-word loses
 * nothing. Holds entries for half a second, faulty ones until corrected. A tab changes only its own entries.
 */
export function createDraftJournal(storage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): DraftJournal {
  /** Edits last written by this tab. */
  const lastWritten = new Map<SurveyId, LogEdits>();
  return {
    read: (id) => {
      try {
        const edits = readEdits(storage().getItem(keyOf(id)));
        lastWritten.set(id, edits);
        return edits;
      } catch (error) {
        // Without localStorage entries are still saved half a second later.
        console.info('Log entries could not be restored after a reload.', error);
        return {};
      }
    },
    write: (id, edits) => {
      try {
        const merged = mergeEdits(lastWritten.get(id) ?? {}, edits, readEdits(storage().getItem(keyOf(id))));
        lastWritten.set(id, edits);
        if (Object.keys(merged).length === 0) storage().removeItem(keyOf(id));
        else storage().setItem(keyOf(id), JSON.stringify(merged));
      } catch (error) {
        console.info('Log entries could not be stored for a reload.', error);
      }
    },
  };
}

export const browserJournal: DraftJournal = createDraftJournal(() => localStorage);
