import { lazy, Suspense, useEffect, useState } from 'react';
import type { Repositories } from '../../data/repositories';
import { needsName } from '../../domain/user/user';
import { Button } from '../../ui/controls/Button';
import { Dialog } from '../../ui/controls/Dialog';
import { useObservable } from '../shell';
import { CodeStep } from './sign-in/CodeStep';
import { CreateStep } from './sign-up/CreateStep';
import { EmailStep } from './sign-in/EmailStep';
import { LoadingText } from './LoadingText';
import { LinkStep } from './sign-in/LinkStep';
import { stepOf, type AuthStep } from './sign-in/auth-reducer';
import { noteDeclined } from './name-prompt';
import { canClose, overlay, type OverlayRequest } from './overlay-state';
import { PasswordStep } from './sign-in/PasswordStep';
import { PersonForm } from './sign-in/PersonForm';
import { ProfilePanel } from './profile/ProfilePanel';
import { ResetStep } from './sign-in/ResetStep';
import { ShoreWindowStep } from './sign-in/ShoreWindowStep';
import { useAuthFlow } from './sign-in/use-auth-flow';
import styles from './auth.module.css';

// Loaded lazily: few people have one.
const SecondFactorStep = lazy(() => import('./second-factor/SecondFactorStep'));

const TITLES: Readonly<Record<AuthStep, string>> = {
  email: 'Sign in to get started',
  password: 'Sign in with a password',
  create: 'Create an account',
  code: 'Check your email',
  'link-sent': 'Check your email',
  'reset-code': 'Check your email',
  'new-password': 'Set a new password',
  'second-factor': 'Confirm that it is you',
  profile: 'Your profile',
};

interface Props {
  readonly repositories: Pick<Repositories, 'account' | 'edge' | 'custody'>;
  readonly request: OverlayRequest;
}

/** Sign-in and profile over the current screen (2§2 "Auth and profile overlay"). */
export default function AuthOverlay({ repositories, request }: Props) {
  const {
    account,
    edge,
    account: { people },
  } = repositories;
  const facts = useObservable(account.signIn.facts);
  const { account: signedIn, isShorePage, origin } = facts;
  const [signedInBefore] = useState(signedIn?.signedInAt);
  const { answering } = useObservable(edge.link.connectivity);
  const person = useObservable(people.current);
  const flow = useAuthFlow(account, request);
  const [wants, setWants] = useState<'ashore' | 'here' | null>(
    request.ashore === true || request.sent !== undefined ? 'ashore' : null,
  );
  // Aboard, the box's own sign-in comes first (2§2: "sign-in and sign-out go through an edge service").
  const isHere = (wants ?? (answering === 'edge' ? 'here' : 'ashore')) === 'here';
  const factor = request.show === 'second-factor' ? 'needed' : flow.state.secondFactor;
  const step =
    factor !== null ? 'second-factor' : request.show === 'profile' && person !== null ? 'profile' : stepOf(flow.state);
  const isClosable = canClose(step === 'profile' ? person : null);
  useEffect(() => {
    void account.signIn.discover();
  }, [account]);
  // The mailed link signed in from another tab.
  const isDone = step === 'link-sent' && signedIn !== null && signedIn.signedInAt !== signedInBefore;
  useEffect(() => {
    if (isDone) overlay.close();
  }, [isDone]);
  if (factor !== null) {
    return (
      <Dialog
        title={factor === 'missing' ? 'Set up your second step' : TITLES['second-factor']}
        isOpen
        onClose={overlay.close}
      >
        <Suspense fallback={<LoadingText />}>
          <SecondFactorStep
            shoreOnly={isShorePage ? null : (origin ?? 'The shore')}
            account={account}
            isMissing={factor === 'missing'}
            onDone={() => (request.show === 'second-factor' ? overlay.close() : flow.dispatch({ type: 'factor-done' }))}
          />
        </Suspense>
      </Dialog>
    );
  }
  if (step === 'profile') {
    const isUnnamed = person !== null && needsName(person);
    const leave = (): void => {
      if (isUnnamed) noteDeclined(person.uid);
      overlay.close();
    };
    return (
      <Dialog title={TITLES.profile} isOpen isClosable={isClosable} onClose={leave} wide>
        <ProfilePanel
          repositories={repositories}
          isAboard={answering === 'edge'}
          initialSection={request.part ?? (isUnnamed ? 'profile' : null)}
          onDone={overlay.close}
        />
        {isUnnamed && isClosable && (
          <div className={styles.more}>
            <Button variant="quiet" onPress={leave}>
              Continue without a name
            </Button>
          </div>
        )}
      </Dialog>
    );
  }
  if (isHere) {
    return (
      <Dialog title="Who is using this tablet?" isOpen onClose={overlay.close}>
        <PersonForm repositories={repositories} onDone={overlay.close} />
        <div className={styles.more}>
          <Button variant="quiet" onPress={() => setWants('ashore')}>
            Sign in ashore instead
          </Button>
        </div>
      </Dialog>
    );
  }
  const stayHere = person === null && flow.state.loading === null && (
    <div className={styles.more}>
      <Button variant="quiet" onPress={() => setWants('here')}>
        No network? Your name is enough for now
      </Button>
    </div>
  );
  if (!isShorePage && step !== 'link-sent') {
    return (
      <Dialog title={TITLES.email} isOpen onClose={overlay.close}>
        <ShoreWindowStep
          flow={flow}
          facts={facts}
          withAnonymous={person === null}
          account={account}
          isAboard={answering === 'edge'}
        />
        {stayHere}
      </Dialog>
    );
  }
  return (
    <Dialog title={TITLES[step]} isOpen onClose={overlay.close}>
      {step === 'email' && (
        <EmailStep flow={flow} withAnonymous={person === null} account={account} isAboard={answering === 'edge'} />
      )}
      {step === 'password' && <PasswordStep flow={flow} />}
      {step === 'create' && <CreateStep flow={flow} />}
      {step === 'code' && <CodeStep flow={flow} />}
      {step === 'link-sent' && <LinkStep flow={flow} />}
      {(step === 'reset-code' || step === 'new-password') && <ResetStep flow={flow} />}
      {step === 'email' && stayHere}
    </Dialog>
  );
}
