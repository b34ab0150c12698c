import { z } from 'zod';

/** An address as a person types it; what is wrong with it is said by the server, in the specification's words. */
const typedEmail = z.string().max(1000);

/** `POST /api/fn/send-user-login-code` (1§7): `path` is where on this site the person goes on once signed in. */
export const sendLoginCodeSchema = z.object({ email: typedEmail, path: z.string().max(4000).nullish() });

/** `POST /api/fn/verify-user-login-code` (1§7). Blanks in the code do not count: mails show it in groups. */
export const verifyLoginCodeSchema = z.object({ email: typedEmail, verificationCode: z.string().max(40) });

/** `POST /api/auth/custom-token`: the single-use token becomes a session. */
export const customTokenSchema = z.object({ token: z.string().min(1).max(200) });

/** `POST /api/auth/sign-out`; `everywhere`: on all tablets, and aboard as soon as the boxes hear of it. */
export const signOutSchema = z.object({ everywhere: z.boolean().optional() });

/** A person as the cloud knows them (1§3 "User"): `uid` is the personId. */
export interface CloudUser {
  readonly uid: string;
  /** Empty for somebody who signed in without one, or by a provider that tells none. */
  readonly email: string;
  readonly name: { readonly first: string; readonly last: string };
  /** False ashore: the address is proven. */
  readonly pending: false;
  readonly isEmailVerified: boolean;
  readonly domains: readonly string[];
  /** True for someone who runs the census. */
  readonly staff: boolean;
  readonly admin: boolean;
  readonly isExpert: boolean;
  readonly verified: boolean;
  /** Signed in without an address: `email` is empty. */
  readonly anonymous: boolean;
  /** On this service: where their photograph is shown; null where they have none. */
  readonly photoURL: string | null;
}

/** The answer of `verify-user-login-code`: a custom token, good once and for some minutes. */
export interface CustomTokenReply {
  readonly ok: true;
  readonly token: string;
}

/** The answer of `POST /api/auth/custom-token`: `session` is the bearer token of the person. */
export interface SessionReply {
  readonly ok: true;
  readonly session: string;
  readonly user: CloudUser;
}

/** The answer of `GET /api/me`. */
export interface MeReply {
  readonly ok: true;
  readonly user: CloudUser;
}

/** The answer of `GET /api/auth/token` (for the cloud, minutes) and `GET /api/auth/edge-token` (for boxes, a voyage). */
export interface TokenReply {
  readonly ok: true;
  readonly token: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

/** The audience of a token for the cloud's own calls. */
export const CLOUD_AUDIENCE = 'reef-cloud';

/** The audiences of a token for boxes: boxes of the first version ask for the second. */
export const EDGE_AUDIENCES = ['reef-edge', 'edge'] as const;
