import type { Calling } from '../context';

/** The bearer token that a request brings; undefined for none, or one that is none of ours by its length. */
export function bearerOf({ headers }: Calling): string | undefined {
  return /^bearer +(\S{1,8192}) *$/i.exec(headers.authorization ?? '')?.[1];
}
