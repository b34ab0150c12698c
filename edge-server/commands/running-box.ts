import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import path from 'node:path';
import { SettingsError } from '../../src/server/process/environment';
import { needsTls, type EdgeSettings } from '../settings';

/** Timeout of a request to a running box, ms. */
const TIMEOUT_MS = 30_000;

/** Connection of a local command to the box running on this machine. */
export interface RunningBox {
  readonly origin: string;
  readonly adminToken: string;
  /** PEM of the box's own authority, if it made its certificate itself. */
  readonly ca?: string | undefined;
  /** Connection to use instead of a new one; TLS, if any, is already set up. */
  readonly socket?: Socket | undefined;
}

/**
 * Connection to the box of these settings; `EDGE_URL` overrides the address.
 *
 * @throws SettingsError without an admin token
 */
export function runningBox(settings: EdgeSettings): RunningBox {
  const own = path.join(settings.home, 'tls', 'ca.json');
  const origin = settings.edgeUrl?.origin ?? addressOf(settings);
  const ca =
    origin.startsWith('https:') && settings.tls === null && existsSync(own)
      ? (JSON.parse(readFileSync(own, 'utf8')) as { cert: string }).cert
      : undefined;
  return { origin, adminToken: settings.adminToken ?? readAdminToken(settings.home), ca };
}

function readAdminToken(home: string): string {
  const file = path.join(home, 'admin-token');
  if (!existsSync(file))
    throw new SettingsError(
      `${file} is not there: start the box once, or set EDGE_ADMIN_TOKEN as it was started with.`,
    );
  return readFileSync(file, 'utf8').trim();
}

/** Host under which this machine reaches its own box. */
export function localHost({ host }: EdgeSettings): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

function addressOf(settings: EdgeSettings): string {
  const host = localHost(settings);
  return `${needsTls(settings) ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${settings.port}`;
}

/** Sends a request with the admin token; returns the raw response. @param timeoutMs without any byte */
export function requestBox(
  box: RunningBox,
  method: 'GET' | 'PUT' | 'POST',
  place: string,
  body?: string,
  timeoutMs = TIMEOUT_MS,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${box.adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const { ca, socket } = box;
    const options = {
      method,
      timeout: timeoutMs,
      headers,
      ...(ca === undefined ? {} : { ca }),
      ...(socket === undefined ? {} : { createConnection: () => socket, agent: false as const }),
    };
    const request = (box.origin.startsWith('https:') ? https : http).request(
      `${box.origin}${place}`,
      options,
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
        );
        response.on('error', reject);
      },
    );
    request.on('timeout', () => request.destroy(new Error('it did not answer in time')));
    request.on('error', reject);
    request.end(body);
  });
}
