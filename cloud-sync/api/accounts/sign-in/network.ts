import { isIPv6 } from 'node:net';

/** 16-bit groups of an IPv6 address that identify a network; its owner picks the other half freely. */
const NETWORK_PARTS = 4;

/**
 * Network of an address, to tell requesters apart: a whole IPv4 address (household, school or vessel), or the /64 of
 * IPv6.
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
