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
} from '../../src/server/process/environment';
import type { GeocoderSettings } from './places/geocoder';
import type { ProvidersSettings } from './accounts/providers/provider-settings';
import { readProviderSettings } from './accounts/providers/provider-settings';

export interface S3Settings {
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  readonly key: string;
  readonly secret: string;
}

/** Settings of the cloud service (protocol, "Commands and settings"). */
export interface CloudSettings {
  readonly home: string;
  /** Mail folder used without a mail server: `REEF_HOME/outbox`. */
  readonly outbox: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl: URL | null;
  readonly cloudUrl: URL | null;
  readonly databaseUrl: string | null;
  readonly s3: S3Settings | null;
  /** Credential of the first box; others are registered in the fleet console. */
  readonly bridgeToken: string | null;
  /** Token of the operator's collector of metrics; null: they are for staff alone. */
  readonly metricsToken: string | null;
  readonly allowedOrigins: readonly string[];
  readonly minFreeBytes: number;
  /** Days until an unused anonymous account is deleted. */
  readonly anonymousDays: number;
  readonly smtpUrl: string | null;
  readonly mailFrom: string;
  readonly geocoder: GeocoderSettings | null;
  /** Service that predicts outlines of photographs; null: they are segmented here. */
  readonly mlUrl: URL | null;
  /** Sign-in providers; unconfigured ones are not offered. */
  readonly providers: ProvidersSettings;
  /** Value of `DEMO`: fills an empty system with demo content and prints a sign-in for each role. */
  readonly demo: boolean;
}

const token = z.string().regex(/^[\x21-\x7e]{16,512}$/, 'must be at least 16 letters, digits and signs without spaces');

const environmentSchema = z.object({
  REEF_HOME: optional(z.string()),
  HOST: optional(z.string().regex(/^[0-9A-Za-z.:_-]+$/, 'must be an address or a host name')),
  CLOUD_PORT: optional(
    numberFrom(z.int('must be a whole number').min(0).max(65_535, 'must be a port from 0 to 65535')),
  ),
  CLOUD_URL: optional(webUrl),
  PUBLIC_URL: optional(webUrl),
  DATABASE_URL: optional(z.string().regex(/^postgres(ql)?:\/\//, 'must be an address that begins with postgres://')),
  S3_ENDPOINT: optional(webUrl),
  S3_REGION: optional(z.string()),
  S3_BUCKET: optional(z.string()),
  S3_KEY: optional(z.string()),
  S3_SECRET: optional(z.string()),
  BRIDGE_TOKEN: optional(token),
  METRICS_TOKEN: optional(
    z.string().regex(/^[\x21-\x7e]{24,512}$/, 'must be at least 24 letters, digits and signs without spaces'),
  ),
  ALLOWED_ORIGINS: optional(origins),
  MIN_FREE_GB: optional(numberFrom(z.number().min(0).max(1_000_000))),
  SMTP_URL: optional(z.string().regex(/^smtps?:\/\//, 'must be an address that begins with smtp:// or smtps://')),
  MAIL_FROM: optional(z.string().max(320)),
  GEOCODER_URL: optional(webUrl),
  GEOCODER_TOKEN: optional(
    z.string().regex(/^[\x21-\x7e]{1,1000}$/, 'must be letters, digits and signs without spaces'),
  ),
  ML_URL: optional(webUrl),
  ANONYMOUS_DAYS: optional(numberFrom(z.int('must be a whole number').min(30, 'must be 30 days at least').max(10_000))),
  DEMO: optional(z.enum(['0', '1', 'true', 'false'], 'must be 1 or 0')),
});

/** @throws SettingsError with one line for the first wrong value */
export function readCloudSettings(environment: Readonly<Record<string, string | undefined>>): CloudSettings {
  const env = readEnvironment(environmentSchema, environment);
  const home = env.REEF_HOME ?? '.data';
  return {
    home: path.resolve(home, 'cloud'),
    outbox: path.resolve(home, 'outbox'),
    host: env.HOST ?? '127.0.0.1',
    port: env.CLOUD_PORT ?? 4200,
    publicUrl: env.PUBLIC_URL ?? null,
    cloudUrl: env.CLOUD_URL ?? null,
    databaseUrl: env.DATABASE_URL ?? null,
    s3: s3Of(env),
    bridgeToken: env.BRIDGE_TOKEN ?? null,
    metricsToken: env.METRICS_TOKEN ?? null,
    allowedOrigins: env.ALLOWED_ORIGINS ?? [],
    minFreeBytes: Math.round((env.MIN_FREE_GB ?? 2) * 1024 ** 3),
    anonymousDays: env.ANONYMOUS_DAYS ?? 400,
    smtpUrl: env.SMTP_URL ?? null,
    providers: readProviderSettings(environment),
    mailFrom: env.MAIL_FROM ?? 'Great Reef Census <no-reply@localhost>',
    geocoder: env.GEOCODER_URL === undefined ? null : { url: env.GEOCODER_URL, token: env.GEOCODER_TOKEN ?? null },
    mlUrl: env.ML_URL ?? null,
    demo: env.DEMO === '1' || env.DEMO === 'true',
  };
}

/** Requires all bucket settings or none: an incomplete bucket would only fail at the first photograph. */
function s3Of(env: z.infer<typeof environmentSchema>): S3Settings | null {
  const { S3_ENDPOINT: endpoint, S3_REGION: region, S3_BUCKET: bucket, S3_KEY: key, S3_SECRET: secret } = env;
  if (endpoint === undefined && bucket === undefined && key === undefined && secret === undefined) return null;
  if (bucket === undefined || key === undefined || secret === undefined)
    throw new SettingsError('S3_BUCKET, S3_KEY and S3_SECRET: set all of them or none.');
  return { endpoint: endpoint?.href ?? null, region: region ?? 'us-east-1', bucket, key, secret };
}

/** True if plain http is safe: only this machine, or a proxy that speaks https (`PUBLIC_URL`). */
export function isBehindProxy(settings: CloudSettings): boolean {
  return isPublicHttps(settings) || isLoopback(settings.host);
}

/** True if people reach the service over https. */
export function isPublicHttps({ publicUrl }: Pick<CloudSettings, 'publicUrl'>): boolean {
  return publicUrl?.protocol === 'https:';
}
