import { hostname, networkInterfaces } from 'node:os';
import type { EdgeSettings } from '../settings';
import { isLoopback } from '../../src/server/process/environment';
import { needsTls } from '../settings';

/** Derives a host name from the box's name: "Reef Box 2" → `reef-box-2`. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'reef-box' : slug.slice(0, 63);
}

/** Names and addresses of this box, without ports. */
export function hostsOf(settings: EdgeSettings): string[] {
  const slug = slugOf(settings.name);
  const own = ['localhost', '127.0.0.1', '::1', slug, `${slug}.local`];
  const machine = hostname().toLowerCase();
  if (/^[a-z0-9][a-z0-9.-]*$/.test(machine)) own.push(machine, ...(machine.includes('.') ? [] : [`${machine}.local`]));
  for (const url of [settings.publicUrl, settings.edgeUrl])
    if (url !== null) own.push(url.hostname.replace(/^\[|\]$/g, ''));
  if (!isLoopback(settings.host)) {
    for (const { address } of Object.values(networkInterfaces()).flatMap((entries) => entries ?? []))
      own.push(address.replace(/%.*$/, ''));
    if (settings.host !== '0.0.0.0' && settings.host !== '::') own.push(settings.host);
  }
  return [...new Set(own)];
}

/**
 * Origins that may talk to this box: its own, `PUBLIC_URL`, `ALLOWED_ORIGINS`. Its own names are not read from the
 * `Host` header, which another site can set through its own name server.
 */
export class Origins {
  readonly #settings: EdgeSettings;
  #port: number;
  #known: ReadonlySet<string> = new Set();

  constructor(settings: EdgeSettings) {
    this.#settings = settings;
    this.#port = settings.port;
    this.#refresh();
  }

  /** Sets the actual port, for a setting of 0. */
  setPort(port: number): void {
    this.#port = port;
    this.#refresh();
  }

  /** True for an allowed origin. A request without `Origin` comes from no page. */
  allows(origin: string | undefined): boolean {
    if (origin === undefined || this.#known.has(origin)) return true;
    // The vessel's network may have come up, or changed, since.
    this.#refresh();
    return this.#known.has(origin);
  }

  #refresh(): void {
    const scheme = needsTls(this.#settings) ? 'https' : 'http';
    const own = hostsOf(this.#settings).flatMap((host) => {
      const address = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${this.#port}`;
      return URL.canParse(address) ? [new URL(address).origin] : [];
    });
    const named = [this.#settings.publicUrl, this.#settings.edgeUrl].flatMap((url) =>
      url === null ? [] : [url.origin],
    );
    this.#known = new Set([...own, ...named, ...this.#settings.allowedOrigins]);
  }
}
