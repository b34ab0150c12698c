import { createHmac } from 'node:crypto';
import {
  ClientSecretPost,
  Configuration,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  clockTolerance,
  customFetch,
  enableNonRepudiationChecks,
} from 'openid-client';
import type { ClientAuth } from 'openid-client';
import { isObject } from '../../../../src/domain/json';
import type { ProviderId } from '../../../../src/protocol/accounts';
import {
  ProviderRefusedError,
  ProviderUnavailableError,
  callProvider,
  fetchProvider,
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

type Tokens = Awaited<ReturnType<typeof authorizationCodeGrant>>;

interface Protocol {
  readonly scope: string;
  readonly name: string;
  readonly identify: (tokens: Tokens, settings: ProviderSettings) => Promise<Omit<ProviderIdentity, 'provider'>>;
  /** OpenID Connect: an id_token identifies the person. The others are plain OAuth 2 (RFC 6749). */
  readonly isOpenId?: true;
  /** RFC 6749, 2.3.1: client credentials in a header instead of the body. */
  readonly usesBasicAuth?: true;
}

/** Clock tolerance, s. */
const CLOCK_TOLERANCE_S = 60;

/** The client of each provider caches that provider's keys. */
const configurations = new WeakMap<ProviderSettings, Configuration>();

function configurationOf(id: ProviderId, settings: ProviderSettings): Configuration {
  const known = configurations.get(settings);
  if (known !== undefined) return known;
  const { clientId, secret, endpoints } = settings;
  const { isOpenId, usesBasicAuth } = PROTOCOLS[id];
  const configuration = new Configuration(
    {
      issuer: endpoints.issuer === '' ? endpoints.authorize : endpoints.issuer,
      authorization_endpoint: endpoints.authorize,
      token_endpoint: endpoints.token,
      jwks_uri: endpoints.keys,
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    },
    clientId,
    { [clockTolerance]: CLOCK_TOLERANCE_S },
    usesBasicAuth === true ? basicAuth(clientId, secret) : ClientSecretPost(secret),
  );
  configuration[customFetch] = fetchProvider;
  // The settings accept plain http on loopback alone.
  allowInsecureRequests(configuration);
  // The signature of an id_token counts, even though it comes straight from the provider.
  if (isOpenId === true) enableNonRepudiationChecks(configuration);
  configurations.set(settings, configuration);
  return configuration;
}

/** Basic authentication that leaves `-` and `_` unescaped, unlike openid-client's: not every server decodes them. */
function basicAuth(clientId: string, secret: string): ClientAuth {
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  return (_server, _client, body, headers) => {
    body.set('client_id', clientId);
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

const PROTOCOLS: Readonly<Record<ProviderId, Protocol>> = {
  google: {
    name: 'Google',
    scope: 'openid email',
    isOpenId: true,
    identify: async (tokens) => {
      const claims = tokens.claims();
      const email = claims?.['email_verified'] === true && typeof claims['email'] === 'string' ? claims['email'] : null;
      const domain = email?.split('@').at(-1)?.toLowerCase();
      // Google's own mailboxes, and those of an organisation (`hd`) hosted there.
      const runsMailbox = domain !== undefined && (domain === 'gmail.com' || claims?.['hd'] === domain);
      return { subject: requireText(claims, 'sub', 255), email, runsMailbox };
    },
  },
  facebook: {
    name: 'Facebook',
    scope: 'public_profile,email',
    identify: async ({ access_token: accessToken }, { secret, endpoints }) => {
      const url = new URL(endpoints.profile);
      url.search = new URLSearchParams({
        fields: 'id,email',
        appsecret_proof: createHmac('sha256', secret).update(accessToken).digest('hex'),
      }).toString();
      const profile = await callProvider(url.href, bearer(accessToken));
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
    identify: async ({ access_token: accessToken }, { endpoints }) => {
      const profile = await callProvider(endpoints.profile, bearer(accessToken));
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
    identify: async ({ access_token: accessToken }, { endpoints }) => {
      const headers = { ...bearer(accessToken), accept: 'application/vnd.github+json' };
      const [user, emails] = await Promise.all([
        callProvider(endpoints.profile, headers),
        callProvider(endpoints.emails, headers),
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

function bearer(accessToken: string): { readonly authorization: string } {
  return { authorization: `Bearer ${accessToken}` };
}

export function providerName(id: ProviderId): string {
  return PROTOCOLS[id].name;
}

/** Address of the provider's consent page, for the popup. */
export function authorizationUrl(
  id: ProviderId,
  { settings, redirectUri }: ProviderClient,
  turn: { readonly state: string; readonly nonce: string; readonly challenge: string },
): string {
  const { scope, isOpenId } = PROTOCOLS[id];
  return buildAuthorizationUrl(configurationOf(id, settings), {
    redirect_uri: redirectUri,
    scope,
    state: turn.state,
    code_challenge: turn.challenge,
    code_challenge_method: 'S256',
    // On a shared tablet the previous user may still be signed in there.
    ...(isOpenId === true ? { nonce: turn.nonce, prompt: 'select_account' } : {}),
  }).href;
}

/**
 * Exchanges the code for the person's identity. Nothing else from the provider is stored. The state was matched before.
 *
 * @throws ProviderUnavailableError; ProviderRefusedError
 */
export async function fetchIdentity(
  id: ProviderId,
  { settings, redirectUri }: ProviderClient,
  code: string,
  { verifier, nonce }: SignInSecrets,
): Promise<ProviderIdentity> {
  const { isOpenId, identify } = PROTOCOLS[id];
  const answer = new URL(redirectUri);
  answer.searchParams.set('code', code);
  try {
    const tokens = await authorizationCodeGrant(configurationOf(id, settings), answer, {
      pkceCodeVerifier: verifier,
      ...(isOpenId === true ? { expectedNonce: nonce } : {}),
    });
    return { provider: id, ...(await identify(tokens, settings)) };
  } catch (error) {
    throw toProviderError(error);
  }
}

/** Returns our own error if the client wrapped one, else a refusal; a `TypeError` is a defect of ours. */
function toProviderError(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ProviderUnavailableError || cause instanceof ProviderRefusedError) return cause;
  if (!(error instanceof Error) || error instanceof TypeError) return error;
  return new ProviderRefusedError(error.message, { cause: error });
}
