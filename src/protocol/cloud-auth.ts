import { z } from 'zod';
import type { SecondFactorState } from './second-factor';

/** Email address as typed; the server validates it, with the specification's messages. */
const typedEmail = z.string().max(1000);

/** `POST /api/fn/send-user-login-code` (1§7): `path` is the page on this site to continue at. */
export const sendLoginCodeSchema = z.object({ email: typedEmail, path: z.string().max(4000).nullish() });

/** `POST /api/fn/verify-user-login-code` (1§7). Spaces in the code are ignored: mails show it in groups. */
export const verifyLoginCodeSchema = z.object({ email: typedEmail, verificationCode: z.string().max(40) });

/**
 * `POST /api/auth/custom-token`: exchanges the single-use token for a session. `handle`: of the event or organisation
 * that invited the person (1§6), whichever way they signed in.
 */
export const customTokenSchema = z.object({ token: z.string().min(1).max(200), handle: z.string().max(100).nullish() });

/** `POST /api/auth/sign-out`; `everywhere`: on all tablets, and aboard once the boxes learn of it. */
export const signOutSchema = z.object({ everywhere: z.boolean().optional() });

/** Person in the cloud (1§3 "User"): `uid` is the personId. */
export interface CloudUser {
  readonly uid: string;
  /** Empty after anonymous sign-in, or if the provider returns none. */
  readonly email: string;
  readonly name: { readonly first: string; readonly last: string };
  /** Always false: the address is proven. */
  readonly pending: false;
  readonly isEmailVerified: boolean;
  readonly domains: readonly string[];
  readonly staff: boolean;
  readonly admin: boolean;
  readonly isExpert: boolean;
  readonly verified: boolean;
  /** Signed in without an email address: `email` is empty. */
  readonly anonymous: boolean;
  /** URL of the profile photo on this service; null without one. */
  readonly photoURL: string | null;
  /** Present for a person with the role of staff or admin; absent for others and from older clouds. */
  readonly secondFactor?: SecondFactorState | undefined;
}

/** Reply of `verify-user-login-code`: a custom token, single use and valid for minutes. */
export interface CustomTokenReply {
  readonly ok: true;
  readonly token: string;
}

/** Reply of `POST /api/auth/custom-token`: `session` is the person's bearer token. */
export interface SessionReply {
  readonly ok: true;
  readonly session: string;
  readonly user: CloudUser;
}

/** Reply of `GET /api/me`. */
export interface MeReply {
  readonly ok: true;
  readonly user: CloudUser;
}

/** Reply of `GET /api/auth/token` (for the cloud, minutes) and `GET /api/auth/edge-token` (for boxes, a voyage). */
export interface TokenReply {
  readonly ok: true;
  readonly token: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

/** Audience of tokens for the cloud. */
export const CLOUD_AUDIENCE = 'reef-cloud';

/** Audiences of tokens for boxes; boxes of version 1 expect the second. */
export const EDGE_AUDIENCES = ['reef-edge', 'edge'] as const;
