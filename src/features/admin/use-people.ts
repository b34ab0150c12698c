import { useCallback, useEffect, useState } from 'react';
import type { AdminPerson, AdminRepository, PeoplePage } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { listErrorText } from './admin-text';

/** Rest after a letter before a search, ms. */
export const SEARCH_MS = 250;

type Read =
  | { readonly status: 'reading'; readonly page: PeoplePage | null }
  | { readonly status: 'read'; readonly page: PeoplePage; readonly text: string }
  | { readonly status: 'failed'; readonly problem: string };

/** Search for people, page by page. */
export interface PeopleSearch {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly read: Read;
  /** From 1. */
  readonly pageNumber: number;
  readonly next: () => void;
  readonly previous: () => void;
  readonly retry: () => void;
  /** Shows a person as changed. */
  readonly update: (person: AdminPerson) => void;
}

export function usePeople(admin: AdminRepository): PeopleSearch {
  const [text, setText] = useState('');
  /** Cursor of each page up to this one; the first has none. */
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined]);
  const [read, setRead] = useState<Read>({ status: 'reading', page: null });
  const [attempt, setAttempt] = useState(0);
  const prefix = text.trim();
  const after = cursors.at(-1);

  useEffect(() => {
    let isWanted = true;
    setRead((last) => ({ status: 'reading', page: last.status === 'failed' ? null : last.page }));
    const timer = setTimeout(
      () => {
        admin.people({ text: prefix, ...(after === undefined ? {} : { after }) }).then(
          (page) => isWanted && setRead({ status: 'read', page, text: prefix }),
          (error: unknown) => {
            if (!isWanted) return;
            setRead({ status: 'failed', problem: listErrorText(error) });
            // The role has been removed since: the page says so.
            if (error instanceof ReefError && (error.code === 'forbidden' || error.code === 'unauthorised'))
              admin.refresh();
          },
        );
      },
      prefix === '' || after !== undefined ? 0 : SEARCH_MS,
    );
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [admin, prefix, after, attempt]);

  const found = read.status === 'read' ? read.page.next : null;
  return {
    text,
    setText: (typed) => {
      setText(typed);
      setCursors([undefined]);
    },
    read,
    pageNumber: cursors.length,
    next: () => {
      if (found !== null) setCursors([...cursors, found]);
    },
    previous: () => setCursors(cursors.length > 1 ? cursors.slice(0, -1) : cursors),
    retry: () => setAttempt(attempt + 1),
    update: useCallback((person) => {
      setRead((last) =>
        last.status === 'read'
          ? {
              ...last,
              page: { ...last.page, people: last.page.people.map((one) => (one.uid === person.uid ? person : one)) },
            }
          : last,
      );
    }, []),
  };
}
