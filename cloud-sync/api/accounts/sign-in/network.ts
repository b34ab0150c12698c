import { isIPv6 } from 'node:net';

/** Parts of 16 bits of an IPv6 address that name a network; the other half its owner chooses as they like. */
const NETWORK_PARTS = 4;

/**
 * The network that an address belongs to, by which askers are told apart: an IPv4 address itself (a household, a school or a vessel
 * has one), of IPv6 the /64.
 */
export function networkOf(ip: string): string {
  const address = ip.split('%')[0] ?? ip;
  if (!isIPv6(address)) return address;
  const mapped = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const parts = [...front, ...Array.from({ length: gap }, () => '0'), ...back];
  return `${parts
    .slice(0, NETWORK_PARTS)
    .map((part) => part.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
