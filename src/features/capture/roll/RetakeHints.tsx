import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import type { HintCounts, RollFilter } from './roll-items';
import { hintCountText } from '../capture-text';

interface Props {
  readonly counts: HintCounts;
  readonly filter: RollFilter;
  readonly onFilter: (filter: RollFilter) => void;
}

/** Photographs worth retaking while the divers are there. */
export function RetakeHints({ counts, filter, onFilter }: Props) {
  const n = counts.photographs;
  if (n === 0 && filter === 'all') return null;
  const onlyAlike = counts.blurred + counts['too-dark'] + counts['too-bright'] + counts['only-water'] === 0;
  return (
    <Note
      tone="wait"
      icon="camera"
      title={
        n === 0
          ? 'Nothing left to look at.'
          : onlyAlike
            ? n === 1
              ? 'Two are nearly alike.'
              : 'Some are nearly alike.'
            : 'Worth a second pass while the divers are here.'
      }
      action={
        <Button onPress={() => onFilter(filter === 'all' ? 'hints' : 'all')}>
          {filter !== 'all' ? 'See all' : n === 1 ? 'See it' : `See the ${n.toLocaleString('en')}`}
        </Button>
      }
    >
      {n === 0 ? 'All of them were reviewed.' : hintCountText(counts)}
    </Note>
  );
}
