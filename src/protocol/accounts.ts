import { z } from 'zod';
import { idSchema } from '../domain/ids';
import { LIMITS } from '../domain/limits';
import type { CloudUser } from './cloud-auth';

/** Email address as typed; the server validates it, with the specification's messages. */
const typedEmail = z.string().max(1000);
/** New password as typed; the server reports weaknesses. */
const typedPassword = z.string().max(1000);
/** Path on this site to continue at; anything else counts as absent. */
const sitePath = z.string().max(4000).nullish();
const typedName = z.string().max(300);

/**
 * `POST /api/fn/create-account` (1§7, 2§7): without a password the server makes a secret one of 12 random characters.
 * An anonymous session keeps its uid and data. `handle`: of an event or organisation (1§6).
 */
export const createAccountSchema = z.object({
  email: typedEmail,
  password: typedPassword.nullish(),
  name: z.object({ first: typedName, last: typedName.optional() }).nullish(),
  optin: z.boolean().nullish(),
  handle: z.string().max(100).nullish(),
  path: sitePath,
});

/** `POST /api/fn/sign-in-with-password`. */
export const passwordSignInSchema = z.object({ email: typedEmail, password: typedPassword });

/** `POST /api/fn/sign-in-anonymously`; `handle` as in {@link createAccountSchema}. */
export const anonymousSignInSchema = z.object({ handle: z.string().max(100).nullish() });

/** `POST /api/fn/sendauthenticationlink` (3§4): a link by mail that signs in; `path` is where it leads. */
export const sendLinkSchema = z.object({ email: typedEmail, path: sitePath });

/** `POST /api/fn/verify-authentication-link`: the address from the link's URL, or entered. */
export const verifyLinkSchema = z.object({ email: typedEmail, token: z.string().min(1).max(200) });

/** `POST /api/fn/send-password-reset`, `/verify-password-reset`, `/confirm-password-reset` (1§4). */
export const sendResetSchema = z.object({ email: typedEmail });
export const verifyResetSchema = z.object({ email: typedEmail, verificationCode: z.string().max(40) });
export const confirmResetSchema = verifyResetSchema.extend({ password: typedPassword });

/** `POST /api/account/password`: `current` is required if the owner chose the account's password. */
export const changePasswordSchema = z.object({ password: typedPassword, current: typedPassword.nullish() });

/** `POST /api/account/email` mails a code to the new address; `POST /api/account/email/confirm` accepts it. */
export const changeEmailSchema = z.object({ email: typedEmail });
export const confirmEmailSchema = z.object({ email: typedEmail, verificationCode: z.string().max(40) });

/** `PUT /api/account/photo`: bytes uploaded before through `/api/uploads`; null removes the photo. */
export const photoSchema = z.object({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

/** Reply of every call that proves identity: a single-use custom token for `POST /api/auth/custom-token`. */
export interface ProvenReply {
  readonly ok: true;
  readonly token: string;
}

export const PROVIDERS = ['google', 'facebook', 'twitter', 'github'] as const;
export type ProviderId = (typeof PROVIDERS)[number];

/**
 * `GET /api/auth/providers`: providers of this server; `linked`: by the signed-in person. `password`: their account has
 * a chosen one.
 */
export interface ProvidersReply {
  readonly ok: true;
  readonly password: boolean;
  readonly providers: readonly { readonly id: ProviderId; readonly name: string; readonly linked: boolean }[];
}

/**
 * `POST /api/auth/providers/:id/start` returns the popup's URL. The provider answers to `GET
 * /api/auth/providers/:id/callback`, a page that posts {@link PopupMessage} to its opener, only on `origin`, which must
 * be an allowed origin. `link`: adds the provider to the session's account.
 */
export const providerStartSchema = z.object({ mode: z.enum(['sign-in', 'link']), origin: z.string().max(300) });
export interface ProviderStartReply {
  readonly ok: true;
  readonly url: string;
  /** Repeated in the popup's message. */
  readonly state: string;
  /** Origin of the popup's message: the public origin of the cloud. */
  readonly from: string;
}
export interface PopupMessage {
  readonly source: 'reef-sign-in';
  readonly state: string;
  /** Input of `finish`; absent with an error. */
  readonly ticket?: string;
  /** `auth/…` of 2§8. */
  readonly error?: { readonly auth: string; readonly message: string };
}

/**
 * `POST /api/auth/providers/:id/finish`: the opener submits the popup's single-use ticket. Only this call signs in,
 * creates or links: an attacker who lures someone into a provider's page has no such window. An anonymous session's uid
 * becomes the account's if the provider's person has none yet.
 */
export const providerFinishSchema = z.object({ ticket: z.string().min(1).max(4000) });
export interface ProviderFinishReply {
  readonly ok: true;
  /** Custom token; absent if the provider was linked to the session's account. */
  readonly token?: string;
}

/**
 * `POST /api/auth/window/start`: sign-in by code or password on the cloud's own page `/api/auth/window?state=`, for an
 * app of another origin. The page posts {@link PopupMessage} to its opener, only on `origin`.
 */
export const windowStartSchema = z.object({ origin: z.string().max(300) });
export interface WindowStartReply {
  readonly ok: true;
  readonly state: string;
}
/** `POST /api/auth/window/finish`: as for providers, only this call signs in. */
export const windowFinishSchema = z.object({ ticket: z.string().min(1).max(4000) });

/** `GET /api/places?q=` (2§5): up to 5 places from 3 characters on; an empty list on any failure. */
export interface Place {
  readonly id: string;
  /** Display text: "Cairns, Queensland, Australia". */
  readonly value: string;
  readonly name: string;
  readonly country: string;
  readonly _geoloc: { readonly lat: number; readonly lng: number };
}
export const placesQuerySchema = z.object({ q: z.string().max(200) });
export interface PlacesReply {
  readonly ok: true;
  readonly places: readonly Place[];
}

/** Roles that admins and staff assign (1§6). */
export const ROLES = ['admin', 'isExpert', 'verified', 'staff', 'disabled'] as const;
export type GivenRole = (typeof ROLES)[number];
/** `POST /api/admin/users/:uid/roles`. */
export const rolesSchema = z
  .object({
    admin: z.boolean(),
    isExpert: z.boolean(),
    verified: z.boolean(),
    staff: z.boolean(),
    disabled: z.boolean(),
  })
  .partial();
/** `POST /api/admin/link`: links a person to an event or organisation by email (1§5). */
export const linkSchema = z.object({ email: typedEmail, handle: z.string().min(1).max(100) });

export const adminUserQuerySchema = z.object({ email: typedEmail });
/**
 * `GET /api/admin/people?q=&after=`: people whose address, or words of whose name, begin like the text; all without one.
 * `after`: `next` of the previous page.
 */
export const peopleQuerySchema = z.object({
  q: z
    .string()
    .max(LIMITS.peopleSearchMax, `is longer than ${LIMITS.peopleSearchMax} characters`)
    .regex(/^\P{Cc}*$/u, 'holds a character that no name or address has')
    .default(''),
  after: z
    .string()
    .max(600)
    .regex(/^[0-9A-Za-z]+~[^\u0000]*$/, 'is not a valid cursor')
    .optional(),
});
const AUDIT_ACTIONS = ['roles', 'link', 'second-factor'] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
/** `about`: a uid; absent: everyone. `before`: entries before this id, for the next page. */
export const auditQuerySchema = z.object({
  about: idSchema.optional(),
  action: z.enum(AUDIT_ACTIONS).optional(),
  before: z.coerce.number().int().min(1).optional(),
});

/** `GET /api/admin/users?email=`. */
export interface AdminUser extends CloudUser {
  readonly disabled: boolean;
  readonly since: string | null;
  readonly lastLoginAt: string | null;
}

/** Reply of `GET /api/admin/users`, `POST /api/admin/link` and `POST /api/admin/users/:uid/roles`. */
export interface AdminUserReply {
  readonly ok: true;
  readonly user: AdminUser;
}

/** `GET /api/admin/people`: a page by name, or else address. */
export interface PeopleReply {
  readonly ok: true;
  readonly people: readonly AdminUser[];
  /** `after` of the next page; null on the last. */
  readonly next: string | null;
}

/** Action on an account and its author; null: the server operator. */
export interface AuditEntry {
  /** Ascending; with gaps. */
  readonly id: number;
  readonly at: string;
  readonly by: string | null;
  readonly action: string;
  readonly about: string;
  readonly details: { readonly [name: string]: unknown };
}
/** `GET /api/admin/audit?about=<uid>&action=&before=`: a page, latest first. */
export interface AuditReply {
  readonly ok: true;
  readonly entries: readonly AuditEntry[];
  /** Names of the people in the page, by uid; deleted accounts have none. */
  readonly names: { readonly [uid: string]: { readonly first: string; readonly last: string } };
  /** `before` of the next page; null on the last. */
  readonly next: number | null;
}
