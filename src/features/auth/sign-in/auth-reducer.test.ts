import { describe, expect, it } from 'vitest';
import {
  INITIAL_AUTH_STATE,
  afterEmailInUse,
  authReducer,
  inputProblem,
  stepOf,
  type AuthAction,
  type AuthState,
} from './auth-reducer';

const run = (...actions: readonly AuthAction[]): AuthState => actions.reduce(authReducer, INITIAL_AUTH_STATE);
const problem = { field: 'other', text: 'no' } as const;

describe('2§4 auth flow', () => {
  it('2§4 an email leads to a mailed code, the code screen, then the profile', () => {
    const asked = run({ type: 'typed', email: 'a@b.c' }, { type: 'asked', call: 'send-code' });
    expect([stepOf(asked), asked.loading]).toEqual(['email', 'send-code']);
    const sent = authReducer(asked, { type: 'code-sent' });
    expect([stepOf(sent), sent.loading, sent.otpSent, sent.email]).toEqual(['code', null, true, 'a@b.c']);
    const verifying = authReducer(sent, { type: 'asked', call: 'verify-code' });
    expect(authReducer(verifying, { type: 'verified' })).toEqual({
      ...INITIAL_AUTH_STATE,
      email: 'a@b.c',
      showProfile: true,
    });
    expect(stepOf(authReducer(verifying, { type: 'verified' }))).toBe('profile');
  });

  it('2§4 a wrong code leaves the code screen open with an error that typing clears', () => {
    const failed = run(
      { type: 'typed', email: 'a@b.c' },
      { type: 'asked', call: 'send-code' },
      { type: 'code-sent' },
      { type: 'asked', call: 'verify-code' },
      { type: 'failed', problem },
    );
    expect(failed).toMatchObject({ loading: null, otpSent: true, problem });
    expect(stepOf(failed)).toBe('code');
    expect(authReducer(failed, { type: 'typed', email: 'a@b.d' }).problem).toBeNull();
    expect(stepOf(authReducer(failed, { type: 'form', form: 'email' }))).toBe('email');
  });

  it('2§4 password, new account and reset have a form each, and leaving starts over', () => {
    for (const form of ['password', 'create'] as const) expect(stepOf(run({ type: 'form', form }))).toBe(form);
    const reset = run(
      { type: 'form', form: 'password' },
      { type: 'asked', call: 'send-reset' },
      { type: 'reset-sent' },
    );
    expect(stepOf(reset)).toBe('reset-code');
    const checked = [{ type: 'asked', call: 'check-reset' }, { type: 'reset-checked' }] as const;
    const typing = checked.reduce<AuthState>(authReducer, reset);
    expect(stepOf(typing)).toBe('new-password');
    const expired = authReducer(authReducer(typing, { type: 'asked', call: 'reset' }), {
      type: 'failed',
      problem: { field: 'code', text: 'Wrong code' },
    });
    expect(stepOf(expired)).toBe('reset-code');
    expect(authReducer(reset, { type: 'left' })).toEqual(INITIAL_AUTH_STATE);
  });

  it('3§4 a link is mailed to the typed address, and other methods stay available', () => {
    const sent = run({ type: 'typed', email: 'a@b.c' }, { type: 'asked', call: 'send-link' }, { type: 'link-sent' });
    expect([stepOf(sent), sent.loading, sent.email]).toEqual(['link-sent', null, 'a@b.c']);
    expect(
      stepOf(
        run(
          { type: 'typed', email: 'a@b.c' },
          { type: 'asked', call: 'send-link' },
          { type: 'link-sent' },
          { type: 'asked', call: 'send-code' },
          { type: 'code-sent' },
        ),
      ),
    ).toBe('code');
    expect(authReducer(INITIAL_AUTH_STATE, { type: 'link-sent' })).toBe(INITIAL_AUTH_STATE);
    expect(inputProblem('send-link', { email: 'a@b' })?.text).toBe('Please enter a valid email address');
  });

  it('2§4 one request runs at a time; late answers change nothing', () => {
    const asked = run({ type: 'asked', call: 'send-code' });
    expect(authReducer(asked, { type: 'asked', call: 'password' })).toBe(asked);
    expect(authReducer(asked, { type: 'form', form: 'create' })).toBe(asked);
    for (const late of [
      { type: 'code-sent' },
      { type: 'verified' },
      { type: 'failed', problem },
      { type: 'reset-sent' },
      { type: 'reset-checked' },
    ] as const)
      expect(authReducer(INITIAL_AUTH_STATE, late)).toBe(INITIAL_AUTH_STATE);
  });

  it('2§4 an address in use leads to its password if one was typed, else to a code', () => {
    expect(afterEmailInUse('secret')).toBe('password');
    expect(afterEmailInUse('')).toBe('send-code');
  });

  it('2§5 a bad address, missing password or missing code is reported before a request', () => {
    expect(inputProblem('send-code', { email: 'a@b' })?.text).toBe('Please enter a valid email address');
    expect(inputProblem('password', { email: 'a@b.c' })).toEqual({
      field: 'password',
      text: 'Please enter a valid email and password',
    });
    expect(inputProblem('password', { email: 'a', password: 'x' })).toEqual({
      field: 'email',
      text: 'Please enter a valid email and password',
    });
    expect(inputProblem('verify-code', { email: 'a@b.c', code: ' ' })?.field).toBe('code');
    expect(inputProblem('verify-code', { email: 'a@b.c', code: 'abcdef' })?.field).toBe('code');
    expect(inputProblem('verify-code', { email: '', code: '123456' })?.field).toBe('email');
    expect(inputProblem('verify-code', { email: 'a@b.c', code: '123 456' })).toBeNull();
    expect(inputProblem('create', { email: 'a@b.c' })).toBeNull();
  });
});
