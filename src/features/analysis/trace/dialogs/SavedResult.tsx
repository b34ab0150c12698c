import { useMemo } from 'react';
import type { AnalysisRepository, TraceImage } from '../../../../data/repositories';
import type { FreeDrawStats } from '../../../../domain/analysis/free-draw/stats';
import type { AnalysisId } from '../../../../domain/ids';
import { useObservable } from '../../../shell';
import styles from './SavedResult.module.css';
import { readingsAshore, savedText } from './saved-text';

/** Analysis that was saved just now. */
export interface SavedAnalysis {
  readonly id: AnalysisId;
  readonly stats: FreeDrawStats;
  /** True if the photograph had no analysis of this person before. */
  readonly isFirst: boolean;
}

interface Props {
  readonly analyses: Pick<AnalysisRepository, 'mine' | 'ofSurvey'>;
  readonly image: TraceImage;
  readonly saved: SavedAnalysis;
}

/** Summary of what this person's work became. */
export function SavedResult({ analyses, image, saved: { id, stats, isFirst } }: Props) {
  const mine = useObservable(analyses.mine);
  const surveyId = image.survey.id;
  const readings = useObservable(useMemo(() => analyses.ofSurvey(surveyId), [analyses, surveyId]));
  /** The list may be a moment behind the save. */
  const counted = (items: readonly { readonly id: AnalysisId }[]): number =>
    new Set([...items.map((item) => item.id), id]).size;
  if (mine.status !== 'ready' || readings.status !== 'ready') return null;
  return (
    <p className={styles.result} role="status">
      {savedText({
        stats,
        own: isFirst ? counted(mine.items) : null,
        readings:
          image.source === 'own'
            ? counted(readings.items.filter(({ imageId }) => imageId === image.id))
            : readingsAshore(image.analyses, isFirst),
      })}
    </p>
  );
}
