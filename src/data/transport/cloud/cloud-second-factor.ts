import { z } from 'zod';
import { LIMITS } from '../../../domain/limits';
import type {
  CodesSetupReply,
  FactorStartReply,
  SecondFactorReply,
  SecondFactorState,
} from '../../../protocol/second-factor';
import type { CloudHttp } from './cloud-http';

const okReply = z.looseObject({});
export const secondFactorSchema = z.looseObject({
  status: z.enum(['passed', 'needed', 'missing']),
  roles: z.array(z.enum(['admin', 'staff'])),
});
const stateReply = z.looseObject({ user: z.looseObject({ secondFactor: secondFactorSchema.optional() }) });
const overviewReply = z.looseObject({
  codes: z.boolean(),
  passkeys: z
    .array(z.looseObject({ id: z.string(), name: z.string(), addedAt: z.string(), usedAt: z.string().nullable() }))
    .default([]),
  recoveryCodes: z.int(),
});
const passkeySetupReply = z.looseObject({ options: z.looseObject({}) });
const setupReply = z.looseObject({ secret: z.string(), uri: z.string() });
const recoveryReply = z.looseObject({ recoveryCodes: z.array(z.string()) });
const startReply = z.looseObject({ codes: z.boolean(), passkey: z.looseObject({}).nullable().default(null) });

export type FactorOverview = Omit<SecondFactorReply, 'ok'>;
/** Options of WebAuthn for a browser, in JSON. */
export interface PasskeyOptions {
  readonly [member: string]: unknown;
}
export type FactorWays = Omit<FactorStartReply, 'ok'>;
export type CodesSetup = Omit<CodesSetupReply, 'ok'>;

/**
 * Calls of the second factor.
 *
 * @throws ReefError from every method: from the cloud, `disconnected`, `timeout`
 */
export class CloudSecondFactor {
  readonly #http: CloudHttp;

  constructor(http: CloudHttp) {
    this.#http = http;
  }

  /** Returns null for a person without a role that needs one, and from a cloud that knows none. */
  async state(): Promise<SecondFactorState | null> {
    const { user } = await this.#http.request(stateReply, 'GET', '/api/me', undefined, LIMITS.slowConnectionMs);
    return user.secondFactor ?? null;
  }

  overview(): Promise<FactorOverview> {
    return this.#http.request(overviewReply, 'GET', '/api/account/second-factor');
  }

  beginCodes(): Promise<CodesSetup> {
    return this.#http.request(setupReply, 'POST', '/api/account/second-factor/codes', {});
  }

  /** @returns recovery codes, if there were none */
  async confirmCodes(code: string): Promise<readonly string[]> {
    return (await this.#http.request(recoveryReply, 'POST', '/api/account/second-factor/codes/confirm', { code }))
      .recoveryCodes;
  }

  async renewRecoveryCodes(): Promise<readonly string[]> {
    return (await this.#http.request(recoveryReply, 'POST', '/api/account/second-factor/recovery', {})).recoveryCodes;
  }

  async removeCodes(): Promise<void> {
    await this.#http.request(okReply, 'POST', '/api/account/second-factor/remove', { way: 'codes' });
  }

  async removePasskey(id: string): Promise<void> {
    await this.#http.request(okReply, 'POST', '/api/account/second-factor/remove', { way: 'passkey', id });
  }

  /** Returns the browser's options for a new passkey. */
  async beginPasskey(): Promise<PasskeyOptions> {
    return (await this.#http.request(passkeySetupReply, 'POST', '/api/account/second-factor/passkeys', {})).options;
  }

  /** @returns recovery codes, if there were none */
  async addPasskey(name: string, response: unknown): Promise<readonly string[]> {
    const place = '/api/account/second-factor/passkeys/confirm';
    return (await this.#http.request(recoveryReply, 'POST', place, { name, response })).recoveryCodes;
  }

  /** Ways to pass it now. */
  start(): Promise<FactorWays> {
    return this.#http.request(startReply, 'POST', '/api/auth/second-factor/start', {});
  }

  async pass(
    proof: { readonly code: string } | { readonly recoveryCode: string } | { readonly passkey: unknown },
  ): Promise<void> {
    await this.#http.request(okReply, 'POST', '/api/auth/second-factor', proof);
  }
}
