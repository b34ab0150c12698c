import type { TabletHost } from '../../platform/host';

/** 128 random bits in hexadecimal. */
export function randomHex(host: Pick<TabletHost, 'randomBytes'>): string {
  return [...host.randomBytes(16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
