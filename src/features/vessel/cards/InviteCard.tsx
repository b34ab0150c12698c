import { useEffect, useState } from 'react';
import type { Invitation, Repositories } from '../../../data/repositories';
import { formatPairingCode, pairingLink } from '../../../domain/pairing-link';
import { QrCode } from '../../../ui/display/QrCode';
import { NoWrap } from '../../../ui/display/NoWrap';
import styles from './cards.module.css';

type State =
  | { readonly status: 'asking' }
  | { readonly status: 'told'; readonly invitation: Invitation }
  | { readonly status: 'not-told' };

/** Address and code of the box, if it shows them to paired tablets. */
export function InviteCard({
  edge,
  isConnected,
}: {
  readonly edge: Repositories['edge'];
  readonly isConnected: boolean;
}) {
  const [state, setState] = useState<State>({ status: 'asking' });
  useEffect(() => {
    if (!isConnected) return undefined;
    let disposed = false;
    edge.link.invitation().then(
      (invitation) => {
        if (!disposed) setState(invitation === null ? { status: 'not-told' } : { status: 'told', invitation });
      },
      () => {
        // The next connection asks again.
        if (!disposed) setState({ status: 'not-told' });
      },
    );
    return () => {
      disposed = true;
    };
  }, [edge, isConnected]);
  if (state.status !== 'told') {
    return (
      <section className={styles.card} aria-label="Pair another tablet">
        <h2>Pair another tablet</h2>
        <p className={styles.quiet}>
          {isConnected && state.status === 'asking'
            ? 'Asking the box.'
            : 'The box’s own screen, its console, shows its address and code.'}
        </p>
      </section>
    );
  }
  const { origin, code } = state.invitation;
  return (
    <section className={`${styles.card} ${styles.invite}`} aria-label="Pair another tablet">
      <QrCode text={pairingLink(origin, code)} label="Address of the box, to scan with another tablet" size={148} />
      <div className={styles.inviteWords}>
        <h2>Pair a tablet</h2>
        <p className={styles.quiet}>Point its camera here, or open</p>
        <p className={styles.strong}>
          <NoWrap>{origin.replace(/^https:\/\//, '')}</NoWrap>
        </p>
        {code !== '' && (
          <>
            <p className={styles.quiet}>and enter</p>
            <p className={styles.code}>{formatPairingCode(code)}</p>
          </>
        )}
      </div>
    </section>
  );
}
