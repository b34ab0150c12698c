import {
  addPasskeySchema,
  confirmCodesSchema,
  passFactorSchema,
  removeFactorSchema,
} from '../../../src/protocol/second-factor';
import type { RouteDescription } from './route-description';

/** Routes of the second factor. */
export const SECOND_FACTOR_DESCRIPTIONS: Readonly<Record<string, RouteDescription>> = {
  'GET /api/account/second-factor': { summary: 'Ways of the second factor that the signed-in person has set up.' },
  'POST /api/account/second-factor/codes': { summary: 'Begins to set up one-time codes; nothing counts yet.' },
  'POST /api/account/second-factor/codes/confirm': {
    summary: 'Sets one-time codes up with a first code; returns recovery codes if there were none.',
    body: confirmCodesSchema,
  },
  'POST /api/account/second-factor/passkeys': { summary: 'Begins to add a passkey; returns the browser’s options.' },
  'POST /api/account/second-factor/passkeys/confirm': {
    summary: 'Adds the passkey that the browser made; returns recovery codes if there were none.',
    body: addPasskeySchema,
  },
  'POST /api/account/second-factor/recovery': { summary: 'Replaces the recovery codes; shows the new ones.' },
  'POST /api/account/second-factor/remove': {
    summary: 'Removes a way of the second factor.',
    body: removeFactorSchema,
  },
  'POST /api/auth/second-factor/start': { summary: 'Ways by which this session can pass the second factor.' },
  'POST /api/auth/second-factor': {
    summary: 'Passes the second factor in this session, for twelve hours.',
    body: passFactorSchema,
  },
  'POST /api/admin/users/:uid/second-factor/reset': {
    summary: 'Removes the second factor of a person who lost it, and ends their sessions.',
  },
};
