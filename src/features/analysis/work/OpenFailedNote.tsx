import { Link } from '@tanstack/react-router';
import { ReefError } from '../../../domain/errors';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';

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
        title={isMissing ? 'This photograph is not on this tablet' : title}
        action={<Button onPress={onRetry}>Try again</Button>}
      >
        {isMissing
          ? 'Connect to the box or the shore to fetch it.'
          : 'Your work is safe. Try again, or choose another photograph.'}
      </Note>
      <p>
        <Link to="/analysis">Back to Analyse</Link>
      </p>
    </>
  );
}
