import { useCallback, useEffect, useState } from 'react';
import type { AdminPerson, AdminRepository, AuditAction, AuditPage } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Chips } from '../../ui/controls/Chips';
import { Note } from '../../ui/feedback/Note';
import { Switch } from '../../ui/controls/Switch';
import { adminErrorText, auditText, formatPerson } from './admin-text';
import styles from './admin.module.css';

interface Props {
  readonly admin: AdminRepository;
  readonly me: string;
  readonly person: AdminPerson | null;
  /** Changes after each edit made here. */
  readonly done: number;
}

type AuditFilter = AuditAction | 'all';
type AuditState =
  | { readonly status: 'reading' }
  | { readonly status: 'read'; readonly page: AuditPage }
  | { readonly status: 'failed'; readonly text: string };

const FILTERS: readonly { readonly value: AuditFilter; readonly label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'roles', label: 'Roles' },
  { value: 'link', label: 'Links' },
  { value: 'second-factor', label: 'Second steps' },
];

/** Audit log, page by page, newest first. */
export function AuditLog({ admin, me, person, done }: Props) {
  const [sift, setSift] = useState<AuditFilter>('all');
  const [isOfPerson, setOfPerson] = useState(false);
  /** Start of each page up to this one; the first starts with the newest entry. */
  const [pages, setPages] = useState<readonly (number | null)[]>([null]);
  const [read, setRead] = useState<AuditState>({ status: 'reading' });
  const about = isOfPerson ? person?.uid : undefined;
  const before = pages.at(-1) ?? null;

  const look = useCallback(
    (isWanted: () => boolean) => {
      admin
        .audit({
          ...(about === undefined ? {} : { about }),
          ...(sift === 'all' ? {} : { action: sift }),
          ...(before === null ? {} : { before }),
        })
        .then(
          (page) => isWanted() && setRead({ status: 'read', page }),
          (error: unknown) => isWanted() && setRead({ status: 'failed', text: adminErrorText(error) }),
        );
    },
    [admin, about, sift, before],
  );
  useEffect(() => {
    let isWanted = true;
    look(() => isWanted);
    return () => {
      isWanted = false;
    };
  }, [look, done]);

  /** A new filter starts at the newest page. */
  const choose = (set: () => void): void => {
    set();
    setPages([null]);
    setRead({ status: 'reading' });
  };
  const entries = read.status === 'read' ? read.page.entries : [];
  return (
    <section className={styles.card} aria-labelledby="log-title">
      <h2 id="log-title">Activity log</h2>
      <Chips label="Filter the log" options={FILTERS} value={sift} onChange={(value) => choose(() => setSift(value))} />
      {person !== null && (
        <Switch
          label={`Only about ${formatPerson(person)}`}
          isOn={isOfPerson}
          onChange={(on) => choose(() => setOfPerson(on))}
        />
      )}
      {read.status === 'reading' && (
        <Note icon="clock" title="Loading the log" role="status">
          The log is stored ashore.
        </Note>
      )}
      {read.status === 'failed' && (
        <Note
          tone="look"
          icon="alert"
          title="The log could not be loaded"
          role="status"
          action={
            <Button
              onPress={() => {
                setRead({ status: 'reading' });
                look(() => true);
              }}
            >
              Try again
            </Button>
          }
        >
          {read.text}
        </Note>
      )}
      {read.status === 'read' && entries.length === 0 && (
        <Note icon="check" title="No activity yet" role="status">
          {sift === 'all' && !isOfPerson
            ? 'Every role change and every link appears here.'
            : 'Nothing in the log matches this filter.'}
        </Note>
      )}
      {entries.length > 0 && read.status === 'read' && (
        <ol className={styles.log} aria-label="Activity log, newest first">
          {entries.map((entry) => (
            <li key={entry.id}>
              <span>{auditText(entry, read.page.names, { me, person })}</span>
              <time dateTime={entry.at}>
                {new Date(entry.at).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
              </time>
            </li>
          ))}
        </ol>
      )}
      {(pages.length > 1 || (read.status === 'read' && read.page.next !== null)) && (
        <nav className={styles.buttons} aria-label="Log pages">
          <Button icon="back" isDisabled={pages.length === 1} onPress={() => setPages(pages.slice(0, -1))}>
            Newer
          </Button>
          <Button
            icon="next"
            isDisabled={read.status !== 'read' || read.page.next === null}
            onPress={() => {
              if (read.status === 'read' && read.page.next !== null) setPages([...pages, read.page.next]);
            }}
          >
            Older
          </Button>
          <span className={styles.quiet}>Page {pages.length}</span>
        </nav>
      )}
    </section>
  );
}
