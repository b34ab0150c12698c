import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import path from 'node:path';
import type { Logger } from 'pino';
import { hostsOf } from '../sign-in/origins';
import type { EdgeSettings } from '../settings';
import { SettingsError } from '../../src/server/process/environment';
import { needsTls } from '../settings';

/** Check interval: a vessel's network may assign new addresses at any time. */
const CHECK_MS = 5 * 60_000;

interface CertificateMaterial {
  readonly cert: string;
  readonly key: string;
  readonly ca: { readonly pem: string; readonly fingerprint: string } | null;
}

/** The configured certificate, or the box's own, renewed while it runs. */
export class ServerCertificate {
  readonly #settings: EdgeSettings;
  readonly #clock: () => number;
  #material: CertificateMaterial;
  #timer: NodeJS.Timeout | undefined;

  private constructor(settings: EdgeSettings, clock: () => number, material: CertificateMaterial) {
    this.#settings = settings;
    this.#clock = clock;
    this.#material = material;
  }

  /** Null if plain http applies. */
  static async open(settings: EdgeSettings, clock: () => number): Promise<ServerCertificate | null> {
    return needsTls(settings) ? new ServerCertificate(settings, clock, await loadMaterial(settings, clock)) : null;
  }

  get cert(): string {
    return this.#material.cert;
  }

  get key(): string {
    return this.#material.key;
  }

  get ca(): CertificateMaterial['ca'] {
    return this.#material.ca;
  }

  /** Renews it on a running server when names, addresses or expiry require it; open connections keep theirs. */
  startRenewal(server: Server, log: Logger): void {
    this.#timer = setInterval(() => {
      this.refresh(server, log).catch((error: unknown) =>
        log.error({ err: error }, 'the certificate could not be renewed'),
      );
    }, CHECK_MS).unref();
  }

  async refresh(server: Server, log: Logger): Promise<void> {
    const next = await loadMaterial(this.#settings, this.#clock);
    if (next.cert === this.#material.cert) return;
    this.#material = next;
    server.setSecureContext({ cert: next.cert, key: next.key });
    log.info({ caFingerprint: next.ca?.fingerprint }, 'the certificate was renewed');
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

async function loadMaterial(settings: EdgeSettings, clock: () => number): Promise<CertificateMaterial> {
  if (settings.tls !== null) return readConfiguredCertificate(settings.tls);
  // Lazy: plain http needs none of it.
  const { loadLocalCertificates } = await import('./local-certificates');
  return loadLocalCertificates(path.join(settings.home, 'tls'), settings.name, hostsOf(settings), clock());
}

/** @throws SettingsError for files that are missing, not PEM, or do not match */
function readConfiguredCertificate(files: { cert: string; key: string }): CertificateMaterial {
  const cert = readPemSetting('EDGE_TLS_CERT', files.cert, (text) => new X509Certificate(text));
  const key = readPemSetting('EDGE_TLS_KEY', files.key, (text) => createPrivateKey(text));
  if (!cert.parsed.checkPrivateKey(key.parsed))
    throw new SettingsError('EDGE_TLS_KEY: is not the key of the certificate in EDGE_TLS_CERT.');
  return { cert: cert.text, key: key.text, ca: null };
}

function readPemSetting<Made>(
  name: string,
  file: string,
  make: (text: string) => Made,
): { text: string; parsed: Made } {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, parsed: make(text) };
  } catch (error) {
    throw new SettingsError(
      `${name}: ${file} cannot be read as PEM (${error instanceof Error ? error.message : String(error)}).`,
    );
  }
}
