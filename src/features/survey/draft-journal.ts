import type { SurveyId } from '../../domain/ids';
import { readEdits } from '../../domain/survey/log-edits';
import type { LogEdits } from '../../domain/survey/log';

/** What was entered and is not written yet, or cannot be: kept where it survives a reload. Once written it is forgotten here. */
export interface DraftJournal {
  readonly read: (id: SurveyId) => LogEdits;
  readonly write: (id: SurveyId, edits: LogEdits) => void;
}

const keyOf = (id: SurveyId): string => `reef.log.${id}`;

/**
 * The journal in localStorage: written at once, with no promise to wait for, so that a tab that is closed in the middle of
 * a word loses nothing. It holds entries for half a second, faulty ones until they are mended.
 */
export const browserJournal: DraftJournal = {
  read: (id) => {
    try {
      return readEdits(localStorage.getItem(keyOf(id)));
    } catch (error) {
      // A browser that refuses localStorage: what is entered is written half a second later all the same.
      console.info('The entries of a log could not be read back.', error);
      return {};
    }
  },
  write: (id, edits) => {
    try {
      if (Object.keys(edits).length === 0) localStorage.removeItem(keyOf(id));
      else localStorage.setItem(keyOf(id), JSON.stringify(edits));
    } catch (error) {
      console.info('The entries of a log could not be kept for a reload.', error);
    }
  },
};
