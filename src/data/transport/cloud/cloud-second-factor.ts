import { z } from 'zod';
import { LIMITS } from '../../../domain/limits';
import type { CodesSetupReply, SecondFactorReply, SecondFactorState } from '../../../protocol/second-factor';
import type { CloudHttp } from './cloud-http';

const okReply = z.looseObject({});
export const secondFactorSchema = z.looseObject({
  status: z.enum(['passed', 'needed', 'missing']),
  roles: z.array(z.enum(['admin', 'staff'])),
});
const stateReply = z.looseObject({ user: z.looseObject({ secondFactor: secondFactorSchema.optional() }) });
const overviewReply = z.looseObject({ codes: z.boolean(), recoveryCodes: z.int() });
const setupReply = z.looseObject({ secret: z.string(), uri: z.string() });
const recoveryReply = z.looseObject({ recoveryCodes: z.array(z.string()) });
const startReply = z.looseObject({ codes: z.boolean() });

export type FactorOverview = Omit<SecondFactorReply, 'ok'>;
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

  /** Ways to pass it now. */
  start(): Promise<{ readonly codes: boolean }> {
    return this.#http.request(startReply, 'POST', '/api/auth/second-factor/start', {});
  }

  async pass(proof: { readonly code: string } | { readonly recoveryCode: string }): Promise<void> {
    await this.#http.request(okReply, 'POST', '/api/auth/second-factor', proof);
  }
}
