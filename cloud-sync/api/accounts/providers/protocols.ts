import { createHmac } from 'node:crypto';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import { isObject } from '../../../../src/domain/json';
import type { ProviderId } from '../../../../src/protocol/accounts';
import {
  CALL_TIMEOUT_MS,
  ProviderUnavailableError,
  ProviderRefusedError,
  callProvider,
  requireText,
} from './call-provider';
import type { ProviderSettings } from './provider-settings';

export interface ProviderIdentity {
  readonly provider: ProviderId;
  /** Provider's permanent id of the person. */
  readonly subject: string;
  /** Address that the provider says it verified, as received; null if none. */
  readonly email: string | null;
  /** True if the provider runs the mailbox and knows its owner today; others verified it once. */
  readonly runsMailbox: boolean;
}

export interface SignInSecrets {
  /** PKCE (RFC 7636). */
  readonly verifier: string;
  /** OpenID: repeated in the id_token. */
  readonly nonce: string;
}

export interface ProviderClient {
  readonly settings: ProviderSettings;
  readonly redirectUri: string;
}

interface Protocol {
  readonly scope: string;
  readonly name: string;
  readonly identify: (
    answer: unknown,
    settings: ProviderSettings,
    turn: SignInSecrets,
    now: Date,
  ) => Promise<Omit<ProviderIdentity, 'provider'>>;
  /** RFC 6749, 2.3.1: client credentials in a header instead of the body. */
  readonly usesBasicAuth?: true;
}

/** Clock tolerance, s. */
const CLOCK_TOLERANCE_S = 60;

const keySets = new WeakMap<ProviderSettings, ReturnType<typeof createRemoteJWKSet>>();

function keySetOf(settings: ProviderSettings): ReturnType<typeof createRemoteJWKSet> {
  const known =
    keySets.get(settings) ??
    createRemoteJWKSet(new URL(settings.endpoints.keys), {
      timeoutDuration: CALL_TIMEOUT_MS,
      cooldownDuration: 10_000,
    });
  keySets.set(settings, known);
  return known;
}

/** OpenID Connect Core, 3.1.3.7: issuer, audience, signature by a published key, time, nonce. */
async function verifyIdToken(
  idToken: string,
  settings: ProviderSettings,
  { nonce }: SignInSecrets,
  now: Date,
): Promise<JWTPayload> {
  const { issuer } = settings.endpoints;
  try {
    const { payload } = await jwtVerify(idToken, keySetOf(settings), {
      // Google uses both forms.
      issuer: [issuer, issuer.replace(/^https:\/\//, '')],
      audience: settings.clientId,
      algorithms: ['RS256', 'ES256'],
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
      currentDate: now,
      clockTolerance: CLOCK_TOLERANCE_S,
    });
    if (payload['nonce'] !== nonce) throw new ProviderRefusedError('the token is of another turn');
    if (payload['azp'] !== undefined && payload['azp'] !== settings.clientId)
      throw new ProviderRefusedError('the token was made for another service');
    return payload;
  } catch (error) {
    if (error instanceof ProviderRefusedError) throw error;
    if (error instanceof errors.JWKSTimeout)
      throw new ProviderUnavailableError('its keys did not come in time', { cause: error });
    if (error instanceof errors.JOSEError)
      throw new ProviderRefusedError(`the token is not good: ${error.code}`, { cause: error });
    throw new ProviderUnavailableError('its keys did not come', { cause: error });
  }
}

const PROTOCOLS: Readonly<Record<ProviderId, Protocol>> = {
  google: {
    name: 'Google',
    scope: 'openid email',
    identify: async (answer, settings, turn, now) => {
      const claims = await verifyIdToken(requireText(answer, 'id_token', 16_384), settings, turn, now);
      const email = claims['email_verified'] === true && typeof claims['email'] === 'string' ? claims['email'] : null;
      const domain = email?.split('@').at(-1)?.toLowerCase();
      // Google's own mailboxes, and those of an organisation (`hd`) hosted there.
      const runsMailbox = domain !== undefined && (domain === 'gmail.com' || claims['hd'] === domain);
      return { subject: requireText(claims, 'sub', 255), email, runsMailbox };
    },
  },
  facebook: {
    name: 'Facebook',
    scope: 'public_profile,email',
    identify: async (answer, { secret, endpoints }) => {
      const token = requireText(answer, 'access_token');
      const url = new URL(endpoints.profile);
      url.search = new URLSearchParams({
        fields: 'id,email',
        appsecret_proof: createHmac('sha256', secret).update(token).digest('hex'),
      }).toString();
      const profile = await callProvider(url, { headers: { authorization: `Bearer ${token}` } });
      // Facebook returns only confirmed addresses; a person with only a phone number has none.
      const email = isObject(profile) && typeof profile['email'] === 'string' ? profile['email'] : null;
      return { subject: requireText(profile, 'id', 255), email, runsMailbox: false };
    },
  },
  twitter: {
    name: 'Twitter',
    // The second scope is refused without the first.
    scope: 'tweet.read users.read',
    usesBasicAuth: true,
    identify: async (answer, { endpoints }) => {
      const profile = await callProvider(endpoints.profile, {
        headers: { authorization: `Bearer ${requireText(answer, 'access_token')}` },
      });
      return {
        subject: requireText(isObject(profile) ? profile['data'] : undefined, 'id', 255),
        email: null,
        runsMailbox: false,
      };
    },
  },
  github: {
    name: 'GitHub',
    scope: 'read:user user:email',
    identify: async (answer, { endpoints }) => {
      const headers = {
        authorization: `Bearer ${requireText(answer, 'access_token')}`,
        accept: 'application/vnd.github+json',
      };
      const [user, emails] = await Promise.all([
        callProvider(endpoints.profile, { headers }),
        callProvider(endpoints.emails, { headers }),
      ]);
      const id = isObject(user) ? user['id'] : undefined;
      if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0)
        throw new ProviderRefusedError('its answer has no id');
      const list: readonly unknown[] = Array.isArray(emails) ? emails : [];
      const own = list.find(
        (entry) =>
          isObject(entry) &&
          entry['primary'] === true &&
          entry['verified'] === true &&
          typeof entry['email'] === 'string',
      );
      return { subject: String(id), email: isObject(own) ? String(own['email']) : null, runsMailbox: false };
    },
  },
};

export function providerName(id: ProviderId): string {
  return PROTOCOLS[id].name;
}

/** Address of the provider's consent page, for the popup. */
export function authorizationUrl(
  id: ProviderId,
  { settings, redirectUri }: ProviderClient,
  turn: { readonly state: string; readonly nonce: string; readonly challenge: string },
): string {
  const url = new URL(settings.endpoints.authorize);
  const params = {
    response_type: 'code',
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    scope: PROTOCOLS[id].scope,
    state: turn.state,
    code_challenge: turn.challenge,
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  if (settings.endpoints.keys !== '' && id === 'google') {
    url.searchParams.set('nonce', turn.nonce);
    // On a shared tablet the previous user may still be signed in there.
    url.searchParams.set('prompt', 'select_account');
  }
  return url.href;
}

/**
 * Exchanges the code for the person's identity. Nothing else from the provider is stored.
 *
 * @param now the service's clock
 * @throws ProviderUnavailableError; ProviderRefusedError
 */
export async function fetchIdentity(
  id: ProviderId,
  { settings, redirectUri }: ProviderClient,
  code: string,
  turn: SignInSecrets,
  now: Date,
): Promise<ProviderIdentity> {
  const { usesBasicAuth, identify } = PROTOCOLS[id];
  const { clientId, secret, endpoints } = settings;
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  const answer = await callProvider(endpoints.token, {
    headers: usesBasicAuth === true ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {},
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: turn.verifier,
      client_id: clientId,
      ...(usesBasicAuth === true ? {} : { client_secret: secret }),
    }),
  });
  return { provider: id, ...(await identify(answer, settings, turn, now)) };
}
