import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseStoredName, storedName } from '../people/stored-name';
import { networkOf } from './network';
import { Passwords, checkPassword, randomPassword } from './passwords';

describe('1§4: networks that separate callers', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['nothing', 'nothing'],
  ])('1§4: %s belongs to network %s', (ip, network) => expect(networkOf(ip)).toBe(network));
});

describe('2§7: names of users without a profile', () => {
  it.each([
    [
      { first: ' Ana ', last: 'de  la\nCruz' },
      { first: 'Ana', last: 'de la Cruz' },
    ],
    [{ first: 'Ana Maria' }, { first: 'Ana Maria', last: '' }],
    [
      { first: '', last: 'Lee' },
      { first: '', last: 'Lee' },
    ],
    [null, { first: '', last: '' }],
  ])('2§7: %j is shown unchanged', (given, shown) => expect(parseStoredName(storedName(given))).toEqual(shown));

  it('2§7: a name of one string is split as names are', () =>
    expect(parseStoredName('Ana de la Cruz')).toEqual({ first: 'Ana', last: 'de la Cruz' }));
});

describe('2§5: passwords', () => {
  it('2§5: a password has 6 to 200 characters, counted as people count them', () => {
    for (const weak of ['', '12345', '🐠🐠🐠🐠🐠', 'e\u0301e\u0301e\u0301e\u0301e\u0301'])
      expect(() => checkPassword(weak), weak).toThrow(
        expect.objectContaining({ details: { field: 'password', auth: 'auth/weak-password' } }),
      );
    for (const good of ['tidal6', '🐠🐠🐠🐠🐠🐠', 'x'.repeat(200)]) checkPassword(good);
    expect(() => checkPassword('x'.repeat(201))).toThrow('at most 200 characters');
  });

  it('2§7, 2§9: a random password has 12 characters and is unique', () => {
    const made = new Set(Array.from({ length: 50 }, () => randomPassword()));
    expect(made.size).toBe(50);
    for (const password of made) expect(password).toMatch(/^[0-9A-Za-z]{12}$/);
  });

  it('2§7: passwords are salted and match in any Unicode spelling', async () => {
    const passwords = new Passwords();
    const stored = await passwords.hash('pa\u0308ssword');
    expect(stored).toMatch(/^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    expect(await passwords.hash('pa\u0308ssword')).not.toBe(stored);
    expect(await passwords.verify('pässword', stored)).toBe(true);
    expect(await passwords.verify('passwörd', stored)).toBe(false);
    expect(await passwords.verify('', null)).toBe(false);
    await expect(passwords.verify('pässword', 'plain')).rejects.toThrow('does not know');
  });

  it('1§4: excess password checks are refused as rate-limited', async () => {
    const passwords = new Passwords(2, { logN: 4, r: 8, p: 1 });
    const answers = await Promise.allSettled(Array.from({ length: 40 }, () => passwords.verify('guess', null)));
    const refused = answers.filter((one): one is PromiseRejectedResult => one.status === 'rejected');
    // Two wait; half as many as processors run.
    expect(refused.length).toBe(40 - 2 - Math.max(1, Math.floor(availableParallelism() / 2)));
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: 'rate-limited', details: { auth: 'auth/too-many-requests' } });
    expect(await passwords.verify('guess', null)).toBe(false);
  }, 120_000);
});
