import type { FastifyRequest } from 'fastify';

type WithHeaders = Pick<FastifyRequest, 'headers'>;

/** True if the caller already has this representation (RFC 9110, If-None-Match). @param etag with its quotes */
export function hasEtag({ headers }: WithHeaders, etag: string): boolean {
  const known = headers['if-none-match'];
  return known !== undefined && (known.trim() === '*' || listed(known).some((tag) => tag.replace(/^W\//, '') === etag));
}

/** True if the caller accepts an encoding by name or by `*`; false without the header. @param coding `br` or `gzip` */
export function acceptsEncoding({ headers }: WithHeaders, coding: string): boolean {
  const offers = listed(String(headers['accept-encoding'] ?? '').toLowerCase());
  const named = (name: string): string | undefined => offers.find((offer) => offer.split(';')[0]?.trim() === name);
  const offer = named(coding) ?? named('*');
  return offer !== undefined && !/;\s*q=0(\.0*)?$/.test(offer);
}

/** True if the caller names a media type with a weight above 0; wildcards do not count. */
export function acceptsType({ headers }: WithHeaders, type: string): boolean {
  const offer = listed(String(headers.accept ?? '').toLowerCase()).find((each) => each.split(';')[0]?.trim() === type);
  return offer !== undefined && !/;\s*q=0(\.0*)?$/.test(offer);
}

function listed(header: string): string[] {
  return header.split(',').map((part) => part.trim());
}
