import { describe, expect, it } from 'vitest';
import { ReefError } from '../../domain/errors';
import { AUTH_MESSAGES } from '../../domain/messages';
import { authProblem, problemEnd } from './auth-text';

describe('2§8 account errors in plain text', () => {
  it.each(Object.entries(AUTH_MESSAGES))(
    '2§8 %s shows the catalogue’s text, whatever the server sends',
    (auth, words) => {
      expect(authProblem(new ReefError('bad-message', { auth, message: 'x' }), 'other')).toMatchObject({
        text: words,
        auth,
      });
    },
  );

  it('2§8 an error ends with its cause: connection, entry, or another attempt', () => {
    const end = (error: ReefError) => problemEnd(authProblem(error, 'other'));
    expect([end(new ReefError('disconnected')), end(new ReefError('timeout'))]).toEqual(['connection', 'connection']);
    const entries = ['auth/wrong-password', 'auth/invalid-email', 'auth/user-disabled'];
    for (const auth of entries) expect(end(new ReefError('bad-message', { auth })), auth).toBe('entry');
    expect(end(new ReefError('rate-limited'))).toBe('attempt');
    expect(end(new ReefError('unauthorised'))).toBe('attempt');
    expect(end(new ReefError('bad-message', { auth: 'auth/requires-recent-login' }))).toBe('attempt');
  });

  it('2§8 an error appears at its field', () => {
    const at = (auth: string) => authProblem(new ReefError('bad-message', { auth }), 'other').field;
    expect(['auth/invalid-email', 'auth/wrong-password', 'auth/weak-password', 'auth/popup-blocked'].map(at)).toEqual([
      'email',
      'password',
      'password',
      'other',
    ]);
    expect(
      authProblem(new ReefError('bad-message', { field: 'current', auth: 'auth/wrong-password' }), 'password').field,
    ).toBe('current');
    expect(
      authProblem(
        new ReefError('bad-message', { field: 'verificationCode', auth: 'auth/invalid-verification-code' }),
        'code',
      ),
    ).toMatchObject({ field: 'code', text: expect.stringContaining('newest email') as string });
    expect(authProblem(new ReefError('bad-message', { field: 'verificationCode' }), 'code').field).toBe('code');
    expect(authProblem(new ReefError('bad-message', { field: 'address', message: 'no address' }), 'mail')).toEqual({
      field: 'address',
      text: 'no address',
    });
  });

  it('2§8 the default is the error’s own text, else the general sentence', () => {
    expect(
      authProblem(new ReefError('forbidden', { auth: 'auth/of-tomorrow', message: 'Own words.' }), 'other').text,
    ).toBe('Own words.');
    expect(authProblem(new Error(''), 'other').text).toBe('An error occurred during authentication. Please try again.');
    expect(authProblem('thrown', 'other').text).toBe('An error occurred during authentication. Please try again.');
    expect(authProblem(new ReefError('unauthorised', { message: 'Sign in first.' }), 'other')).toMatchObject({
      isSignedOut: true,
      text: expect.stringContaining('No user is currently signed in') as string,
    });
    expect(authProblem(new ReefError('unauthorised', { field: 'ticket', message: 'Too old.' }), 'other')).toEqual({
      field: 'other',
      text: 'Too old.',
    });
    expect(authProblem(new ReefError('timeout'), 'mail').text).toBe(
      'There was a network error. Please check your connection. Nothing here is lost.',
    );
    expect(authProblem(new ReefError('rate-limited'), 'code').text).toContain('too many attempts');
  });
});
