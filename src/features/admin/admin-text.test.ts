import { describe, expect, it } from 'vitest';
import type { AdminPerson, AuditEntry } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { REPORTING_MESSAGES, VALIDATION_MESSAGES } from '../../domain/messages';
import { CLOUD_RIGHTS } from '../../domain/policy/cloud-policy';
import {
  leftOutText,
  parseAddresses,
  adminErrorText,
  auditText,
  linkResult,
  formatPerson,
  ROLE_TEXTS,
  SHOWN_ROLES,
} from './admin-text';

const NAMES = { ana: { first: 'Ana', last: 'Reef' }, ben: { first: 'Ben', last: '' } };
const entry = (change: Partial<AuditEntry>): AuditEntry => ({
  id: 1,
  at: '2026-11-20T00:00:00.000Z',
  by: 'ana',
  action: 'roles',
  about: 'ben',
  details: {},
  ...change,
});

describe('1§5 texts of administration', () => {
  it('each role that can be given has a text', () => {
    expect(
      Object.keys(CLOUD_RIGHTS)
        .filter((right) => right.startsWith('give:'))
        .sort(),
    ).toEqual(SHOWN_ROLES.map((role) => `give:${role}`).sort());
    expect(Object.keys(ROLE_TEXTS).sort()).toEqual([...SHOWN_ROLES].sort());
  });

  it.each([
    [entry({ details: { before: { isExpert: false }, after: { isExpert: true } } }), 'Ana Reef made Ben an expert'],
    [
      entry({ details: { after: { isExpert: false, verified: true, disabled: true } } }),
      'Ana Reef made Ben verified, removed “expert” from Ben and disabled access for Ben',
    ],
    [entry({ by: null, details: { after: { staff: true } } }), 'The server operator made Ben a staff member'],
    [entry({ action: 'link', details: { handle: 'reefweek' } }), 'Ana Reef linked Ben to reefweek'],
    [entry({ action: 'link', by: 'ben', details: { handle: 'reefweek' } }), 'Ben linked themselves to reefweek'],
    [entry({ by: 'me', details: { after: { admin: true } } }), 'You made Ben an admin'],
    [entry({ by: 'ben', about: 'me', details: { after: { admin: true } } }), 'Ben made you an admin'],
    [
      entry({ by: 'me', about: 'me', action: 'link', details: { handle: 'reefweek' } }),
      'You linked yourself to reefweek',
    ],
    [entry({ about: 'nameless', details: { after: { disabled: true } } }), 'Ana Reef disabled access for cy@x.org'],
    [
      entry({ about: 'gone', details: { after: { verified: false } } }),
      'Ana Reef removed “verified” from someone (gone)',
    ],
    [entry({ by: 'gone', action: 'merged' }), 'Someone (gone): merged, Ben'],
  ])('a log entry names who did what: %#', (one, words) =>
    expect(
      auditText(one, NAMES, {
        me: 'me',
        person: { uid: 'nameless', email: 'cy@x.org', name: { first: '', last: '' } } as AdminPerson,
      }),
    ).toBe(words),
  );

  it('typed addresses are parsed, each once', () => {
    expect(
      parseAddresses(
        'Ana <ana@example.org>, ben@example.org; BEN@example.org\n(cy@example.org) and "dee@example.org".',
      ),
    ).toEqual(['ana@example.org', 'ben@example.org', 'cy@example.org', 'dee@example.org']);
    expect(parseAddresses(' \n nobody ')).toEqual([]);
  });

  it('what is left out of pasted addresses is named', () => {
    expect(leftOutText('Ana <ana@example.org>, Ben Reef; dee@example\nANA@example.org')).toBe(
      'Left out, no address: Ben Reef. Entered twice, counted once: ana@example.org.',
    );
    expect(leftOutText('ana@example.org, ben@example.org')).toBe('');
  });

  it('1§5, 3§8: address results show the cloud’s text, failures the specified text', () => {
    expect(linkResult('a@x.org', 'reefweek')).toEqual({
      email: 'a@x.org',
      status: 'linked',
      text: 'Linked to reefweek.',
    });
    const unknown = VALIDATION_MESSAGES.noUserForEmail('a@x.org');
    expect(linkResult('a@x.org', 'reefweek', new ReefError('not-found', { field: 'email', message: unknown }))).toEqual(
      { email: 'a@x.org', status: 'refused', text: unknown },
    );
    const lost = new ReefError('disconnected', { message: 'The connection was lost.' });
    expect(linkResult('a@x.org', 'reefweek', lost)).toEqual({
      email: 'a@x.org',
      status: 'failed',
      text: REPORTING_MESSAGES.userLinkFailed('reefweek', 'The connection was lost.'),
    });
    expect(adminErrorText(lost)).toMatch(/Nothing was changed/);
  });

  it('a person without a name is shown by address', () => {
    expect(formatPerson({ name: { first: '', last: '' }, email: 'a@x.org' })).toBe('a@x.org');
    expect(formatPerson({ name: { first: 'Ana', last: '' }, email: 'a@x.org' })).toBe('Ana');
  });
});
