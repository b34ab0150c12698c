import type { Reef } from './reef';

/** Label of a reef: `Moore Reef 16-071`, `Reef 10-330`. */
export function reefLabel({ name, gid, kind, id }: Pick<Reef, 'name' | 'gid' | 'kind' | 'id'>): string {
  if (name !== '') return gid === '' ? name : `${name} ${gid}`;
  return `${kind === '' ? 'Reef' : kind} ${gid === '' ? id : gid}`;
}
