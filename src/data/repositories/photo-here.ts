import { ReefError } from '../../domain/errors';
import { LIMITS } from '../../domain/limits';
import { exchange } from '../transport/http';
import type { Cell } from '../transport/signal';
import { knownOrigin, type Parts } from './parts';
import type { Person } from './person-repository';

/** Larger than the cloud makes any picture of a person, in bytes. */
const BYTES_MAX = 1024 * 1024;

/** Fetches the picture of whoever is at the tablet once the shore answers, so that it stands here offline too. Gives the way to stop. */
export function followPicture(parts: Parts, person: Cell<Person | null>): () => void {
  const { store, shore } = parts;
  let fetched: string | undefined;
  const look = (): void => {
    const now = person.get();
    const origin = knownOrigin(parts);
    if (now === null || now.pending || origin === null || fetched === now.uid || shore.state.get().status !== 'connected') return;
    fetched = now.uid;
    pictureOf(parts, origin, now.uid)
      .then((picture) => (picture === null ? undefined : store.setFact('photo', { uid: now.uid, picture })))
      .catch((error: unknown) => store.host.log.note('info', 'The photograph of the person did not come.', { error: error instanceof Error ? error.message : String(error) }));
  };
  const stops = [person.subscribe(look), shore.state.subscribe(look)];
  look();
  return () => stops.forEach((stop) => stop());
}

/** `users/{uid}/profile.jpg` (2§7); null where there is none. */
async function pictureOf({ store }: Parts, origin: string, uid: string): Promise<Blob | null> {
  return exchange(store.host, `${origin}/users/${encodeURIComponent(uid)}/profile.jpg`, { cache: 'no-cache', credentials: 'omit' }, LIMITS.slowConnectionMs, async (response) => {
    const isPicture = response.ok && (response.headers.get('content-type') ?? '').startsWith('image/');
    if (!isPicture || Number(response.headers.get('content-length') ?? 0) > BYTES_MAX) {
      await response.body?.cancel();
      return null;
    }
    const picture = await response.blob();
    if (picture.size > BYTES_MAX) throw new ReefError('too-large');
    return picture;
  });
}
