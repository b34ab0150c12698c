import { z } from 'zod';
import { idSchema } from '../domain/ids';
import type { CloudUser } from './cloud-auth';

/** An address as a person types it; what is wrong with it is said by the server, in the specification's words. */
const typedEmail = z.string().max(1000);
/** A new password as it is typed; the server says in words what is weak about it. */
const typedPassword = z.string().max(1000);
/** Where on this site the person goes on; anything that is no path of this site counts as none. */
const sitePath = z.string().max(4000).nullish();
const typedName = z.string().max(300);

/**
 * `POST /api/fn/create-account` (1§7, 2§7): without a password the server makes one of 12 random characters that nobody is told.
 * Whoever calls with an anonymous session keeps its uid and all that is under it. `handle`: of an event or organisation (1§6).
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

/** `POST /api/fn/verify-authentication-link`: the address from the link's URL, or asked for. */
export const verifyLinkSchema = z.object({ email: typedEmail, token: z.string().min(1).max(200) });

/** `POST /api/fn/send-password-reset`, `/verify-password-reset`, `/confirm-password-reset` (1§4). */
export const sendResetSchema = z.object({ email: typedEmail });
export const verifyResetSchema = z.object({ email: typedEmail, verificationCode: z.string().max(40) });
export const confirmResetSchema = verifyResetSchema.extend({ password: typedPassword });

/** `POST /api/account/password`: `current` is asked where the account has a password that its owner chose. */
export const changePasswordSchema = z.object({ password: typedPassword, current: typedPassword.nullish() });

/** `POST /api/account/email` mails a code to the new address; `POST /api/account/email/confirm` takes it. */
export const changeEmailSchema = z.object({ email: typedEmail });
export const confirmEmailSchema = z.object({ email: typedEmail, verificationCode: z.string().max(40) });

/** `PUT /api/account/photo`: bytes that were brought through `/api/uploads` before; null takes the photo away. */
export const photoSchema = z.object({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

/** Answers of every call that proves who somebody is: a custom token, good once, for `POST /api/auth/custom-token`. */
export interface ProvenReply {
  readonly ok: true;
  readonly token: string;
}

export const PROVIDERS = ['google', 'facebook', 'twitter', 'github'] as const;
export type ProviderId = (typeof PROVIDERS)[number];

/**
 * `GET /api/auth/providers`: those that this server is set up for; `linked`: that the signed-in person has linked. `password`: their account
 * has one that they chose.
 */
export interface ProvidersReply {
  readonly ok: true;
  readonly password: boolean;
  readonly providers: readonly { readonly id: ProviderId; readonly name: string; readonly linked: boolean }[];
}

/**
 * `POST /api/auth/providers/:id/start` gives where the popup goes. The provider's answer comes to `GET
 * /api/auth/providers/:id/callback`, a page that posts {@link PopupMessage} to the window that opened it, on `origin` alone, which
 * must be one of the service's allowed origins. `link`: somebody with an account adds this way in to it.
 */
export const providerStartSchema = z.object({ mode: z.enum(['sign-in', 'link']), origin: z.string().max(300) });
export interface ProviderStartReply {
  readonly ok: true;
  readonly url: string;
  /** The popup's message carries it again. */
  readonly state: string;
  /** The origin that the popup's message comes from: that of the service, as the world calls it. */
  readonly from: string;
}
export interface PopupMessage {
  readonly source: 'reef-sign-in';
  readonly state: string;
  /** What `finish` takes; absent where there is an error. */
  readonly ticket?: string;
  /** `auth/…` of 2§8. */
  readonly error?: { readonly auth: string; readonly message: string };
}

/**
 * `POST /api/auth/providers/:id/finish`: the window that began brings the popup's ticket, good once. Nothing was signed in, made or
 * linked before: whoever lures somebody else into a provider's page has no such window there. Called with an anonymous session,
 * its uid becomes the account's where the provider's person has none yet.
 */
export const providerFinishSchema = z.object({ ticket: z.string().min(1).max(4000) });
export interface ProviderFinishReply {
  readonly ok: true;
  /** A custom token; absent where the provider was linked to the account of the session. */
  readonly token?: string;
}

/** `GET /api/places?q=` (2§5): up to 5 places from 3 characters on; an empty list on any failure. */
export interface Place {
  readonly id: string;
  /** As it is shown: "Cairns, Queensland, Australia". */
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

/** Roles that admins and staff give (1§6). */
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
/** `POST /api/admin/link`: links a person to an event or organisation by their address (1§5). */
export const linkSchema = z.object({ email: typedEmail, handle: z.string().min(1).max(100) });

export const adminUserQuerySchema = z.object({ email: typedEmail });
/** What is noted in the audit log. */
export const AUDIT_ACTIONS = ['roles', 'link'] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
/** `about`: a uid; without it, of everybody. `before`: what was noted before the entry of this number, for the next page. */
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

/** The answer of `GET /api/admin/users`, `POST /api/admin/link` and `POST /api/admin/users/:uid/roles`. */
export interface AdminUserReply {
  readonly ok: true;
  readonly user: AdminUser;
}

/** What was done to an account, and by whom; null: whoever runs the server. */
export interface AuditEntry {
  /** Counts up; with gaps. */
  readonly id: number;
  readonly at: string;
  readonly by: string | null;
  readonly action: string;
  readonly about: string;
  readonly details: { readonly [name: string]: unknown };
}
/** `GET /api/admin/audit?about=<uid>&action=&before=`: a page, the latest first. */
export interface AuditReply {
  readonly ok: true;
  readonly entries: readonly AuditEntry[];
  /** What those who stand in it are called, by uid; an account that is no more has no name. */
  readonly names: { readonly [uid: string]: { readonly first: string; readonly last: string } };
  /** `before` of the next page; null: there is none. */
  readonly next: number | null;
}
