import { describe, expect, it } from 'vitest';
import type { AccountState } from '../../../data/repositories';
import { addressText, providerRows } from './provider-rows';

const STATE: AccountState = {
  email: 'ana@example.org',
  isEmailVerified: true,
  anonymous: false,
  hasPassword: false,
  providers: [
    { id: 'google', name: 'Google', linked: false },
    { id: 'github', name: 'GitHub', linked: true },
  ],
};
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const WEB_VIEW =
  'Mozilla/5.0 (Linux; Android 14; Pixel 7 Build/UQ1A; wv) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36';
const rows = (changes: Partial<AccountState> = {}, agent = CHROME) =>
  providerRows({ ...STATE, ...changes }, agent).map(({ provider, action }) => `${provider.id} ${action}`);

describe('1§4 link or unlink a provider', () => {
  it('1§4 linked providers can be unlinked, and others linked', () => {
    expect(rows()).toEqual(['google link', 'github unlink']);
    expect(rows({ isEmailVerified: false, hasPassword: true })).toEqual(['google link', 'github unlink']);
  });

  it('1§4 the last sign-in method cannot be unlinked', () => {
    expect(rows({ email: '' })).toEqual(['google link', 'github only-way']);
    expect(rows({ isEmailVerified: false })).toEqual(['google link', 'github only-way']);
    expect(rows({ email: '', providers: STATE.providers.map((one) => ({ ...one, linked: true })) })).toEqual([
      'google unlink',
      'github unlink',
    ]);
  });

  it('2§2 Google is not offered in a web view, but can be unlinked there', () => {
    expect(rows({}, WEB_VIEW)).toEqual(['github unlink']);
    expect(rows({ providers: STATE.providers.map((one) => ({ ...one, linked: true })) }, WEB_VIEW)).toEqual([
      'google unlink',
      'github unlink',
    ]);
  });

  it('2§3 the address shows whether it is confirmed', () => {
    expect(addressText(STATE)).toBe('ana@example.org, confirmed');
    expect(addressText({ email: 'ana@example.org', isEmailVerified: false })).toContain('not confirmed yet');
    expect(addressText({ email: '', isEmailVerified: false })).toContain('None yet');
  });
});
