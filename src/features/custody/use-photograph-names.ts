import { useEffect, useState } from 'react';
import type { PhotographName, Repositories } from '../../data/repositories';
import type { ImageId } from '../../domain/ids';

/** Names of photographs by id, read as their rows appear. */
export function usePhotographNames(
  custody: Repositories['custody'],
  ids: readonly ImageId[],
): ReadonlyMap<ImageId, PhotographName> {
  const [names, setNames] = useState<ReadonlyMap<ImageId, PhotographName>>(new Map());
  const missing = ids.filter((id) => !names.has(id)).join(' ');
  useEffect(() => {
    if (missing === '') return undefined;
    let gone = false;
    custody.photographs.names(missing.split(' ') as ImageId[]).then(
      (found) => {
        if (!gone) setNames((now) => new Map([...now, ...found]));
      },
      (error: unknown) => console.warn('The names of some photographs could not be read; they are untouched.', error),
    );
    return () => {
      gone = true;
    };
  }, [custody, missing]);
  return names;
}
