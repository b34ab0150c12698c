import { Note } from '../../ui/Note';
import type { AuthProblem } from './auth-words';

interface Props {
  readonly of: AuthProblem | null;
  /** Fields that say it themselves. */
  readonly beside?: readonly AuthProblem['field'][];
}

/** What went wrong, where no field says it. */
export function Problem({ of, beside = [] }: Props) {
  if (of === null || beside.includes(of.field)) return null;
  return (
    <Note tone="look" icon="alert" title="That did not work" role="alert">
      {of.words}
    </Note>
  );
}
