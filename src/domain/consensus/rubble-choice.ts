import { labelVersion } from '../analysis/labelling/label-versions';
import { labelSet } from '../analysis/labelling/label-sets';
import type { Ballot } from './ballot';
import { coverOfLabel } from './cover-classes';

/**
 * True if an analyst could name rubble: the class set of an analysis has it. Tracing has; of the step-by-step sets that of
 * Hawaii's experts has (2§3); the form of percentages has no field for it. How others name rubble is in their skill.
 */
export function couldNameRubble(ballots: readonly Ballot[]): boolean {
  return ballots.some(hasRubble);
}

function hasRubble({ answer, version }: Ballot): boolean {
  switch (answer.kind) {
    case 'marks':
      return true;
    case 'outlines':
      return (
        version !== null && labelSet(labelVersion(version).steps[0].set).some(({ id }) => coverOfLabel(id) === 'rubble')
      );
    case 'shares':
    case 'bad':
      return false;
  }
}
