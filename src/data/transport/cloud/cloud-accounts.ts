import { z } from 'zod';
import { ReefError } from '../../../domain/errors';
import { isObject } from '../../../domain/json';
import { ANALYSIS_LIMITS, LIMITS } from '../../../domain/limits';
import type { Place, ProviderId } from '../../../protocol/accounts';
import { PROVIDERS } from '../../../protocol/accounts';
import type { CloudHttp } from './cloud-http';
import { finishProvider, finishWindow, unlinkProvider } from './cloud-sign-in';

const tokenReply = z.looseObject({ token: z.string().min(1) });
const okReply = z.looseObject({});
const placeSchema = z.object({
  id: z.string(),
  value: z.string(),
  name: z.string(),
  country: z.string(),
  _geoloc: z.object({ lat: z.number(), lng: z.number() }),
});
const meReply = z.looseObject({
  user: z.looseObject({
    email: z.string().default(''),
    isEmailVerified: z.boolean().default(false),
    anonymous: z.boolean().default(false),
  }),
});
const providersReply = z.looseObject({
  password: z.boolean().optional(),
  providers: z.array(z.looseObject({ id: z.string(), name: z.string(), linked: z.boolean().default(false) })),
});

/** Fields of a new account (1§7 `create-account`). */
export interface NewAccount {
  readonly email: string;
  readonly password?: string;
  readonly name?: { readonly first: string; readonly last: string };
  readonly optin?: boolean;
  /** Handle of the event or organisation that invited them: where they take part, not a permission (1§6). */
  readonly handle?: string;
}

export interface FoundOrganisation {
  readonly handle: string;
  readonly name: string;
}

/** Profile field defined by admins (2§3 "extra fields"). */
export interface ProfileField {
  readonly id: string;
  readonly label: string;
  readonly required: boolean;
}

export interface Provider {
  readonly id: ProviderId;
  readonly name: string;
  readonly linked: boolean;
}

/** State of an account: what its owner may change. */
export interface AccountState {
  /** Empty for an anonymous account. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  /** True if signed in without an address; a full account starts with one. */
  readonly anonymous: boolean;
  /** True if the owner chose a password; null if this cloud does not report it. */
  readonly hasPassword: boolean | null;
  readonly providers: readonly Provider[];
}

/**
 * Account calls of the cloud. Those that prove an identity return a single-use custom token.
 *
 * @throws ReefError from every method: from the cloud, `disconnected`, `timeout`
 */
export class CloudAccounts {
  readonly #http: CloudHttp;

  constructor(http: CloudHttp) {
    this.#http = http;
  }

  verifyCode(email: string, verificationCode: string): Promise<string> {
    return this.#customToken('verify-user-login-code', { email, verificationCode });
  }

  verifyPassword(email: string, password: string): Promise<string> {
    return this.#customToken('sign-in-with-password', { email, password });
  }

  verifyLink(email: string, token: string): Promise<string> {
    return this.#customToken('verify-authentication-link', { email, token });
  }

  signInAnonymously(): Promise<string> {
    return this.#customToken('sign-in-anonymously', {});
  }

  /** @param ticket from the provider's window */
  async verifyProvider(id: ProviderId, ticket: string): Promise<string> {
    const token = await finishProvider(this.#http, id, ticket);
    if (token === undefined) throw new ReefError('internal', { message: 'The shore did not report who signed in.' });
    return token;
  }

  createAccount(account: NewAccount): Promise<string> {
    return this.#customToken('create-account', account);
  }

  async sendPasswordReset(email: string): Promise<void> {
    await this.#http.call(okReply, 'send-password-reset', { email }, ANALYSIS_LIMITS.codeSendTimeoutMs);
  }

  /** Checks a code for a new password without using it up. */
  async checkResetCode(email: string, verificationCode: string): Promise<void> {
    await this.#http.call(
      okReply,
      'verify-password-reset',
      { email, verificationCode },
      ANALYSIS_LIMITS.codeSendTimeoutMs,
    );
  }

  /** Sets a new password; the code proves the identity. */
  resetPassword(email: string, verificationCode: string, password: string): Promise<string> {
    return this.#customToken('confirm-password-reset', { email, verificationCode, password });
  }

  /** Sign-in methods that this cloud supports. */
  async listProviders(): Promise<readonly Provider[]> {
    return providersOf(await this.#http.request(providersReply, 'GET', '/api/auth/providers'));
  }

  async accountState(): Promise<AccountState> {
    const [{ user }, ways] = await Promise.all([
      this.#http.request(meReply, 'GET', '/api/me'),
      this.#http.request(providersReply, 'GET', '/api/auth/providers'),
    ]);
    const { email, isEmailVerified, anonymous } = user;
    return { email, isEmailVerified, anonymous, hasPassword: ways.password ?? null, providers: providersOf(ways) };
  }

  /** @param current empty if the owner has not chosen a password */
  async changePassword(password: string, current: string): Promise<void> {
    await this.#http.request(okReply, 'POST', '/api/account/password', {
      password,
      ...(current === '' ? {} : { current }),
    });
  }

  async sendEmailCode(email: string): Promise<void> {
    await this.#http.request(okReply, 'POST', '/api/account/email', { email }, ANALYSIS_LIMITS.codeSendTimeoutMs);
  }

  async changeEmail(email: string, verificationCode: string): Promise<void> {
    await this.#http.request(okReply, 'POST', '/api/account/email/confirm', { email, verificationCode });
  }

  /** @param ticket from the cloud's window */
  finishWindow(ticket: string): Promise<string> {
    return finishWindow(this.#http, ticket);
  }

  /** @param ticket from the provider's window */
  async finishLink(id: ProviderId, ticket: string): Promise<void> {
    await finishProvider(this.#http, id, ticket);
  }

  unlink(id: ProviderId): Promise<void> {
    return unlinkProvider(this.#http, id);
  }

  /** Returns up to five places (2§5). */
  async searchPlaces(query: string): Promise<readonly Place[]> {
    const { places } = await this.#http.request(
      z.looseObject({ places: z.array(z.unknown()) }),
      'GET',
      `/api/places?q=${encodeURIComponent(query)}`,
      undefined,
      LIMITS.slowConnectionMs,
    );
    return places
      .flatMap((place) => placeSchema.safeParse(place).data ?? [])
      .slice(0, ANALYSIS_LIMITS.geocodingResults);
  }

  /** Returns up to five organisations by handle prefix (1§9). */
  async searchOrganisations(prefix: string): Promise<readonly FoundOrganisation[]> {
    const { items } = await this.#http.request(
      z.looseObject({ items: z.array(z.unknown()) }),
      'GET',
      `/api/query/organisations?prefix=${encodeURIComponent(prefix)}`,
      undefined,
      LIMITS.slowConnectionMs,
    );
    return items
      .flatMap((item) => {
        if (!isObject(item) || typeof item['handle'] !== 'string') return [];
        return [{ handle: item['handle'], name: typeof item['name'] === 'string' ? item['name'] : item['handle'] }];
      })
      .slice(0, LIMITS.organisationSearch);
  }

  /** Reference list `profile-fields`; empty if none exists. */
  async profileFields(): Promise<readonly ProfileField[]> {
    return parseProfileFields(await this.#http.reference('profile-fields'));
  }

  /** @param sha256 of bytes that the cloud has; null removes the photo */
  async setPhoto(sha256: string | null): Promise<void> {
    await this.#http.request(okReply, 'PUT', '/api/account/photo', { sha256 });
  }

  async #customToken(name: string, body: unknown): Promise<string> {
    return (await this.#http.call(tokenReply, name, body)).token;
  }
}

function providersOf({ providers }: z.infer<typeof providersReply>): readonly Provider[] {
  return providers.flatMap(({ id, name, linked }) => {
    const known = PROVIDERS.find((one) => one === id);
    return known === undefined ? [] : [{ id: known, name, linked }];
  });
}

/** Parses the extra fields of reference data; skips invalid ones and repeated ids. */
export function parseProfileFields(value: unknown): readonly ProfileField[] {
  if (!Array.isArray(value)) return [];
  const fields = new Map<string, ProfileField>();
  for (const field of value as readonly unknown[]) {
    if (!isObject(field)) continue;
    const { id, label, required } = field;
    if (
      typeof id !== 'string' ||
      !/^[\w-]{1,100}$/.test(id) ||
      typeof label !== 'string' ||
      label.trim() === '' ||
      fields.has(id)
    )
      continue;
    fields.set(id, { id, label: label.trim().slice(0, 200), required: required === true });
  }
  return [...fields.values()];
}
