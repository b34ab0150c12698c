import path from 'node:path';
import { z } from 'zod';
import {
  SettingsError,
  isLoopback,
  numberFrom,
  optional,
  origins,
  readEnvironment,
  webUrl,
} from '../src/server/process/environment';

/** Settings of the edge from its environment (protocol, "Commands and settings"). */
export interface EdgeSettings {
  /** Data folder: `REEF_HOME/edge`. */
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl: URL | null;
  readonly edgeUrl: URL | null;
  /** Address of the cloud for the app that this box serves. */
  readonly cloudUrl: URL | null;
  readonly name: string;
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly adminToken: string | null;
  readonly pairing: 'required' | 'open';
  /** Other origins whose pages may talk to the box. */
  readonly allowedOrigins: readonly string[];
  /** Free bytes below which photographs are refused. */
  readonly minFreeBytes: number;
  readonly gpsUrl: string | null;
  /** Demo surveys that the box is filled with; null for all. */
  readonly demoSurveys: number | null;
}

/** Characters of an admin token: it opens the box to anyone on its network who guesses it. */
export const ADMIN_TOKEN_MIN = 24;

const environmentSchema = z.object({
  REEF_HOME: optional(z.string()),
  HOST: optional(z.string().regex(/^[0-9A-Za-z.:_-]+$/, 'must be an address or a host name')),
  EDGE_PORT: optional(numberFrom(z.int('must be a whole number').min(0).max(65_535, 'must be a port from 0 to 65535'))),
  EDGE_URL: optional(webUrl),
  CLOUD_URL: optional(webUrl),
  PUBLIC_URL: optional(webUrl),
  EDGE_NAME: optional(z.string().trim().min(1, 'must not be blank').max(63, 'must be at most 63 characters')),
  EDGE_TLS_CERT: optional(z.string()),
  EDGE_TLS_KEY: optional(z.string()),
  EDGE_ADMIN_TOKEN: optional(
    z
      .string()
      .regex(
        new RegExp(`^[\\x21-\\x7e]{${ADMIN_TOKEN_MIN},512}$`),
        `must be at least ${ADMIN_TOKEN_MIN} letters, digits and signs without spaces; without it the box makes one`,
      ),
  ),
  EDGE_PAIRING: optional(z.enum(['required', 'open'], 'must be "required" or "open"')),
  ALLOWED_ORIGINS: optional(origins),
  DEMO_SURVEYS: optional(numberFrom(z.int('must be a whole number').min(1, 'must be at least 1'))),
  MIN_FREE_GB: optional(numberFrom(z.number().min(0).max(1_000_000))),
  GPS_URL: optional(
    z
      .string()
      .regex(
        /^(gpsd|nmea\+tcp|nmea\+udp):\/\/[^\s/]+:[0-9]+\/?$/,
        'must be gpsd://host:port, nmea+tcp://host:port or nmea+udp://host:port',
      )
      .refine((text) => Number(/([0-9]+)\/?$/.exec(text)?.[1]) <= 65_535, 'must have a port up to 65535'),
  ),
});

/**
 * Reads the settings.
 *
 * @throws SettingsError with one line for the first wrong value
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): EdgeSettings {
  const env = readEnvironment(environmentSchema, environment);
  if ((env.EDGE_TLS_CERT === undefined) !== (env.EDGE_TLS_KEY === undefined)) {
    throw new SettingsError('EDGE_TLS_CERT and EDGE_TLS_KEY: set both or neither.');
  }
  return {
    home: path.resolve(env.REEF_HOME ?? '.data', 'edge'),
    host: env.HOST ?? '127.0.0.1',
    port: env.EDGE_PORT ?? 4100,
    publicUrl: env.PUBLIC_URL ?? null,
    edgeUrl: env.EDGE_URL ?? null,
    cloudUrl: env.CLOUD_URL ?? null,
    name: env.EDGE_NAME ?? 'Reef Box',
    tls:
      env.EDGE_TLS_CERT !== undefined && env.EDGE_TLS_KEY !== undefined
        ? { cert: env.EDGE_TLS_CERT, key: env.EDGE_TLS_KEY }
        : null,
    adminToken: env.EDGE_ADMIN_TOKEN ?? null,
    pairing: env.EDGE_PAIRING ?? 'required',
    allowedOrigins: env.ALLOWED_ORIGINS ?? [],
    minFreeBytes: Math.round((env.MIN_FREE_GB ?? 2) * 1024 ** 3),
    gpsUrl: env.GPS_URL ?? null,
    demoSurveys: env.DEMO_SURVEYS ?? null,
  };
}

/**
 * True if the server needs TLS. Plain http is for this machine only: on a LAN address a browser allows no service
 * worker and no `crypto.subtle`.
 */
export function needsTls(settings: EdgeSettings): boolean {
  return settings.tls !== null || !isLoopback(settings.host) || settings.publicUrl?.protocol === 'https:';
}
