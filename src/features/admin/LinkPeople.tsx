import { useState, type FormEvent } from 'react';
import type { AdminPerson, AdminRepository } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Icon } from '../../ui/display/Icon';
import { TextArea } from '../../ui/controls/TextArea';
import { ADDRESSES_MAX, leftOutText, parseAddresses, linkResult, type LinkResult } from './admin-text';
import styles from './admin.module.css';
import { HandleField } from './HandleField';

interface Props {
  readonly admin: AdminRepository;
  /** Called for each person who was linked, and once at the end. */
  readonly onLinked: (now: AdminPerson) => void;
  readonly onDone: () => void;
}

interface LinkRun {
  readonly handle: string;
  readonly results: readonly LinkResult[];
  readonly total: number;
}

/** Links several people to an event or organisation and shows the cloud's answer for each (1§5). */
export function LinkPeople({ admin, onLinked, onDone }: Props) {
  const [text, setText] = useState('');
  const [handle, setHandle] = useState('');
  const [run, setRun] = useState<LinkRun | null>(null);
  const [isWorking, setWorking] = useState(false);
  const emails = parseAddresses(text);
  const leftOut = leftOutText(text);
  const isTooMany = emails.length > ADDRESSES_MAX;

  async function link(event: FormEvent): Promise<void> {
    event.preventDefault();
    const to = handle.trim().toLowerCase();
    if (isWorking || isTooMany || emails.length === 0 || to === '') return;
    setWorking(true);
    const answers: LinkResult[] = [];
    setRun({ handle: to, results: answers, total: emails.length });
    // Sequential; if the connection ends, the remaining addresses stay in the field for another attempt.
    for (const email of emails) {
      try {
        onLinked(await admin.link(email, to));
        answers.push(linkResult(email, to));
      } catch (error) {
        answers.push(linkResult(email, to, error));
      }
      setRun({ handle: to, results: [...answers], total: emails.length });
      if (answers.at(-1)?.status === 'failed') break;
    }
    const settled = new Set(answers.flatMap(({ email, status }) => (status === 'linked' ? [email] : [])));
    setText(emails.filter((email) => !settled.has(email)).join('\n'));
    setWorking(false);
    if (settled.size > 0) onDone();
  }

  return (
    <section className={styles.card} aria-labelledby="link-title">
      <h2 id="link-title">Link people to an event or organisation</h2>
      <p className={styles.quiet}>
        The handle is added to their domains, so that their work counts there. They get no role.
      </p>
      <form className={styles.form} aria-label="Link people" noValidate onSubmit={(event) => void link(event)}>
        <TextArea
          label="Email addresses"
          rows={3}
          value={text}
          onChange={setText}
          isDisabled={isWorking}
          help={[emails.length < 2 ? 'Enter one address or a whole list.' : `${emails.length} addresses.`, leftOut]
            .filter((part) => part !== '')
            .join(' ')}
          error={
            isTooMany ? `${emails.length} addresses are too many. Enter at most ${ADDRESSES_MAX} at once.` : undefined
          }
        />
        <HandleField admin={admin} handle={handle} onHandle={setHandle} isDisabled={isWorking} />
        <Button type="submit" isDisabled={isWorking || isTooMany || emails.length === 0 || handle.trim() === ''}>
          {isWorking && run !== null ? `Linking ${run.results.length + 1} of ${run.total}` : 'Link'}
        </Button>
      </form>
      {run !== null && run.results.length > 0 && (
        <div role="status">
          {!isWorking && <p className={styles.quiet}>{summary(run)}</p>}
          <ul className={styles.answers} aria-label="Result for each address">
            {run.results.map(({ email, status, text }) => (
              <li key={email} className={styles[status]}>
                <Icon name={status === 'linked' ? 'check' : 'alert'} />
                <span>
                  <b>{email}</b>
                  {text}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function summary({ results, total, handle }: LinkRun): string {
  const linked = results.filter(({ status }) => status === 'linked').length;
  const left = total - results.length;
  return `${linked} of ${total} linked to ${handle}.${left > 0 ? ` ${left} not tried: they are listed above, ready for another try.` : ''}`;
}
