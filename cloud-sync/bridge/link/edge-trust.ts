import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { z } from 'zod';
import { ReefError } from '../../../src/domain/errors';
import { SettingsError } from '../../../src/server/process/environment';
import type { BridgeSettings } from '../settings';

const caFileSchema = z.looseObject({ cert: z.string() });

/**
 * PEM of the authority that signed the box's certificate: from a file, by fingerprint, or of a box on this machine;
 * undefined: the system's authorities.
 *
 * @throws SettingsError for an unreadable file
 * @throws ReefError `disconnected` while the box is unreachable, `forbidden` for another fingerprint
 */
export async function edgeAuthority(settings: BridgeSettings): Promise<string | undefined> {
  if (settings.edge.protocol !== 'https:') return undefined;
  if (settings.edgeCa !== null) return readPem(settings.edgeCa);
  if (settings.edgeFingerprint !== null) return fetchPinnedAuthority(settings.edge, settings.edgeFingerprint);
  const beside = path.join(settings.edgeHome, 'tls', 'ca.json');
  return existsSync(beside) ? caFileSchema.parse(JSON.parse(readFileSync(beside, 'utf8'))).cert : undefined;
}

/** Admin token from the settings or from a box on this machine. @throws ReefError `disconnected` while there is none */
export function edgeToken(settings: BridgeSettings): string {
  if (settings.edgeToken !== null) return settings.edgeToken;
  const file = path.join(settings.edgeHome, 'admin-token');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept === '')
    throw new ReefError('disconnected', {
      message: `No admin token of a box is in ${file} yet. Start the box here, or pass its token with --edge-token.`,
    });
  return kept;
}

function readPem(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (error) {
    throw new SettingsError(
      `EDGE_CA: ${file} is not a certificate that can be read (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}

/** Fetches the box's authority unverified; only the fingerprint is trusted. */
async function fetchPinnedAuthority(edge: URL, fingerprint: string): Promise<string> {
  const der = await new Promise<Buffer>((resolve, reject) => {
    const lost = (cause: unknown): void => reject(new ReefError('disconnected', { cause }));
    const request = https.get(
      new URL('/edge/trust/ca.crt', edge),
      { rejectUnauthorized: false, timeout: 30_000 },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => {
          parts.push(part);
          if (parts.reduce((sum, { length }) => sum + length, 0) > 100_000)
            request.destroy(new Error('too long for a certificate'));
        });
        response.once('end', () => resolve(Buffer.concat(parts)));
        response.once('error', lost);
      },
    );
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', lost);
  });
  if (createHash('sha256').update(der).digest('hex') !== fingerprint) {
    throw new ReefError('forbidden', {
      message: 'What answers there is not the box of this fingerprint. Compare it with the one that the box shows.',
    });
  }
  return new X509Certificate(der).toString();
}
