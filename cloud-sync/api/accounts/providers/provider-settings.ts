import { z } from 'zod';
import { SettingsError, isLoopback, optional, readEnvironment } from '../../../../src/server/process/environment';
import type { ProviderId } from '../../../../src/protocol/accounts';
import { PROVIDERS } from '../../../../src/protocol/accounts';

/** Endpoints of a provider. `emails` is GitHub's only; `keys` and `issuer` are for OpenID. */
interface ProviderEndpoints {
  readonly authorize: string;
  readonly token: string;
  readonly profile: string;
  readonly emails: string;
  readonly keys: string;
  readonly issuer: string;
}

/** Registration of this service at a provider. */
export interface ProviderSettings {
  readonly clientId: string;
  readonly secret: string;
  readonly endpoints: ProviderEndpoints;
}

export type ProvidersSettings = Readonly<Partial<Record<ProviderId, ProviderSettings>>>;

const NO_ENDPOINTS: ProviderEndpoints = { authorize: '', token: '', profile: '', emails: '', keys: '', issuer: '' };

const DEFAULT_ENDPOINTS: Readonly<Record<ProviderId, ProviderEndpoints>> = {
  google: {
    ...NO_ENDPOINTS,
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    keys: 'https://www.googleapis.com/oauth2/v3/certs',
    issuer: 'https://accounts.google.com',
  },
  facebook: {
    ...NO_ENDPOINTS,
    authorize: 'https://www.facebook.com/v24.0/dialog/oauth',
    token: 'https://graph.facebook.com/v24.0/oauth/access_token',
    profile: 'https://graph.facebook.com/v24.0/me',
  },
  twitter: {
    ...NO_ENDPOINTS,
    authorize: 'https://x.com/i/oauth2/authorize',
    token: 'https://api.x.com/2/oauth2/token',
    profile: 'https://api.x.com/2/users/me',
  },
  github: {
    ...NO_ENDPOINTS,
    authorize: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    profile: 'https://api.github.com/user',
    emails: 'https://api.github.com/user/emails',
  },
};

/** Receives secrets and codes: https, or this machine. */
const endpoint = z.string().refine((text) => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}, 'must be an https address');

const endpointsSchema = z
  .strictObject({
    authorize: endpoint,
    token: endpoint,
    profile: endpoint,
    emails: endpoint,
    keys: endpoint,
    issuer: endpoint,
  })
  .partial();

/**
 * Reads `PROVIDER_<NAME>_ID`, `PROVIDER_<NAME>_SECRET` and `PROVIDER_<NAME>_ENDPOINTS` (one base address, or JSON with
 * some of {@link ProviderEndpoints}). A provider without an id is not offered.
 *
 * @throws SettingsError with one line for the first wrong value
 */
export function readProviderSettings(environment: Readonly<Record<string, string | undefined>>): ProvidersSettings {
  return Object.fromEntries(
    PROVIDERS.flatMap((id) => {
      const settings = readProvider(id, environment);
      return settings === undefined ? [] : [[id, settings]];
    }),
  );
}

function readProvider(
  id: ProviderId,
  environment: Readonly<Record<string, string | undefined>>,
): ProviderSettings | undefined {
  const [idName, secretName, endpointsName] = ['ID', 'SECRET', 'ENDPOINTS'].map(
    (part) => `PROVIDER_${id.toUpperCase()}_${part}`,
  ) as [string, string, string];
  const word = optional(z.string().max(500));
  const env = readEnvironment(
    z.object({ [idName]: word, [secretName]: word, [endpointsName]: optional(z.string().max(4000)) }),
    environment,
  ) as Readonly<Record<string, string | undefined>>;
  const [clientId, secret, endpoints] = [env[idName], env[secretName], env[endpointsName]];
  if (clientId === undefined && secret === undefined) return undefined;
  if (clientId === undefined || secret === undefined)
    throw new SettingsError(`${idName} and ${secretName}: set both of them or none.`);
  return {
    clientId,
    secret,
    endpoints: {
      ...DEFAULT_ENDPOINTS[id],
      ...(endpoints === undefined ? {} : readEndpoints(endpointsName, endpoints)),
    },
  };
}

function readEndpoints(name: string, text: string): Partial<ProviderEndpoints> {
  const isJson = text.trimStart().startsWith('{');
  const given = isJson ? parseJson(name, text) : endpointsUnder(text.trim().replace(/\/+$/, ''));
  const parsed = endpointsSchema.safeParse(given);
  if (parsed.success) return parsed.data as Partial<ProviderEndpoints>;
  throw new SettingsError(
    `${name}: ${isJson ? `${String(parsed.error.issues[0]?.path[0] ?? 'it')} ` : ''}${parsed.error.issues[0]?.message ?? 'is not right'}.`,
  );
}

function endpointsUnder(base: string): ProviderEndpoints {
  return {
    authorize: `${base}/authorize`,
    token: `${base}/token`,
    profile: `${base}/profile`,
    emails: `${base}/emails`,
    keys: `${base}/keys`,
    issuer: base,
  };
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new SettingsError(`${name}: must be an https address, or JSON.`, { cause: error });
  }
}
