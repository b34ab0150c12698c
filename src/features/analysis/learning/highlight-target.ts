import type { Course } from './use-course';
import type { HighlightTarget } from './use-highlight';

export function highlightTargetFor({
  stage,
  demo,
  checks,
  match,
}: Pick<Course, 'stage' | 'demo' | 'checks' | 'match'>): HighlightTarget {
  if (match?.isMet === true) return null;
  if (stage === 2) return demo === null ? 'classes' : checks === 0 ? 'pen' : null;
  return stage === 4 && checks === 0 ? 'fill' : null;
}
