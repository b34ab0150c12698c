import { useReducer, type Dispatch } from 'react';
import type { NewAccount, Repositories } from '../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../domain/messages';
import { notify } from '../../ui/notices';
import { authProblem, type Doing } from './auth-words';
import {
  afterEmailInUse,
  AUTH_START,
  authReducer,
  problemBefore,
  type AuthAction,
  type AuthState,
  type Work,
} from './flow';
import type { OverlayRequest } from './overlay-state';

const DOING: Readonly<Record<Work, Doing>> = {
  'send-code': 'mail',
  'send-link': 'mail',
  'send-reset': 'mail',
  'verify-code': 'code',
  reset: 'code',
  password: 'password',
  create: 'create',
  anonymous: 'other',
  provider: 'other',
  aboard: 'other',
};

/** The form that stands open below the code screen, by what was mailed before. */
const FORMS = { code: 'email', link: 'link-sent', reset: 'reset-code' } as const;

export interface AuthFlow {
  readonly state: AuthState;
  readonly dispatch: Dispatch<AuthAction>;
  /** Mails a code. @param address of the shore, where it is typed */
  readonly sendCode: (address?: string) => void;
  /** Mails a link that leads back to the page that stands open. */
  readonly sendLink: (address?: string) => void;
  readonly verify: (code: string) => void;
  readonly withPassword: (password: string, address?: string) => void;
  readonly create: (account: Omit<NewAccount, 'email'>, address?: string) => void;
  readonly sendReset: () => void;
  readonly reset: (code: string, password: string) => void;
  readonly withoutAddress: () => void;
  /** Another way in, such as a window of another service; it gives the words of success. */
  readonly by: (way: () => Promise<string>) => void;
}

/** The sign-in of the overlay: what is asked of the shore, and what becomes of the state. */
export function useAuthFlow(account: Repositories['account'], { email = '', sent }: OverlayRequest): AuthFlow {
  const [state, dispatch] = useReducer(authReducer, {
    ...AUTH_START,
    email,
    otpSent: sent === 'code',
    form: sent === undefined ? 'email' : FORMS[sent],
  });

  async function run(
    work: Work,
    ask: () => Promise<void>,
    given: { readonly password?: string; readonly code?: string } = {},
  ): Promise<void> {
    if (state.loading !== null) return;
    const wrong =
      work === 'anonymous' || work === 'provider' ? null : problemBefore(work, { email: state.email, ...given });
    dispatch({ type: 'asked', work });
    if (wrong !== null) return dispatch({ type: 'failed', problem: wrong });
    try {
      await ask();
    } catch (error) {
      dispatch({ type: 'failed', problem: authProblem(error, DOING[work]) });
    }
  }
  const at = async (address: string | undefined): Promise<void> => {
    if (address !== undefined && address.trim() !== '') await account.pinCloud(address);
  };
  const came = (words: string): void => {
    dispatch({ type: 'verified' });
    notify({ title: words, icon: 'check' });
  };
  const mailCode = async (): Promise<void> => {
    await account.sendCode(state.email);
    dispatch({ type: 'code-sent' });
  };
  const enterPassword = async (password: string): Promise<void> => {
    await account.signInWithPassword(state.email, password);
    came(ANALYSIS_MESSAGES.signedIn);
  };
  return {
    state,
    dispatch,
    sendCode: (address) => void run('send-code', () => at(address).then(mailCode)),
    sendLink: (address) =>
      void run('send-link', async () => {
        await at(address);
        await account.sendLink(state.email, pathHere());
        dispatch({ type: 'link-sent' });
      }),
    verify: (code) =>
      void run('verify-code', () => account.signIn(state.email, code).then(() => came(ANALYSIS_MESSAGES.signedIn)), {
        code,
      }),
    withPassword: (password, address) =>
      void run('password', () => at(address).then(() => enterPassword(password)), { password }),
    create: (wanted, address) =>
      void run('create', async () => {
        await at(address);
        try {
          await account.createAccount({ ...wanted, email: state.email });
          came(ANALYSIS_MESSAGES.accountCreated);
        } catch (error) {
          if (authProblem(error, 'create').auth !== 'auth/email-already-in-use') throw error;
          await (afterEmailInUse(wanted.password ?? '') === 'password'
            ? enterPassword(wanted.password ?? '')
            : mailCode());
        }
      }),
    sendReset: () =>
      void run('send-reset', () => account.sendPasswordReset(state.email).then(() => dispatch({ type: 'reset-sent' }))),
    reset: (code, password) =>
      void run(
        'reset',
        () => account.resetPassword(state.email, code, password).then(() => came(ANALYSIS_MESSAGES.signedIn)),
        { code },
      ),
    withoutAddress: () =>
      void run('anonymous', () => account.signInAnonymously().then(() => came(ANALYSIS_MESSAGES.signedInAnonymously))),
    by: (way) => void run('provider', () => way().then(came)),
  };
}

/** The page that stands open, as a mailed link leads back to it. */
export function pathHere(): string {
  const { pathname, search, hash } = window.location;
  return pathname.startsWith('/sign-in') ? '/surveys' : pathname + search + hash;
}
