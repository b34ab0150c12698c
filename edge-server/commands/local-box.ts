import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import tls from 'node:tls';
import { ReefError } from '../../src/domain/errors';
import { isObject } from '../../src/domain/json';
import type { EdgeSettings } from '../settings';
import { needsTls } from '../settings';
import { localHost, requestBox } from './running-box';

/**
 * Posts JSON to the box on this machine with its admin token. Over https the certificate must be the one in the home
 * folder: the token goes nowhere else.
 *
 * @throws ReefError as the box answers; `disconnected` if none answers, or one with another home folder
 */
export async function postToLocalBox(settings: EdgeSettings, place: string, body: unknown): Promise<unknown> {
  const tokenFile = path.join(settings.home, 'admin-token');
  const adminToken = settings.adminToken ?? (existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8').trim() : '');
  const host = localHost(settings);
  const socket = needsTls(settings) ? await pinnedSocket(settings, host) : undefined;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${settings.port}`;
  try {
    const { status, text } = await requestBox({ origin, adminToken, socket }, 'POST', place, JSON.stringify(body), 0);
    const answer: unknown = JSON.parse(text);
    if (status === 200) return answer;
    throw ReefError.fromWire(isObject(answer) && isObject(answer['error']) ? answer['error'] : {});
  } catch (error) {
    if (error instanceof ReefError) throw error;
    throw noBoxError(settings, error instanceof Error ? error : new Error(String(error)));
  }
}

async function pinnedSocket(settings: EdgeSettings, host: string): Promise<tls.TLSSocket> {
  const own = settings.tls === null ? path.join(settings.home, 'tls', 'server.json') : settings.tls.cert;
  const pem =
    settings.tls === null
      ? String((JSON.parse(readFileSync(own, 'utf8')) as { cert: unknown }).cert)
      : readFileSync(own, 'utf8');
  const expected = new X509Certificate(pem).fingerprint256;
  // The pinned certificate proves its identity, whatever authority signed it.
  const socket = tls.connect({ host, port: settings.port, rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', (error) => reject(noBoxError(settings, error)));
  });
  if (socket.getPeerX509Certificate()?.fingerprint256 === expected) return socket;
  socket.destroy();
  throw noBoxError(settings, new Error('another certificate'));
}

function noBoxError({ home, port }: EdgeSettings, cause: Error): ReefError {
  return new ReefError('disconnected', {
    message: `A process works on ${home}, but no box of this home answers on port ${port}. Set EDGE_PORT (and HOST) as the box has them, or stop the box first.`,
    cause,
  });
}
