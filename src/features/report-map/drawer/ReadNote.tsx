import { Link } from '@tanstack/react-router';
import type { ReportRead } from '../../../data/repositories';
import { openSignIn } from '../../auth';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { asOfText, failureText } from '../data/read-text';
import list from './list.module.css';

interface Props {
  readonly read: ReportRead<unknown>;
  /** Shown while it is read for the first time. */
  readonly loading: string;
  /** Name of it in the plural, if the shore alone has it: "Public surveys". */
  readonly subject?: string;
}

/** State of an answer: being read, stored, or failed with its cause; nothing if it is current. */
export function ReadNote({ read, loading, subject }: Props) {
  const asOf = asOfText(read);
  if (read.status === 'error' && read.error.code === 'not-found' && asOf === null)
    return (
      <p className={list.empty} role="status">
        Nothing is published here yet. It appears once the first surveys are in.
      </p>
    );
  const isUnpaired = read.status === 'error' && read.error.details['field'] === 'pairing';
  if (read.status === 'error')
    return (
      <div className={list.note}>
        <Note
          tone="look"
          icon="alert"
          role="status"
          title={isUnpaired ? 'This tablet is not paired' : 'This could not be read'}
          action={
            isUnpaired ? (
              <Link to="/box">Pair with the box</Link>
            ) : read.error.code === 'unauthorised' ? (
              <Button onPress={() => openSignIn()}>Sign in</Button>
            ) : undefined
          }
        >
          {failureText(read.error, read.asOf !== null)} {asOf !== null && `${asOf}.`}
        </Note>
      </div>
    );
  if (read.status === 'reading' && read.asOf === null)
    return (
      <p className={list.sub} role="status">
        {loading}
      </p>
    );
  if (read.status === 'stored')
    return (
      <div className={list.note}>
        <Note tone="plain" icon="offline" role="status" title={asOf ?? 'Not on this tablet yet'}>
          {storedText(read, subject)}
        </Note>
      </div>
    );
  return null;
}

/** Text for an answer that no server in reach has. */
function storedText(
  { asOf, isAboard }: Extract<ReportRead<unknown>, { readonly status: 'stored' }>,
  subject: string | undefined,
): string {
  if (asOf !== null)
    return `${isAboard ? 'The shore is out of' : 'No server is in'} reach; this is what the tablet has stored.`;
  if (!isAboard) return 'No server is in reach. It is fetched when the box or the shore answers.';
  return subject === undefined
    ? 'Only the shore has this, and it is out of reach. It is fetched when the shore answers.'
    : `${subject} are fetched when the shore answers.`;
}
