import type { AnalysisContent, ViewedAnalysis } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';

/** Note on contents that cannot be shown, or not whole; null for none. */
export function contentNote(
  content: AnalysisContent,
  version: number | null,
): { readonly title: string; readonly text: string } | null {
  if (content.kind === 'broken')
    return {
      title: 'This analysis cannot be read',
      text: 'Its record is damaged, so its marks are not shown. It stays unchanged.',
    };
  if (content.kind === 'other-version')
    return {
      title: version === null ? 'This analysis has no version' : `Version ${version} is not known here`,
      text: 'Another version of the app made this analysis, so its marks are not shown. It stays unchanged.',
    };
  if (content.unknown === 0) return null;
  return {
    title: content.unknown === 1 ? 'One mark is not shown' : `${content.unknown} marks are not shown`,
    text: 'Another version of the app made them, with categories that do not exist here. They stay in the record.',
  };
}

/** Reason that an analysis did not open. */
export const viewFailedText = (error: unknown): { readonly title: string; readonly text: string } =>
  error instanceof ReefError && error.code === 'not-found'
    ? {
        title: 'This analysis is not on this tablet',
        text: 'Connect to the box or the shore, then open it from the library again.',
      }
    : { title: 'This analysis could not be read', text: 'It is unchanged. Open it again.' };

/** Name of the author of an analysis. */
export const authorText = ({ isOwn, author }: Pick<ViewedAnalysis, 'isOwn' | 'author'>): string =>
  isOwn ? 'You' : (author ?? 'Someone else');

/** Formats a fraction of the picture. */
export const shareText = (share: number): string =>
  share > 0 && share < 0.01 ? 'under 1%' : `${Math.round(share * 100)}%`;
