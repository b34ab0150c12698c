import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import {
  SettingsError,
  isLoopback,
  numberFrom,
  optional,
  readEnvironment,
  webUrl,
} from '../../src/server/process/environment';

/** Settings of the bridge (protocol, "Commands and settings"). */
export interface BridgeSettings {
  /** State folder: `REEF_HOME/bridge`. */
  readonly home: string;
  readonly edge: URL;
  readonly cloud: URL;
  /** The box's admin token; null: read from the folder of a box on this machine. */
  readonly edgeToken: string | null;
  /** `REEF_HOME/edge`, of a box on this machine. */
  readonly edgeHome: string;
  /** PEM file of the authority that signed the box's certificate. */
  readonly edgeCa: string | null;
  /** SHA-256 of the box's authority, lower-case hex, as on its console and label. */
  readonly edgeFingerprint: string | null;
  readonly token: string;
  /** Bytes a second; null: no cap. */
  readonly bytesPerSecond: number | null;
  /** Bytes of 24 hours; null: no budget. */
  readonly dailyBytes: number | null;
}

const token = z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be letters, digits and signs without spaces');
const fingerprint = z
  .string()
  .transform((text) => text.replaceAll(/[:\s]|^sha256:/gi, '').toLowerCase())
  .pipe(z.string().regex(/^[0-9a-f]{64}$/, 'must be the 64 digits of a SHA-256 fingerprint'));

const environmentSchema = z.object({
  REEF_HOME: optional(z.string()),
  EDGE_URL: optional(webUrl),
  CLOUD_URL: optional(webUrl),
  EDGE_PORT: optional(numberFrom(z.int('must be a whole number').min(0).max(65_535, 'must be a port from 0 to 65535'))),
  CLOUD_PORT: optional(
    numberFrom(z.int('must be a whole number').min(0).max(65_535, 'must be a port from 0 to 65535')),
  ),
  EDGE_ADMIN_TOKEN: optional(token),
  EDGE_CA: optional(z.string()),
  EDGE_CA_FINGERPRINT: optional(fingerprint),
  BRIDGE_TOKEN: optional(token),
  BRIDGE_MAX_KBPS: optional(numberFrom(z.number().positive('must be kilobits a second, above 0'))),
  BRIDGE_DAILY_MB: optional(numberFrom(z.number().positive('must be megabytes, above 0'))),
});

export const HELP = `npm run bridge -- --edge <url> --cloud <url>

Uploads what is on a box to the cloud, and returns the cloud's receipts and news. It runs next to the box or on a staff laptop.

  --edge <url>            the box; default EDGE_URL, else this machine
  --cloud <url>           the cloud; default CLOUD_URL, else this machine
  --edge-token <token>    the box's admin token; default EDGE_ADMIN_TOKEN, else the one of a box beside (REEF_HOME/edge/admin-token)
  --edge-ca <file>        the certificate authority of the box (PEM); default EDGE_CA, else that of a box beside
  --edge-fingerprint <f>  or its SHA-256 fingerprint, as the box's console shows it; default EDGE_CA_FINGERPRINT
  --token <token>         the box's credential at the cloud; default BRIDGE_TOKEN

npm run bridge -- import <bundle> --cloud <url> [--confirm <the box's key>]

Brings a box's sealed bundle to the cloud from any machine ashore, and writes the receipts beside it, to be carried back.

BRIDGE_MAX_KBPS caps the link (kilobits a second), BRIDGE_DAILY_MB what goes in 24 hours.
`;

/**
 * Reads the settings.
 *
 * @throws SettingsError with one line for the first wrong value
 */
export function readBridgeSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): BridgeSettings {
  const given = parseArguments(args);
  const env = readEnvironment(environmentSchema, {
    ...environment,
    ...override('EDGE_URL', given['edge']),
    ...override('CLOUD_URL', given['cloud']),
    ...override('EDGE_ADMIN_TOKEN', given['edge-token']),
    ...override('EDGE_CA', given['edge-ca']),
    ...override('EDGE_CA_FINGERPRINT', given['edge-fingerprint']),
    ...override('BRIDGE_TOKEN', given['token']),
  });
  const home = env.REEF_HOME ?? '.data';
  const edge = env.EDGE_URL ?? new URL(`http://127.0.0.1:${env.EDGE_PORT ?? 4100}`);
  const cloud = env.CLOUD_URL ?? new URL(`http://127.0.0.1:${env.CLOUD_PORT ?? 4200}`);
  requireSecureUrl('EDGE_URL', edge);
  requireSecureUrl('CLOUD_URL', cloud);
  const token = requireToken(env.BRIDGE_TOKEN);
  return {
    home: path.resolve(home, 'bridge'),
    edge,
    cloud,
    edgeToken: env.EDGE_ADMIN_TOKEN ?? null,
    edgeHome: path.resolve(home, 'edge'),
    edgeCa: env.EDGE_CA ?? null,
    edgeFingerprint: env.EDGE_CA_FINGERPRINT ?? null,
    token,
    bytesPerSecond: env.BRIDGE_MAX_KBPS === undefined ? null : (env.BRIDGE_MAX_KBPS * 1000) / 8,
    dailyBytes: env.BRIDGE_DAILY_MB === undefined ? null : Math.round(env.BRIDGE_DAILY_MB * 1_000_000),
  };
}

const text = { type: 'string' } as const;
const IMPORT_OPTIONS = { cloud: text, token: text, confirm: text };
const BRIDGE_OPTIONS = {
  edge: text,
  cloud: text,
  'edge-token': text,
  'edge-ca': text,
  'edge-fingerprint': text,
  token: text,
};

/** Settings of `npm run bridge -- import`. */
interface ImportSettings {
  readonly file: string;
  readonly cloud: URL;
  readonly token: string;
  readonly confirm: string | null;
}

/**
 * Reads the settings of an import.
 *
 * @param args arguments after `import`
 * @throws SettingsError with one line for the first wrong value
 */
export function readImportSettings(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ImportSettings {
  const { values, positionals } = parseOrExplain(() =>
    parseArgs({ args: joinTokens(args), allowPositionals: true, options: IMPORT_OPTIONS }),
  );
  const [file, more] = positionals;
  if (file === undefined || more !== undefined)
    throw new SettingsError('Say which file: npm run bridge -- import <bundle> --cloud <url>');
  const env = readEnvironment(environmentSchema, {
    ...environment,
    ...override('CLOUD_URL', values.cloud),
    ...override('BRIDGE_TOKEN', values.token),
  });
  const cloud = env.CLOUD_URL ?? new URL(`http://127.0.0.1:${env.CLOUD_PORT ?? 4200}`);
  requireSecureUrl('CLOUD_URL', cloud);
  return { file: path.resolve(file), cloud, token: requireToken(env.BRIDGE_TOKEN), confirm: values.confirm ?? null };
}

/** Requires https off this machine: anyone on the network could read the token. */
function requireSecureUrl(name: string, url: URL): void {
  if (url.protocol === 'http:' && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    throw new SettingsError(`${name}: must be https where it is not this machine; ${url.origin} is not.`);
}

function requireToken(token: string | undefined): string {
  if (token === undefined)
    throw new SettingsError(
      "BRIDGE_TOKEN: is missing. It is the box's credential at the cloud; staff get one in the fleet console.",
    );
  return token;
}

function parseArguments(args: readonly string[]): Readonly<Record<string, string | undefined>> {
  return parseOrExplain(() => parseArgs({ args: joinTokens(args), options: BRIDGE_OPTIONS })).values;
}

/** Arguments with each token joined to its option: alone, one that begins with `-` would be an option itself. */
function joinTokens(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [name = '', value = ''] = [args[i], args[i + 1]];
    const isToken = name === '--token' || name === '--edge-token';
    const option = /^--([^=]+)/.exec(value)?.[1] ?? '';
    if (isToken && value.startsWith('-') && !Object.hasOwn(BRIDGE_OPTIONS, option)) {
      joined.push(`${name}=${value}`);
      i++;
    } else joined.push(name);
  }
  return joined;
}

function parseOrExplain<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    throw new SettingsError(
      `${error instanceof Error ? error.message : String(error)}. npm run bridge -- --help lists the options.`,
    );
  }
}

function override(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}
