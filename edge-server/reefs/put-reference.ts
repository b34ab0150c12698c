import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { BoxState } from '../services/box-state';
import { ReferenceData } from '../services/reference';
import { needsTls, type EdgeSettings } from '../settings';
import { lockFolder, type FolderLock } from '../../src/server/folder-lock';
import { ImportError } from './read-file';

/** How long a running box may take to answer, ms. */
const PATIENCE_MS = 30_000;

/**
 * Puts reference data into the box of these settings: straight into its state where no box runs (under its folder lock), else
 * through the running one with its admin token.
 *
 * @returns where it went, in words
 * @throws ImportError in words where the box did not take it; nothing was changed then
 */
export async function putReference(settings: EdgeSettings, name: string, value: unknown): Promise<string> {
  mkdirSync(settings.home, { recursive: true, mode: 0o700 });
  const lock = tryLock(settings.home);
  if (lock === undefined) return putIntoRunning(settings, name, value);
  try {
    const state = new BoxState(settings.home, () => new Date(), (message) => process.stderr.write(`${message}\n`));
    try {
      new ReferenceData(state).put(name, value, new Date().toISOString());
    } finally {
      state.close();
    }
  } finally {
    lock.release();
  }
  return `the box of ${settings.home}, which does not run just now: it has it when it starts`;
}

/** undefined where another process holds the folder: the box runs. */
function tryLock(home: string): FolderLock | undefined {
  try {
    return lockFolder(home);
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Another process')) return undefined;
    throw error;
  }
}

async function putIntoRunning(settings: EdgeSettings, name: string, value: unknown): Promise<string> {
  const token = settings.adminToken ?? readAdminToken(settings.home);
  const origin = settings.edgeUrl?.origin ?? addressOf(settings);
  const own = path.join(settings.home, 'tls', 'ca.json');
  const ca = settings.edgeUrl === null && settings.tls === null && existsSync(own) ? (JSON.parse(readFileSync(own, 'utf8')) as { cert: string }).cert : undefined;
  const { status, text } = await put(`${origin}/edge/reference/${name}`, token, JSON.stringify(value), ca).catch((error: unknown) => {
    throw new ImportError(`A box works on ${settings.home}, and none answers at ${origin}: set EDGE_PORT or EDGE_URL as it was started with. (${error instanceof Error ? error.message : String(error)})`, { cause: error });
  });
  if (status !== 200) throw new ImportError(`The box at ${origin} did not take it (${status}): ${text.slice(0, 300)}`);
  return `the box at ${origin}; tablets fetch it when they next connect`;
}

function readAdminToken(home: string): string {
  const file = path.join(home, 'admin-token');
  if (!existsSync(file)) throw new ImportError(`The box runs and ${file} is not there: set EDGE_ADMIN_TOKEN as it was started with.`);
  return readFileSync(file, 'utf8').trim();
}

function addressOf(settings: EdgeSettings): string {
  const everywhere = settings.host === '0.0.0.0' || settings.host === '::';
  const host = everywhere ? '127.0.0.1' : settings.host;
  return `${needsTls(settings) ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${settings.port}`;
}

function put(url: string, token: string, body: string, ca: string | undefined): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { method: 'PUT', timeout: PATIENCE_MS, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }, ...(ca === undefined ? {} : { ca }) };
    const request = (url.startsWith('https:') ? https : http).request(url, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error('it did not answer in time')));
    request.on('error', reject);
    request.end(body);
  });
}
