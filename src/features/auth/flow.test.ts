import { describe, expect, it } from 'vitest';
import {
  AUTH_START,
  afterEmailInUse,
  authReducer,
  mayClose,
  problemBefore,
  stepOf,
  type AuthAction,
  type AuthState,
} from './flow';

const run = (...actions: readonly AuthAction[]): AuthState => actions.reduce(authReducer, AUTH_START);
const problem = { field: 'other', words: 'no' } as const;

describe('2§4 auth flow', () => {
  it('2§4 email, a code is sent, the code screen, then the profile', () => {
    const asked = run({ type: 'typed', email: 'a@b.c' }, { type: 'asked', work: 'send-code' });
    expect([stepOf(asked), asked.loading]).toEqual(['email', 'send-code']);
    const sent = authReducer(asked, { type: 'code-sent' });
    expect([stepOf(sent), sent.loading, sent.otpSent, sent.email]).toEqual(['code', null, true, 'a@b.c']);
    const verifying = authReducer(sent, { type: 'asked', work: 'verify-code' });
    expect(authReducer(verifying, { type: 'verified' })).toEqual({ ...AUTH_START, email: 'a@b.c', showProfile: true });
    expect(stepOf(authReducer(verifying, { type: 'verified' }))).toBe('profile');
  });

  it('2§4 a wrong code leaves the code screen open, with words; typing takes the words away', () => {
    const failed = run(
      { type: 'typed', email: 'a@b.c' },
      { type: 'asked', work: 'send-code' },
      { type: 'code-sent' },
      { type: 'asked', work: 'verify-code' },
      { type: 'failed', problem },
    );
    expect(failed).toMatchObject({ loading: null, otpSent: true, problem });
    expect(stepOf(failed)).toBe('code');
    expect(authReducer(failed, { type: 'typed', email: 'a@b.d' }).problem).toBeNull();
    expect(stepOf(authReducer(failed, { type: 'form', form: 'email' }))).toBe('email');
  });

  it('2§4 password, new account and reset each are one form; leaving begins anew', () => {
    for (const form of ['password', 'create'] as const) expect(stepOf(run({ type: 'form', form }))).toBe(form);
    const reset = run(
      { type: 'form', form: 'password' },
      { type: 'asked', work: 'send-reset' },
      { type: 'reset-sent' },
    );
    expect(stepOf(reset)).toBe('reset-code');
    expect(authReducer(reset, { type: 'left' })).toEqual(AUTH_START);
  });

  it('3§4 a link is mailed where the address is typed; another way may be taken from there', () => {
    const sent = run({ type: 'typed', email: 'a@b.c' }, { type: 'asked', work: 'send-link' }, { type: 'link-sent' });
    expect([stepOf(sent), sent.loading, sent.email]).toEqual(['link-sent', null, 'a@b.c']);
    expect(
      stepOf(
        run(
          { type: 'typed', email: 'a@b.c' },
          { type: 'asked', work: 'send-link' },
          { type: 'link-sent' },
          { type: 'asked', work: 'send-code' },
          { type: 'code-sent' },
        ),
      ),
    ).toBe('code');
    expect(authReducer(AUTH_START, { type: 'link-sent' })).toBe(AUTH_START);
    expect(problemBefore('send-link', { email: 'a@b' })?.words).toBe('Please enter a valid email address');
  });

  it('2§4 one thing at a time: what is asked meanwhile, and answers that come too late, change nothing', () => {
    const asked = run({ type: 'asked', work: 'send-code' });
    expect(authReducer(asked, { type: 'asked', work: 'password' })).toBe(asked);
    expect(authReducer(asked, { type: 'form', form: 'create' })).toBe(asked);
    for (const late of [
      { type: 'code-sent' },
      { type: 'verified' },
      { type: 'failed', problem },
      { type: 'reset-sent' },
    ] as const)
      expect(authReducer(AUTH_START, late)).toBe(AUTH_START);
  });

  it('2§4 where the email is in use: the password if one was typed, else a code', () => {
    expect(afterEmailInUse('secret')).toBe('password');
    expect(afterEmailInUse('')).toBe('send-code');
  });

  it('2§2 closing is ignored for a user id with an empty first name', () => {
    expect(mayClose(null)).toBe(true);
    expect(mayClose({ uid: 'u', name: { first: ' ' } })).toBe(false);
    expect(mayClose({ uid: 'u', name: { first: '\u200b' } })).toBe(false);
    expect(mayClose({ uid: 'u', name: { first: 'Anonymous' } })).toBe(true);
  });

  it('2§5 an address that is none, a missing password and a missing code are told before anything is asked', () => {
    expect(problemBefore('send-code', { email: 'a@b' })?.words).toBe('Please enter a valid email address');
    expect(problemBefore('password', { email: 'a@b.c' })).toEqual({
      field: 'password',
      words: 'Please enter a valid email and password',
    });
    expect(problemBefore('password', { email: 'a', password: 'x' })).toEqual({
      field: 'email',
      words: 'Please enter a valid email and password',
    });
    expect(problemBefore('verify-code', { email: 'a@b.c', code: ' ' })?.field).toBe('code');
    expect(problemBefore('verify-code', { email: 'a@b.c', code: '123 456' })).toBeNull();
    expect(problemBefore('create', { email: 'a@b.c' })).toBeNull();
  });
});
