import { formatAge } from '../position/format-position';
import { formatDay } from '../survey/day';

/** Name of a tablet in a list of a person's tablets. */
export function tabletName({ name, current }: { readonly name: string; readonly current: boolean }): string {
  return `${name === '' ? 'Tablet without a name' : name}${current ? ' (this tablet)' : ''}`;
}

/**
 * Time when the shore last heard of a tablet, or what a revoked one still does. Times are ISO 8601.
 *
 * @param now ms since 1970
 */
export function tabletText(
  { lastSeenAt, revokedAt }: { readonly lastSeenAt: string | null; readonly revokedAt: string | null },
  now: number,
): string {
  if (revokedAt !== null) return `Revoked ${formatDay(revokedAt)}: it only sends`;
  return lastSeenAt === null ? 'Nothing sent yet' : `Seen ${formatAge(now - Date.parse(lastSeenAt))} ago`;
}
