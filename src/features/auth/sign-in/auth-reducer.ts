import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { isEmail } from '../../../domain/user/rules';
import type { AuthProblem } from '../auth-text';

/**
 * Step of the overlay (2§4: "Email, then create account, sign in, or send a code; then code screen; then profile
 * form").
 */
export type AuthStep =
  'email' | 'password' | 'create' | 'code' | 'link-sent' | 'reset-code' | 'new-password' | 'second-factor' | 'profile';

/** Pending call to the cloud. */
export type AuthCall =
  | 'send-code'
  | 'send-link'
  | 'verify-code'
  | 'password'
  | 'create'
  | 'send-reset'
  | 'check-reset'
  | 'reset'
  | 'anonymous'
  | 'provider'
  | 'aboard';

/** State of the overlay (2§4: "Auth state: email, loading, otpSent, showProfile"). */
export interface AuthState {
  readonly email: string;
  readonly loading: AuthCall | null;
  readonly otpSent: boolean;
  readonly showProfile: boolean;
  /** Second factor to be shown or set up after the sign-in; null for none. */
  readonly secondFactor: 'needed' | 'missing' | null;
  /** Current form; the code screen after a code was sent, the profile after sign-in. */
  readonly form: 'email' | 'password' | 'create' | 'link-sent' | 'reset-code' | 'new-password';
  readonly problem: AuthProblem | null;
}

export type AuthAction =
  | { readonly type: 'typed'; readonly email: string }
  | { readonly type: 'form'; readonly form: AuthState['form'] }
  | { readonly type: 'asked'; readonly call: AuthCall }
  | { readonly type: 'code-sent' }
  | { readonly type: 'link-sent' }
  | { readonly type: 'reset-sent' }
  | { readonly type: 'reset-checked' }
  | { readonly type: 'verified'; readonly secondFactor?: AuthState['secondFactor'] }
  | { readonly type: 'factor-done' }
  | { readonly type: 'failed'; readonly problem: AuthProblem }
  | { readonly type: 'left' };

export const INITIAL_AUTH_STATE: AuthState = {
  email: '',
  loading: null,
  otpSent: false,
  showProfile: false,
  secondFactor: null,
  form: 'email',
  problem: null,
};

/** Reducer of the sign-in. Only one call runs at a time; late answers are ignored. */
export function authReducer(state: AuthState, action: AuthAction): AuthState {
  switch (action.type) {
    case 'typed':
      return { ...state, email: action.email, problem: null };
    case 'form':
      return state.loading === null ? { ...state, form: action.form, otpSent: false, problem: null } : state;
    case 'asked':
      return state.loading === null ? { ...state, loading: action.call, problem: null } : state;
    case 'code-sent':
      return state.loading === null ? state : { ...state, loading: null, otpSent: true, problem: null };
    case 'link-sent':
      return state.loading === null
        ? state
        : { ...state, loading: null, form: 'link-sent', otpSent: false, problem: null };
    case 'reset-sent':
      return state.loading === null
        ? state
        : { ...state, loading: null, form: 'reset-code', otpSent: false, problem: null };
    case 'reset-checked':
      return state.loading === null ? state : { ...state, loading: null, form: 'new-password', problem: null };
    case 'verified':
      return state.loading === null
        ? state
        : { ...INITIAL_AUTH_STATE, email: state.email, showProfile: true, secondFactor: action.secondFactor ?? null };
    case 'factor-done':
      return { ...state, secondFactor: null };
    case 'failed':
      if (state.loading === null) return state;
      return {
        ...state,
        loading: null,
        problem: action.problem,
        // The code expired, or was used, after it was checked.
        ...(state.form === 'new-password' && action.problem.field === 'code' ? { form: 'reset-code' } : {}),
      };
    case 'left':
      return INITIAL_AUTH_STATE;
  }
}

/** Screen of a state; a signed-in person sees the profile. */
export function stepOf({ otpSent, showProfile, secondFactor, form }: AuthState): AuthStep {
  if (secondFactor !== null) return 'second-factor';
  if (showProfile) return 'profile';
  return otpSent ? 'code' : form;
}

/**
 * Next call if the account exists: "tries a password sign-in if a password was given, otherwise sends a login code"
 * (2§4).
 */
export function afterEmailInUse(password: string): 'password' | 'send-code' {
  return password === '' ? 'send-code' : 'password';
}

/** Problem of the input before a call (2§5); null if valid. */
export function inputProblem(
  call: AuthCall,
  { email, password = '', code = '' }: { readonly email: string; readonly password?: string; readonly code?: string },
): AuthProblem | null {
  if (call === 'password' && (!isEmail(email) || password === ''))
    return { field: isEmail(email) ? 'password' : 'email', text: ANALYSIS_MESSAGES.emailAndPasswordInvalid };
  if (!isEmail(email)) return { field: 'email', text: ANALYSIS_MESSAGES.profileEmailInvalid };
  if ((call === 'verify-code' || call === 'check-reset' || call === 'reset') && !/\d/.test(code))
    return { field: 'code', text: 'Enter the code from the email.' };
  return null;
}
