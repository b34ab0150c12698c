import { useEffect, useState } from 'react';
import type { AdminRepository, FoundHandle } from '../../data/repositories';
import { Combo } from '../../ui/controls/Combo';
import { SEARCH_MS } from './use-people';

interface Props {
  readonly admin: AdminRepository;
  readonly handle: string;
  readonly onHandle: (handle: string) => void;
  readonly isDisabled?: boolean;
}

/** Handle of an event or organisation: typed, or picked from those that begin like it. */
export function HandleField({ admin, handle, onHandle, isDisabled = false }: Props) {
  const { items, empty } = useHandles(admin, handle);
  return (
    <Combo
      label="Handle of the event or organisation"
      items={items.map(({ handle: id, name, kind }) => ({
        id,
        name: id,
        detail: name === id ? kind : `${name}, ${kind}`,
      }))}
      text={handle}
      onText={onHandle}
      onPick={onHandle}
      isDisabled={isDisabled}
      empty={empty}
    />
  );
}

interface Suggestions {
  readonly items: readonly FoundHandle[];
  /** Shown if there are none. */
  readonly empty: string;
}

const SEARCHING: Suggestions = { items: [], empty: 'Searching' };
const NO_ANSWER: Suggestions = {
  items: [],
  empty: 'The suggestions could not be loaded. You can type the whole handle.',
};

function useHandles(admin: AdminRepository, text: string): Suggestions {
  const [found, setFound] = useState<Suggestions>(SEARCHING);
  const prefix = text.trim();
  useEffect(() => {
    if (prefix === '') {
      setFound(SEARCHING);
      return undefined;
    }
    let isWanted = true;
    const timer = setTimeout(() => {
      admin.handles(prefix).then(
        (items) =>
          isWanted && setFound({ items, empty: 'No event or organisation has a handle that begins like this.' }),
        () => isWanted && setFound(NO_ANSWER),
      );
    }, SEARCH_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [admin, prefix]);
  return found;
}
