import type { AdminPerson, AuditEntry, AuditPage, GivenRole } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { REPORTING_MESSAGES } from '../../domain/messages';

interface RoleTexts {
  readonly name: string;
  readonly description: string;
  /** Shown before granting, and before revoking. */
  readonly grantText: string;
  readonly revokeText: string;
  readonly grantTitle: (who: string) => string;
  readonly revokeTitle: (who: string) => string;
  /** In the audit log: `… made Ana an expert`, `… took “expert” from Ana`. */
  readonly grantedText: (who: string) => string;
  readonly revokedText: (who: string) => string;
}

export const ROLE_TEXTS: Readonly<Record<GivenRole, RoleTexts>> = {
  verified: {
    name: 'Verified',
    description:
      'Their analyses count as verified. They can open the dashboard, survey libraries and analysis downloads.',
    grantText:
      'Their analyses are flagged as verified from now on. They can open the dashboard, survey libraries and analysis downloads.',
    revokeText: 'Their analyses are no longer flagged as verified from now on. Earlier flags stay.',
    grantTitle: (who) => `Make ${who} a verified volunteer?`,
    revokeTitle: (who) => `Remove “verified” from ${who}?`,
    grantedText: (who) => `made ${who} verified`,
    revokedText: (who) => `removed “verified” from ${who}`,
  },
  isExpert: {
    name: 'Expert',
    description: 'Expert images, the advanced mode and the expert analysis, even when the season is closed.',
    grantText: 'They can use expert images, the advanced mode and the expert analysis, even when the season is closed.',
    revokeText: 'They lose access to expert images and the advanced mode. Their analyses stay as they are.',
    grantTitle: (who) => `Make ${who} an expert?`,
    revokeTitle: (who) => `Remove “expert” from ${who}?`,
    grantedText: (who) => `made ${who} an expert`,
    revokedText: (who) => `removed “expert” from ${who}`,
  },
  admin: {
    name: 'Admin',
    description: 'This page: find people by address, link them to events and organisations, give lesser roles.',
    grantText:
      'They can find anyone by address, link people to events and organisations, make others verified or expert, and disable accounts. They can see this log.',
    revokeText: 'They lose access to this page at once. Their actions stay in the log.',
    grantTitle: (who) => `Make ${who} an admin?`,
    revokeTitle: (who) => `Remove “admin” from ${who}?`,
    grantedText: (who) => `made ${who} an admin`,
    revokedText: (who) => `removed “admin” from ${who}`,
  },
  staff: {
    name: 'Staff',
    description: 'Runs the census: boxes, quarantine and everyone’s roles.',
    grantText:
      'They run the census as you do: the boxes of the fleet, the quarantine and everyone’s roles, including yours.',
    revokeText: 'They lose access to the fleet console and to everyone’s roles at once.',
    grantTitle: (who) => `Make ${who} a staff member?`,
    revokeTitle: (who) => `Remove “staff” from ${who}?`,
    grantedText: (who) => `made ${who} a staff member`,
    revokedText: (who) => `removed “staff” from ${who}`,
  },
  disabled: {
    name: 'Disabled',
    description:
      'They cannot sign in. Their work stays, and work still on their tablets is stored safely when it arrives.',
    grantText:
      'Their sign-ins end at once, and aboard as soon as the boxes are notified. They cannot sign in again. Their work stays, and work still on their tablets is stored safely when it arrives.',
    revokeText: 'They can sign in again. Their earlier sign-ins stay ended.',
    grantTitle: (who) => `Disable access for ${who}?`,
    revokeTitle: (who) => `Enable access for ${who}?`,
    grantedText: (who) => `disabled access for ${who}`,
    revokedText: (who) => `enabled access for ${who}`,
  },
};

export const SHOWN_ROLES = [
  'verified',
  'isExpert',
  'admin',
  'staff',
  'disabled',
] as const satisfies readonly GivenRole[];

export function formatPerson({ name, email }: Pick<AdminPerson, 'name' | 'email'>): string {
  const words = formatName(name);
  return words === '' ? email : words;
}

/** People whom the log calls something other than their name. */
interface AuditTextContext {
  readonly me: string;
  readonly person: AdminPerson | null;
}

/** Changes of a second factor, by the name that the server logs. */
const FACTOR_TEXTS: Readonly<Record<string, ((whose: string) => string) | undefined>> = {
  'codes set up': (whose) => `set up one-time codes as ${whose} second step`,
  'codes removed': (whose) => `removed one-time codes from ${whose} second step`,
  'passkey added': (whose) => `added a passkey to ${whose} second step`,
  'passkey removed': (whose) => `removed a passkey from ${whose} second step`,
  'recovery codes renewed': (whose) => `replaced ${whose} recovery codes`,
  'recovery code used': (whose) => `used one of ${whose} recovery codes`,
  reset: (whose) => `removed ${whose} second step and ended ${whose} sign-ins`,
};

/** Line of the audit log. A person without a name, or whose account no longer exists, is called by their id. */
export function auditText(
  { by, action, about, details }: AuditEntry,
  names: AuditPage['names'],
  { me, person }: AuditTextContext,
): string {
  const called = (uid: string): string =>
    uid === me
      ? 'you'
      : uid === person?.uid
        ? formatPerson(person)
        : formatName(names[uid] ?? { first: '', last: '' }) || `someone (${uid})`;
  const actor = by === null ? 'The server operator' : by === me ? 'You' : capitalised(called(by));
  const whom = by === about ? (by === me ? 'yourself' : 'themselves') : called(about);
  if (action === 'link') return `${actor} linked ${whom} to ${String(details['handle'] ?? 'something')}`;
  if (action === 'roles') {
    const after = flags(details['after']);
    const done = SHOWN_ROLES.flatMap((role) =>
      after[role] === undefined
        ? []
        : [after[role] ? ROLE_TEXTS[role].grantedText(whom) : ROLE_TEXTS[role].revokedText(whom)],
    );
    if (done.length > 0) return `${actor} ${formatList(done)}`;
  }
  if (action === 'second-factor') {
    const text = FACTOR_TEXTS[String(details['change'])];
    if (text !== undefined) return `${actor} ${text(by === about ? (by === me ? 'your' : 'their') : `${whom}’s`)}`;
  }
  // A newer server may log actions without a text here.
  return `${actor}: ${action}, ${whom}`;
}

/** Result for one address. */
export type LinkResult = {
  readonly email: string;
  readonly status: 'linked' | 'refused' | 'failed';
  readonly text: string;
};

/** Text for one linked address: the cloud's message if it answered (1§5), else that of 3§8. */
export function linkResult(email: string, handle: string, error?: unknown): LinkResult {
  if (error === undefined) return { email, status: 'linked', text: `Linked to ${handle}.` };
  const message = error instanceof Error ? error.message : String(error);
  const isAnswer = error instanceof ReefError && (error.code === 'not-found' || error.code === 'bad-message');
  return isAnswer
    ? { email, status: 'refused', text: message }
    : { email, status: 'failed', text: REPORTING_MESSAGES.userLinkFailed(handle, message) };
}

/** Most addresses at once. */
export const ADDRESSES_MAX = 100;

/** Parses addresses separated by lines, commas, semicolons or blanks, once each; accepts `Ana <ana@…>`. */
export function parseAddresses(text: string): readonly string[] {
  const found = new Map<string, string>();
  for (const part of text.split(/[\s,;<>]+/)) {
    const word = part.replace(/^["'(]+|["').:]+$/g, '');
    if (word.includes('@') && !found.has(word.toLowerCase())) found.set(word.toLowerCase(), word);
  }
  return [...found.values()];
}

/** Pasted entries without an address, as typed, and addresses that appear twice. */
function leftOutOf(text: string): { readonly withoutAddress: readonly string[]; readonly twice: readonly string[] } {
  const entries = text
    .split(/[,;\n]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const entry of entries)
    for (const address of parseAddresses(entry)) {
      const plain = address.toLowerCase();
      if (seen.has(plain)) twice.add(plain);
      seen.add(plain);
    }
  return { withoutAddress: entries.filter((entry) => parseAddresses(entry).length === 0), twice: [...twice] };
}

/** Text about the entries that are left out; empty for none. */
export function leftOutText(text: string): string {
  const { withoutAddress, twice } = leftOutOf(text);
  return [
    withoutAddress.length === 0 ? '' : `Left out, no address: ${withoutAddress.join(', ')}.`,
    twice.length === 0 ? '' : `Entered twice, counted once: ${twice.join(', ')}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** Error text for a person: the cloud's message; if it is out of reach, that nothing changed. */
export function adminErrorText(error: unknown): string {
  if (!(error instanceof ReefError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'disconnected' || error.code === 'timeout')
    return 'The shore did not answer. Nothing was changed.';
  return error.message;
}

/** Error text where nothing was to be changed: the shore's message, or that it is out of reach. */
export function listErrorText(error: unknown): string {
  return error instanceof ReefError && (error.code === 'disconnected' || error.code === 'timeout')
    ? 'The shore did not answer. Try again when you have a connection.'
    : adminErrorText(error);
}

function formatName({ first, last }: { readonly first: string; readonly last: string }): string {
  return `${first} ${last}`.trim();
}

function flags(value: unknown): Readonly<Partial<Record<GivenRole, boolean>>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, on]) => typeof on === 'boolean'));
}

function formatList(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Capitalises the start of a line, except an address. */
function capitalised(words: string): string {
  return words.startsWith('someone') ? `S${words.slice(1)}` : words;
}
