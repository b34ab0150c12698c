import { Link } from '@tanstack/react-router';
import type { AdminAccess, Repositories } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { openSecondFactor } from '../auth';
import { BackLink, PageFooter, PageHeader, useObservable } from '../shell';
import styles from './admin.module.css';
import { Accounts } from './Accounts';

interface Props {
  readonly repositories: Pick<Repositories, 'account' | 'edge' | 'census'>;
}

/** Account administration (1§5): people, roles, links to events and organisations, audit log. */
export function AdminPage({ repositories }: Props) {
  const {
    account: { admin },
  } = repositories;
  const standing = useObservable(admin.access);
  return (
    <>
      <PageHeader
        title="Accounts"
        back={<BackLink to="/you" name="Back to You" />}
        sub="People, their roles, and who changed them."
      />
      <main className={styles.page}>
        {standing.status === 'admin' ? (
          <Accounts admin={admin} me={standing} />
        ) : (
          <div className={styles.alone}>
            <AccessNote standing={standing} onAgain={admin.refresh} />
          </div>
        )}
        <PageFooter repositories={repositories} />
      </main>
    </>
  );
}

function AccessNote({
  standing,
  onAgain,
}: {
  readonly standing: Exclude<AdminAccess, { status: 'admin' }>;
  readonly onAgain: () => void;
}) {
  switch (standing.status) {
    case 'asking':
      return (
        <Note icon="clock" title="Checking your access" role="status">
          The shore decides who can manage accounts.
        </Note>
      );
    case 'signed-out':
      return (
        <Note
          icon="person"
          title="Not signed in ashore"
          role="status"
          action={
            <Link to="/you" hash="shore">
              Sign in ashore
            </Link>
          }
        >
          Accounts are managed ashore, by the admins of the census.
        </Note>
      );
    case 'no':
      return (
        <Note icon="lock" title="Only admins can manage accounts" role="status">
          This account has no admin access yet. If you need it, ask the census staff to make you an admin. This page
          opens as soon as they do.
        </Note>
      );
    case 'second-factor':
      return (
        <Note
          icon="lock"
          title={standing.isMissing ? 'Set up your second step' : 'Confirm that it is you'}
          role="status"
          action={
            <Button onPress={() => openSecondFactor(standing.isMissing)}>
              {standing.isMissing ? 'Set it up' : 'Confirm now'}
            </Button>
          }
        >
          Your role counts after a second step, so that someone who reads your mail cannot act in your name. Until then
          you work as a volunteer.
        </Note>
      );
    case 'away':
      return (
        <Note
          tone="wait"
          icon="offline"
          title={standing.why === 'offline' ? 'You chose to stay offline' : 'Cannot reach the shore'}
          role="status"
          action={<Button onPress={onAgain}>Try again</Button>}
        >
          Accounts are stored ashore, so you need a connection to view or change them. Surveys and photographs work as
          usual.
        </Note>
      );
  }
}
