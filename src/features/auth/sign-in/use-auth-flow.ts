import { useReducer, type Dispatch } from 'react';
import type { NewAccount, Repositories } from '../../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { notify } from '../../../ui/feedback/notices';
import { authProblem, type AuthTask } from '../auth-text';
import {
  afterEmailInUse,
  INITIAL_AUTH_STATE,
  authReducer,
  inputProblem,
  type AuthAction,
  type AuthState,
  type AuthCall,
} from './auth-reducer';
import type { OverlayRequest } from '../overlay-state';

const TASKS: Readonly<Record<AuthCall, AuthTask>> = {
  'send-code': 'mail',
  'send-link': 'mail',
  'send-reset': 'mail',
  'verify-code': 'code',
  'check-reset': 'code',
  reset: 'code',
  password: 'password',
  create: 'create',
  anonymous: 'other',
  provider: 'other',
  aboard: 'other',
};

/** Form below the code screen, by the mail sent before. */
const FORM_AFTER_MAIL = { code: 'email', link: 'link-sent', reset: 'reset-code' } as const;

export interface AuthFlow {
  readonly state: AuthState;
  readonly dispatch: Dispatch<AuthAction>;
  /** Mails a code. */
  readonly sendCode: () => void;
  /** Mails a link that returns to the current page. */
  readonly sendLink: () => void;
  readonly verifyCode: (code: string) => void;
  readonly signInWithPassword: (password: string) => void;
  readonly createAccount: (account: Omit<NewAccount, 'email'>) => void;
  readonly sendPasswordReset: () => void;
  /** Checks a mailed code before a password is asked for. */
  readonly checkResetCode: (code: string) => void;
  readonly resetPassword: (code: string, password: string) => void;
  readonly signInAnonymously: () => void;
  /** Signs in another way, such as a provider's popup, which returns the success text. */
  readonly signInWith: (way: () => Promise<string>) => void;
}

/** Sign-in of the overlay: calls the cloud and updates the state. */
export function useAuthFlow(account: Repositories['account'], { email = '', sent }: OverlayRequest): AuthFlow {
  const [state, dispatch] = useReducer(authReducer, {
    ...INITIAL_AUTH_STATE,
    email,
    otpSent: sent === 'code',
    form: sent === undefined ? 'email' : FORM_AFTER_MAIL[sent],
  });

  async function run(
    call: AuthCall,
    ask: () => Promise<void>,
    given: { readonly password?: string; readonly code?: string } = {},
  ): Promise<void> {
    if (state.loading !== null) return;
    const wrong =
      call === 'anonymous' || call === 'provider' ? null : inputProblem(call, { email: state.email, ...given });
    dispatch({ type: 'asked', call });
    if (wrong !== null) return dispatch({ type: 'failed', problem: wrong });
    try {
      await ask();
    } catch (error) {
      dispatch({ type: 'failed', problem: authProblem(error, TASKS[call]) });
    }
  }
  const finish = async (words: string): Promise<void> => {
    dispatch({ type: 'verified', secondFactor: await missingFactor(account) });
    notify({ title: words, icon: 'check' });
  };
  const mailCode = async (): Promise<void> => {
    await account.signIn.sendCode(state.email);
    dispatch({ type: 'code-sent' });
  };
  const enterPassword = async (password: string): Promise<void> => {
    await account.signIn.signInWithPassword(state.email, password);
    await finish(ANALYSIS_MESSAGES.signedIn);
  };
  return {
    state,
    dispatch,
    sendCode: () => void run('send-code', mailCode),
    sendLink: () =>
      void run('send-link', async () => {
        await account.signIn.sendLink(state.email, currentPath());
        dispatch({ type: 'link-sent' });
      }),
    verifyCode: (code) =>
      void run(
        'verify-code',
        () => account.signIn.withCode(state.email, code).then(() => finish(ANALYSIS_MESSAGES.signedIn)),
        { code },
      ),
    signInWithPassword: (password) => void run('password', () => enterPassword(password), { password }),
    createAccount: (wanted) =>
      void run('create', async () => {
        try {
          await account.signIn.createAccount({ ...wanted, email: state.email });
          await finish(ANALYSIS_MESSAGES.accountCreated);
        } catch (error) {
          if (authProblem(error, 'create').auth !== 'auth/email-already-in-use') throw error;
          await (afterEmailInUse(wanted.password ?? '') === 'password'
            ? enterPassword(wanted.password ?? '')
            : mailCode());
        }
      }),
    sendPasswordReset: () =>
      void run('send-reset', () =>
        account.signIn.sendPasswordReset(state.email).then(() => dispatch({ type: 'reset-sent' })),
      ),
    checkResetCode: (code) =>
      void run(
        'check-reset',
        () => account.signIn.checkResetCode(state.email, code).then(() => dispatch({ type: 'reset-checked' })),
        { code },
      ),
    resetPassword: (code, password) =>
      void run(
        'reset',
        () => account.signIn.resetPassword(state.email, code, password).then(() => finish(ANALYSIS_MESSAGES.signedIn)),
        { code },
      ),
    signInAnonymously: () =>
      void run('anonymous', () =>
        account.signIn.signInAnonymously().then(() => finish(ANALYSIS_MESSAGES.signedInAnonymously)),
      ),
    signInWith: (way) => void run('provider', () => way().then(finish)),
  };
}

/** Second factor that a sign-in still needs. If the shore does not say, the person works as a volunteer and is asked later. */
async function missingFactor({ secondFactor, signIn }: Repositories['account']): Promise<AuthState['secondFactor']> {
  // Codes of accounts are typed on the shore's own page alone.
  if (!signIn.facts.get().isShorePage) return null;
  try {
    const state = await secondFactor.state();
    return state === null || state.status === 'passed' ? null : state.status;
  } catch {
    return null;
  }
}

/** Current page, as the target of a mailed link. */
export function currentPath(): string {
  const { pathname, search, hash } = window.location;
  return pathname.startsWith('/sign-in') ? '/surveys' : pathname + search + hash;
}
