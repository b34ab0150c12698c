import { useEffect, useState } from 'react';
import type { Provider, Repositories } from '../../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { popupTicket } from './popup';
import { availableProviders } from './available-providers';
import type { AuthFlow } from './use-auth-flow';
import styles from '../auth.module.css';

interface Props {
  readonly account: Pick<Repositories['account'], 'signIn'>;
  readonly flow: AuthFlow;
  /** True if a box answers. */
  readonly isAboard: boolean;
}

/** Sign-in providers that the cloud offers (2§2). */
export function ProviderButtons({ account, flow, isAboard }: Props) {
  const [providers, setProviders] = useState<readonly Provider[]>([]);
  useEffect(() => {
    let isMounted = true;
    account.signIn.providers().then(
      (found) => isMounted && setProviders(found),
      () => undefined,
    );
    return () => {
      isMounted = false;
    };
  }, [account]);
  const signIn = async ({ id }: Provider): Promise<string> => {
    const ticket = await popupTicket(() => account.signIn.startProviderSignIn(id, window.location.origin));
    await account.signIn.finishProviderSignIn(id, ticket);
    return id === 'google' ? ANALYSIS_MESSAGES.signedInWithGoogle : ANALYSIS_MESSAGES.signedIn;
  };
  const shown = availableProviders(providers, { agent: navigator.userAgent, isAboard });
  if (shown.length === 0) return null;
  return (
    <div className={styles.providers} role="group" aria-label="Sign in with another service">
      <span className={styles.title}>Or sign in with</span>
      {shown.map((provider) => (
        <Button
          key={provider.id}
          aria-label={`Sign in with ${provider.name}`}
          onPress={() => flow.signInWith(() => signIn(provider))}
        >
          {provider.name}
        </Button>
      ))}
    </div>
  );
}
