import type { AdminPerson, AuditEntry, AuditPage, GivenRole } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { REPORTING_MESSAGES } from '../../domain/messages';

/** What a role is called, what it opens, and how giving and taking it is said. */
interface RoleTexts {
  readonly name: string;
  readonly description: string;
  /** Said before it is given, and before it is taken. */
  readonly grantText: string;
  readonly revokeText: string;
  readonly grantTitle: (who: string) => string;
  readonly revokeTitle: (who: string) => string;
  /** In the audit log: `… made Ana an expert`, `… Ana is an expert no more`. */
  readonly grantedText: (who: string) => string;
  readonly revokedText: (who: string) => string;
}

/** In the order in which they stand on the screen. */
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

/** In the order in which they stand on the screen. */
export const SHOWN_ROLES = [
  'verified',
  'isExpert',
  'admin',
  'staff',
  'disabled',
] as const satisfies readonly GivenRole[];

/** What somebody is called; by their address where they have said no name. */
export function formatPerson({ name, email }: Pick<AdminPerson, 'name' | 'email'>): string {
  const words = formatName(name);
  return words === '' ? email : words;
}

/** Who in the log is known by something else than their name. */
export interface AuditTextContext {
  /** Whoever reads it. */
  readonly me: string;
  /** Who was found on this page. */
  readonly person: AdminPerson | null;
}

/** A line of the log: who did what to whom. Somebody without a name, or whose account is no more, is called by their id. */
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
  // A newer server notes what this app has no words for.
  return `${actor}: ${action}, ${whom}`;
}

/** What becomes of one address of several. */
export type LinkResult = {
  readonly email: string;
  readonly status: 'linked' | 'refused' | 'failed';
  readonly text: string;
};

/** What is said of one address that was to be linked: the shore's words where it answered (1§5), else those of 3§8. */
export function linkResult(email: string, handle: string, error?: unknown): LinkResult {
  if (error === undefined) return { email, status: 'linked', text: `Linked to ${handle}.` };
  const message = error instanceof Error ? error.message : String(error);
  const isAnswer = error instanceof ReefError && (error.code === 'not-found' || error.code === 'bad-message');
  return isAnswer
    ? { email, status: 'refused', text: message }
    : { email, status: 'failed', text: REPORTING_MESSAGES.userLinkFailed(handle, message) };
}

/** Addresses at once; more are linked in several turns. */
export const ADDRESSES_MAX = 100;

/** The addresses of a text, as people write lists: by line, comma, semicolon or blank, each once, `Ana <ana@…>` too. */
export function parseAddresses(text: string): readonly string[] {
  const found = new Map<string, string>();
  for (const part of text.split(/[\s,;<>]+/)) {
    const word = part.replace(/^["'(]+|["').:]+$/g, '');
    if (word.includes('@') && !found.has(word.toLowerCase())) found.set(word.toLowerCase(), word);
  }
  return [...found.values()];
}

/** What went wrong, for a person: the shore's own words; while it is out of reach, that nothing was done. */
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

/** At the beginning of a line; an address stays as it is. */
function capitalised(words: string): string {
  return words.startsWith('somebody') ? `S${words.slice(1)}` : words;
}
