import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ReefError } from '../../../../src/domain/errors';
import { SECOND_FACTOR_MESSAGES } from '../../../../src/domain/messages';
import { isLoopback } from '../../../../src/server/process/environment';
import type { CloudSettings } from '../../settings';
import type { PasskeySite } from './passkeys';

/**
 * Site of a request's page, if it is the service's own: a passkey belongs to it, and none is ever asked for by a page that
 * a box served. An address without a name has no passkeys (WebAuthn), nor has plain http beyond this machine.
 */
export function passkeySite(
  { headers: { origin } }: Pick<FastifyRequest, 'headers'>,
  { host, publicUrl, cloudUrl }: Pick<CloudSettings, 'host' | 'publicUrl' | 'cloudUrl'>,
): PasskeySite | null {
  if (origin === undefined || !URL.canParse(origin)) return null;
  const { protocol, hostname } = new URL(origin);
  const own = [publicUrl?.hostname, cloudUrl?.hostname, ...(isLoopback(host) ? ['localhost'] : [])];
  if (!own.includes(hostname) || isIP(hostname) !== 0) return null;
  return protocol === 'https:' || hostname === 'localhost' ? { origin, host: hostname } : null;
}

/** @throws ReefError `bad-message` {field: 'Origin'} for another page, as {@link passkeySite} */
export function requirePasskeySite(...args: Parameters<typeof passkeySite>): PasskeySite {
  const site = passkeySite(...args);
  if (site === null)
    throw new ReefError('bad-message', { field: 'Origin', message: SECOND_FACTOR_MESSAGES.passkeyElsewhere });
  return site;
}
