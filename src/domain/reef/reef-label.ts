import type { Reef } from './reef';

/** Label of a reef: `Moore Reef 16-071`, `Reef 10-330`. */
export function reefLabel({ name, gid, kind, id }: Pick<Reef, 'name' | 'gid' | 'kind' | 'id'>): string {
  if (name !== '') return gid === '' ? name : `${name} ${gid}`;
  return `${kind === '' ? 'Reef' : kind} ${gid === '' ? id : gid}`;
}

/** Name of a reef in a list and as a title. */
export function reefName({ name, gid }: Pick<Reef, 'name' | 'gid'>): string {
  return name !== '' ? name : gid !== '' ? `Reef ${gid}` : 'Reef without a name';
}
