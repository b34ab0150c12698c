import { useEffect } from 'react';
import type { Repositories } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { Icon } from '../../../ui/display/Icon';
import { Note } from '../../../ui/feedback/Note';
import { NoWrap } from '../../../ui/display/NoWrap';
import { useObservable } from '../../shell';
import { shoreText } from '../auth-text';
import { overlay } from '../overlay-state';
import styles from './ShoreCard.module.css';

interface Props {
  readonly account: Repositories['account'];
  /** Email address of the current user; empty without one. */
  readonly email: string;
}

/** Cloud sign-in status of this tablet. */
export function ShoreCard({ account, email }: Props) {
  const facts = useObservable(account.signIn.facts);
  useEffect(() => {
    void account.signIn.discover();
  }, [account]);
  const { account: signedIn, link, origin } = facts;
  const isIn = signedIn !== null && link !== 'refused' && link !== 'revoked';
  return (
    <section className={styles.card} id="shore" aria-labelledby="shore-title" tabIndex={-1}>
      <h2 id="shore-title">
        <Icon name="shore" />
        {signedIn === null ? 'Sign in ashore' : 'Signed in ashore'}
      </h2>
      <p role="status">{shoreText(facts)}</p>
      {link === 'refused' && (
        <Note tone="look" icon="alert" title="The shore no longer accepts this tablet">
          Sign in again. Everything here stays here, and a box still accepts it.
        </Note>
      )}
      {link === 'revoked' && (
        <Note tone="look" icon="alert" title="This tablet was revoked ashore" role="status">
          Nothing on it is lost. To see and change your records ashore with it again, sign in on it.
        </Note>
      )}
      {isIn ? (
        <>
          <dl className={styles.facts}>
            <dt>As</dt>
            <dd>{signedIn.email === '' ? 'No email address' : signedIn.email}</dd>
            <dt>Shore</dt>
            <dd>{origin !== null && <NoWrap>{new URL(origin).host}</NoWrap>}</dd>
          </dl>
          {signedIn.email === '' && (
            <Button onPress={() => overlay.open({ show: 'profile', part: 'account' })}>Add an email address</Button>
          )}
          <p className={styles.quiet}>If you sign out, your unsent work stays here and is still sent.</p>
        </>
      ) : (
        <Button variant="primary" onPress={() => overlay.open({ show: 'sign-in', ashore: true, email })}>
          Sign in ashore
        </Button>
      )}
    </section>
  );
}
