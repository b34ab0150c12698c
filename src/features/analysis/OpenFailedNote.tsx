import { Link } from '@tanstack/react-router';
import { ReefError } from '../../domain/errors';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';

interface Props {
  readonly error: unknown;
  /** Title for errors other than a missing photograph. */
  readonly title: string;
  readonly onRetry: () => void;
}

/** Reason that a photograph could not be opened, with a retry and the way back. */
export function OpenFailedNote({ error, title, onRetry }: Props) {
  const isMissing = error instanceof ReefError && error.code === 'not-found';
  return (
    <>
      <Note
        tone="look"
        icon="alert"
        role="alert"
        title={isMissing ? 'It is not on this tablet' : title}
        action={<Button onPress={onRetry}>Try again</Button>}
      >
        {isMissing
          ? 'With a link to the box or the shore it can be fetched.'
          : 'Nothing of your work is lost. Try again, or take another one.'}
      </Note>
      <p>
        <Link to="/analysis">Back to Analyse</Link>
      </p>
    </>
  );
}
