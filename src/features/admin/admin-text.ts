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
      'Their analyses count as verified; dashboard, library of a survey and download of an analysis open to them.',
    grantText:
      'From now on what they analyse is flagged as verified, and dashboard, library of a survey and download of an analysis open to them.',
    revokeText: 'What they analyse from now on is not flagged as verified any more. What was flagged before stays so.',
    grantTitle: (who) => `Make ${who} a verified volunteer?`,
    revokeTitle: (who) => `Take “verified” from ${who}?`,
    grantedText: (who) => `made ${who} verified`,
    revokedText: (who) => `took “verified” from ${who}`,
  },
  isExpert: {
    name: 'Expert',
    description:
      'Expert images, the advanced mode and the expert’s version of an analysis, also when the season is closed.',
    grantText:
      'Expert images, the advanced mode and the expert’s version of an analysis open to them, also when the season is closed.',
    revokeText: 'Expert images and the advanced mode close for them. Their analyses stay as they are.',
    grantTitle: (who) => `Make ${who} an expert?`,
    revokeTitle: (who) => `Take “expert” from ${who}?`,
    grantedText: (who) => `made ${who} an expert`,
    revokedText: (who) => `took “expert” from ${who}`,
  },
  admin: {
    name: 'Admin',
    description: 'This page: finding people by address, linking them to events and organisations, the lesser roles.',
    grantText:
      'They find anybody by address, link people to events and organisations, make others verified or expert, and shut people out. They see this log.',
    revokeText: 'This page closes for them at once. What they did stays in the log.',
    grantTitle: (who) => `Make ${who} an admin?`,
    revokeTitle: (who) => `Take “admin” from ${who}?`,
    grantedText: (who) => `made ${who} an admin`,
    revokedText: (who) => `took “admin” from ${who}`,
  },
  staff: {
    name: 'Staff',
    description: 'Runs the census: the boxes, what was set aside, everybody’s roles.',
    grantText:
      'They run the census as you do: the boxes of the fleet, what was set aside, and everybody’s roles, yours among them.',
    revokeText: 'The console of the fleet and everybody’s roles close for them at once.',
    grantTitle: (who) => `Make ${who} one of the staff?`,
    revokeTitle: (who) => `Take “staff” from ${who}?`,
    grantedText: (who) => `made ${who} one of the staff`,
    revokedText: (who) => `took “staff” from ${who}`,
  },
  disabled: {
    name: 'Shut out',
    description: 'They may not sign in. What they wrote stays, and what their tablets hold is kept safe when it comes.',
    grantText:
      'Their sign-ins end at once, aboard as soon as the boxes hear of it, and no new one is let in. What they wrote stays, and what their tablets still hold is kept safe when it comes.',
    revokeText: 'They may sign in again. Sign-ins from before do not come back.',
    grantTitle: (who) => `Shut ${who} out?`,
    revokeTitle: (who) => `Let ${who} in again?`,
    grantedText: (who) => `shut ${who} out`,
    revokedText: (who) => `let ${who} in again`,
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
export interface AuditTextContext {
  readonly me: string;
  readonly person: AdminPerson | null;
}

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
        : formatName(names[uid] ?? { first: '', last: '' }) || `somebody (${uid})`;
  const actor = by === null ? 'Whoever runs the server' : by === me ? 'You' : capitalised(called(by));
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

/** Error text for a person: the cloud's message; if it is out of reach, that nothing changed. */
export function adminErrorText(error: unknown): string {
  if (!(error instanceof ReefError)) return error instanceof Error ? error.message : String(error);
  if (error.code === 'disconnected' || error.code === 'timeout')
    return 'The shore does not answer just now. Nothing was changed.';
  return error.message;
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
  return words.startsWith('somebody') ? `S${words.slice(1)}` : words;
}
