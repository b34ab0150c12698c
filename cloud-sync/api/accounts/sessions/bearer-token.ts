import type { CallerHeaders } from '../../access/caller';

/** Bearer token of a request; undefined if absent or of a length we never issue. */
export function bearerToken({ headers }: CallerHeaders): string | undefined {
  return /^bearer +(\S{1,8192}) *$/i.exec(headers.authorization ?? '')?.[1];
}
