import { useState } from 'react';
import type { CloudFacts, Repositories } from '../../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { NoWrap } from '../../../ui/display/NoWrap';
import { FormError } from '../FormError';
import { popupTicket } from './popup';
import { ProviderButtons } from './ProviderButtons';
import { SignInProgress } from './SignInProgress';
import { ShoreAddressField } from './ShoreAddressField';
import type { AuthFlow } from './use-auth-flow';
import styles from '../auth.module.css';

interface Props {
  readonly flow: AuthFlow;
  readonly facts: Pick<CloudFacts, 'origin' | 'suggestion'>;
  /** True without a current user: anonymous sign-in is offered. */
  readonly withAnonymous: boolean;
  readonly account: Repositories['account'];
  /** True if a box answers. */
  readonly isAboard: boolean;
}

/** Sign-in for a page that the shore did not serve: password and code are typed in a window of the shore's own. */
export function ShoreWindowStep({ flow, facts: { origin, suggestion }, withAnonymous, account, isAboard }: Props) {
  const { state } = flow;
  const [typed, setTyped] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const address = typed ?? suggestion?.origin ?? '';
  const open = (): void =>
    flow.signInWith(async () => {
      // Opened directly by the press: browsers block later popups.
      const ticket = await popupTicket(async () => {
        if (origin === null) await account.signIn.pinCloud(address);
        return account.signIn.startWindowSignIn(window.location.origin, state.email);
      });
      await account.signIn.finishWindowSignIn(ticket);
      return ANALYSIS_MESSAGES.signedIn;
    });
  return (
    <div className={`${styles.form} ${styles.step}`}>
      <p>
        You enter your password or code in a window of the shore
        {origin !== null && (
          <>
            , <NoWrap>{new URL(origin).host}</NoWrap>
          </>
        )}
        . This page comes from somewhere else, such as a box, and never asks for them.
      </p>
      {origin === null && (
        <ShoreAddressField
          value={address}
          onChange={setTyped}
          problem={state.problem}
          suggestion={suggestion}
          isAsked={isAsked}
          onAsk={() => setAsked(true)}
        />
      )}
      <FormError problem={state.problem} shownByFields={['address']} />
      {state.loading !== null ? (
        <SignInProgress inWindow={state.loading === 'provider'} />
      ) : (
        <>
          <div className={styles.main}>
            <Button variant="primary" onPress={origin === null && address === '' ? () => setAsked(true) : open}>
              Continue at the shore
            </Button>
          </div>
          {origin !== null && (
            <div className={styles.more}>
              <ProviderButtons account={account} flow={flow} isAboard={isAboard} />
              {withAnonymous && (
                <Button variant="quiet" onPress={flow.signInAnonymously}>
                  Continue without an email address
                </Button>
              )}
            </div>
          )}
        </>
      )}
    </div>
  );
}
