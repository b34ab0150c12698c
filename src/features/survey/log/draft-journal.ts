import type { SurveyId } from '../../../domain/ids';
import { mergeEdits, readEdits } from '../../../domain/survey/log-edits';
import type { LogEdits } from '../../../domain/survey/log';

/** What was entered and is not written yet, or cannot be: kept where it survives a reload. Once written it is forgotten here. */
export interface DraftJournal {
  readonly read: (id: SurveyId) => LogEdits;
  readonly write: (id: SurveyId, edits: LogEdits) => void;
}

const keyOf = (id: SurveyId): string => `reef.log.${id}`;

/**
 * A tab's journal in a storage that all tabs share (localStorage): written at once, with no promise to wait for, so that a tab
 * that is closed in the middle of a word loses nothing. It holds entries for half a second, faulty ones until they are mended.
 * A tab changes there only what it entered itself: what another tab has of the same log stays.
 */
export function createDraftJournal(storage: () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>): DraftJournal {
  /** What this tab has told of each log. */
  const lastWritten = new Map<SurveyId, LogEdits>();
  return {
    read: (id) => {
      try {
        const edits = readEdits(storage().getItem(keyOf(id)));
        lastWritten.set(id, edits);
        return edits;
      } catch (error) {
        // A browser that refuses localStorage: what is entered is written half a second later all the same.
        console.info('The entries of a log could not be read back.', error);
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
        console.info('The entries of a log could not be kept for a reload.', error);
      }
    },
  };
}

/** The journal of this tab. */
export const browserJournal: DraftJournal = createDraftJournal(() => localStorage);
