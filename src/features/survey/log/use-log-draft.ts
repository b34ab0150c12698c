import { useEffect, useState, useSyncExternalStore } from 'react';
import type { RegionRepository, Repositories, SurveyRepository, SurveyView } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { REGION_LIST } from '../../../domain/region/regions';
import { today } from '../../../domain/survey/day';
import { browserJournal } from './draft-journal';
import { LogDraft, type LogDraftView } from './log-draft';

/** Drafts by survey, shared by all screens that show its log. */
const drafts = new WeakMap<SurveyRepository, Map<SurveyId, LogDraft>>();

function logDraftOf(surveys: SurveyRepository, regions: RegionRepository, { id, doc }: SurveyView): LogDraft {
  const ofTablet = drafts.get(surveys) ?? new Map<SurveyId, LogDraft>();
  drafts.set(surveys, ofTablet);
  const existing = ofTablet.get(id);
  if (existing !== undefined) return existing;
  const made = new LogDraft(id, doc, {
    surveys,
    journal: browserJournal,
    today: () => today(new Date()),
    regions: () => {
      const { items } = regions.all.get();
      return items.length === 0 ? REGION_LIST : items;
    },
    setTimer: (ms, call) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
  });
  ofTablet.set(id, made);
  return made;
}

/** Log of a survey and its draft; written at once when the page is hidden or left. */
export function useLogDraft(
  { surveys, regions }: Pick<Repositories['census'], 'surveys' | 'regions'>,
  survey: SurveyView,
): { readonly log: LogDraftView; readonly draft: LogDraft } {
  const [current, setCurrent] = useState(() => logDraftOf(surveys, regions, survey));
  const draft = current.id === survey.id ? current : logDraftOf(surveys, regions, survey);
  if (draft !== current) setCurrent(draft);
  const log = useSyncExternalStore(draft.subscribe, draft.get);
  useEffect(() => draft.updateDocument(survey.doc), [draft, survey.doc]);
  useEffect(() => regions.all.subscribe(() => draft.recheck()), [draft, regions]);
  useEffect(() => {
    const write = (): void => void draft.flush();
    const onHidden = (): void => {
      if (document.visibilityState === 'hidden') write();
    };
    document.addEventListener('visibilitychange', onHidden);
    window.addEventListener('pagehide', write);
    window.addEventListener('blur', write);
    return () => {
      document.removeEventListener('visibilitychange', onHidden);
      window.removeEventListener('pagehide', write);
      window.removeEventListener('blur', write);
      write();
    };
  }, [draft]);
  return { log, draft };
}
