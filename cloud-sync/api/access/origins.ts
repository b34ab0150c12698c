import type { CloudSettings } from '../settings';

/** Origins allowed to call the cloud: its own, `PUBLIC_URL`, and `ALLOWED_ORIGINS` (boxes that serve the app). */
export class Origins {
  readonly #settings: CloudSettings;
  #allowed: ReadonlySet<string> = new Set();

  constructor(settings: CloudSettings) {
    this.#settings = settings;
    this.setPort(settings.port);
  }

  /** Sets the actual port, if the setting was 0. */
  setPort(port: number): void {
    const { host, publicUrl, cloudUrl, allowedOrigins } = this.#settings;
    const own = ['localhost', '127.0.0.1', '::1', ...(host === '0.0.0.0' || host === '::' ? [] : [host])];
    const addresses = [...new Set(own)].map(
      (name) => new URL(`http://${name.includes(':') ? `[${name}]` : name}:${port}`).origin,
    );
    const named = [publicUrl, cloudUrl].flatMap((url) => (url === null ? [] : [url.origin]));
    this.#allowed = new Set([...addresses, ...named, ...allowedOrigins]);
  }

  allows(origin: string | undefined): boolean {
    return origin === undefined || this.#allowed.has(origin);
  }
}
