import { isIP } from 'node:net';

export interface CertificateNames {
  readonly dns: readonly string[];
  readonly addresses: readonly string[];
}

/** Networks a box's CA may vouch for: a vessel's router assigns any of their addresses, at any time. */
const LOCAL_NETWORKS = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '127.0.0.0/8',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
  '::1/128',
] as const;

/** Sorted and without duplicates. */
export function certificateNames(hosts: readonly string[]): CertificateNames {
  const all = [...new Set(hosts.map((host) => host.toLowerCase()))].sort();
  return { dns: all.filter((host) => isIP(host) === 0), addresses: all.filter((host) => isIP(host) !== 0) };
}

/**
 * The box's own names, and local networks with its own addresses beyond them. A stolen key of the box's CA then vouches
 * for no other device's name.
 */
export function constraintsFor(names: CertificateNames): { dns: string[]; networks: string[] } {
  const outside = names.addresses.filter(
    (address) => !LOCAL_NETWORKS.some((network) => networkContains(network, address)),
  );
  return {
    // A CA without one permitted name would be limited in none.
    dns: names.dns.length === 0 ? ['localhost'] : [...names.dns],
    networks: [...LOCAL_NETWORKS, ...outside.map((address) => `${address}/${isIP(address) === 6 ? 128 : 32}`)],
  };
}

export function coversAll(
  constraints: { dns: readonly string[]; networks: readonly string[] },
  names: CertificateNames,
): boolean {
  return (
    names.dns.every((name) => constraints.dns.some((ending) => name === ending || name.endsWith(`.${ending}`))) &&
    names.addresses.every((address) => constraints.networks.some((network) => networkContains(network, address)))
  );
}

/** Bytes of an address: 4 or 16. */
export function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split('.').map(Number));
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const text = dotted === null ? address : `${dotted[1]}${hexPairs(addressBytes(dotted[2] ?? ''))}`;
  const [head = '', tail] = text.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const all = [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
  return Uint8Array.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
}

function hexPairs(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return `${hex.slice(0, 4)}:${hex.slice(4)}`;
}

/** Address and mask as in name constraints: 8 or 32 bytes. */
export function networkBytes(network: string): Uint8Array {
  const [address = '', length = ''] = network.split('/');
  const bytes = addressBytes(address);
  const mask = bytes.map((_, i) => {
    const bits = Math.min(8, Math.max(0, Number(length) - i * 8));
    return (0xff << (8 - bits)) & 0xff;
  });
  return Uint8Array.from([...bytes.map((byte, i) => byte & (mask[i] ?? 0)), ...mask]);
}

function networkContains(network: string, address: string): boolean {
  const bytes = addressBytes(address);
  const both = networkBytes(network);
  if (both.length !== bytes.length * 2) return false;
  return bytes.every((byte, i) => (byte & (both[bytes.length + i] ?? 0)) === both[i]);
}
