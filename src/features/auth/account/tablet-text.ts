import type { OwnTablet } from '../../../data/repositories';
import { formatDay } from '../../../domain/survey/day';
import { formatAge } from '../../../domain/position/format-position';

export function tabletName({ name, current }: Pick<OwnTablet, 'name' | 'current'>): string {
  return `${name === '' ? 'Tablet without a name' : name}${current ? ' (this tablet)' : ''}`;
}

/** @param now ms since the epoch */
export function tabletText({ lastSeenAt, revokedAt }: OwnTablet, now: number): string {
  if (revokedAt !== null) return `Revoked ${formatDay(revokedAt)}: it only sends`;
  return lastSeenAt === null ? 'Nothing sent yet' : `Seen ${formatAge(now - Date.parse(lastSeenAt))} ago`;
}
