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
}

/** State of an answer: being read, stored, or failed with its cause; nothing if it is current. */
export function ReadNote({ read, loading }: Props) {
  const asOf = asOfText(read);
  if (read.status === 'error' && read.error.code === 'not-found' && asOf === null)
    return (
      <p className={list.empty} role="status">
        Nothing is published here yet. It appears once the first surveys are in.
      </p>
    );
  if (read.status === 'error')
    return (
      <div className={list.note}>
        <Note
          tone="look"
          icon="alert"
          role="status"
          title="This could not be read"
          action={
            read.error.code === 'unauthorised' ? <Button onPress={() => openSignIn()}>Sign in</Button> : undefined
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
          {asOf === null
            ? 'No server is in reach. It is fetched when the box or the shore answers.'
            : 'No server is in reach; this is what the tablet has stored.'}
        </Note>
      </div>
    );
  return null;
}
