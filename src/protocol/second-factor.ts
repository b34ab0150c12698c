import { z } from 'zod';

/** Role that counts only after the second factor. */
type GuardedRole = 'admin' | 'staff';

/** Second factor of a person with such a role, in their session. Unless it is passed, these roles are false there. */
export interface SecondFactorState {
  /** `needed`: set up, and to be shown; `missing`: to be set up first. */
  readonly status: 'passed' | 'needed' | 'missing';
  readonly roles: readonly GuardedRole[];
}

/** Answer of a browser for a passkey, as WebAuthn writes it in JSON; the server's library checks it. */
const passkeyResponse = z.looseObject({ id: z.string().min(1).max(1400), response: z.looseObject({}) });

/** `POST /api/auth/second-factor`: one of them. Blanks and hyphens do not count. */
export const passFactorSchema = z.object({
  code: z.string().max(40).optional(),
  recoveryCode: z.string().max(60).optional(),
  passkey: passkeyResponse.optional(),
});

/** `POST /api/account/second-factor/codes/confirm`. */
export const confirmCodesSchema = z.object({ code: z.string().max(40) });

/** `POST /api/account/second-factor/remove`. */
export const removeFactorSchema = z.discriminatedUnion('way', [
  z.object({ way: z.literal('codes') }),
  z.object({ way: z.literal('passkey'), id: z.string().max(1400) }),
]);

/** `POST /api/account/second-factor/passkeys/confirm`. */
export const addPasskeySchema = z.object({ name: z.string().trim().min(1).max(80), response: passkeyResponse });

export interface PasskeyFacts {
  readonly id: string;
  /** Name that its owner gave it. */
  readonly name: string;
  readonly addedAt: string;
  readonly usedAt: string | null;
}

/** Reply of `POST /api/account/second-factor/passkeys`: options for the browser, as WebAuthn writes them in JSON. */
export interface PasskeySetupReply {
  readonly ok: true;
  readonly options: { readonly [member: string]: unknown };
}

/** Reply of `GET /api/account/second-factor`: ways that the person has set up. */
export interface SecondFactorReply {
  readonly ok: true;
  /** One-time codes of an authenticator app. */
  readonly codes: boolean;
  readonly passkeys: readonly PasskeyFacts[];
  /** Recovery codes that are not used yet. */
  readonly recoveryCodes: number;
}

/** Reply of `POST /api/account/second-factor/codes`: secret for an authenticator app, in base32 and as its address. */
export interface CodesSetupReply {
  readonly ok: true;
  readonly secret: string;
  readonly uri: string;
}

/** Reply that shows recovery codes, this once; none if the person has some already. */
export interface RecoveryCodesReply {
  readonly ok: true;
  readonly recoveryCodes: readonly string[];
}

/** Reply of `POST /api/auth/second-factor/start`: ways to pass it. */
export interface FactorStartReply {
  readonly ok: true;
  readonly codes: boolean;
  /** Options for the browser; null without a passkey, and on a page that is not the shore's own. */
  readonly passkey: { readonly [member: string]: unknown } | null;
}
