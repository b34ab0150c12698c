import type { CallerHeaders } from '../../context';

/** The bearer token that a request brings; undefined for none, or one that is none of ours by its length. */
export function bearerToken({ headers }: CallerHeaders): string | undefined {
  return /^bearer +(\S{1,8192}) *$/i.exec(headers.authorization ?? '')?.[1];
}
