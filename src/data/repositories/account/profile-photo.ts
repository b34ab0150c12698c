import { ReefError } from '../../../domain/errors';
import { LIMITS } from '../../../domain/limits';
import type { OpsStore } from '../../ops/ops-store';
import { exchange } from '../../transport/http';
import type { ObservableValue } from '../../../base/observable';
import { knownCloudOrigin, type RepositoryContext } from '../repository-context';
import type { Person } from './person';

/** Upper bound of a profile photo in bytes, above any that the cloud makes. */
const BYTES_MAX = 1024 * 1024;

/** Fetches the current user's photo when the cloud connects, for offline use. */
export function followPhoto(parts: RepositoryContext, person: ObservableValue<Person | null>): () => void {
  const { store, cloudLink } = parts;
  let fetched: string | undefined;
  const refreshWhenConnected = (): void => {
    const now = person.get();
    const origin = knownCloudOrigin(parts);
    if (
      now === null ||
      now.pending ||
      origin === null ||
      fetched === now.uid ||
      cloudLink.state.get().status !== 'connected'
    )
      return;
    fetched = now.uid;
    refreshPhoto(parts, origin, now.uid).catch((error: unknown) =>
      store.host.log.note('info', 'The profile photo could not be fetched.', {
        error: error instanceof Error ? error.message : String(error),
      }),
    );
  };
  const stops = [person.subscribe(refreshWhenConnected), cloudLink.state.subscribe(refreshWhenConnected)];
  refreshWhenConnected();
  return () => stops.forEach((stop) => stop());
}

async function refreshPhoto(parts: RepositoryContext, origin: string, uid: string): Promise<void> {
  const { store } = parts;
  const stoodHere = (await store.getMeta('photo'))?.uid === uid;
  const picture = await downloadPhoto(parts, origin, uid);
  if (picture === 'unknown') return;
  if (picture !== 'none') return store.setMeta('photo', { uid, picture });
  // It was removed on another tablet; one set here since then stays.
  if (stoodHere) await forgetPhoto(store, uid);
}

/** Deletes a person's stored photo; another person's stays. */
export async function forgetPhoto(store: OpsStore, uid: string): Promise<void> {
  const { db } = store;
  await store.run(() =>
    db.transaction('rw', db.meta, async () => {
      const kept = (await db.meta.get('photo'))?.value as { readonly uid: string } | undefined;
      if (kept?.uid === uid) await db.meta.delete('photo');
    }),
  );
}

/** `users/{uid}/profile.jpg` (2§7); `none` if there is none, `unknown` for any other answer without a photo. */
async function downloadPhoto(
  { store }: RepositoryContext,
  origin: string,
  uid: string,
): Promise<Blob | 'none' | 'unknown'> {
  return exchange(
    store.host,
    `${origin}/users/${encodeURIComponent(uid)}/profile.jpg?none=204`,
    { cache: 'no-cache', credentials: 'omit' },
    LIMITS.slowConnectionMs,
    async (response) => {
      if (response.status === 204) return 'none';
      const isPicture = response.ok && (response.headers.get('content-type') ?? '').startsWith('image/');
      if (!isPicture || Number(response.headers.get('content-length') ?? 0) > BYTES_MAX) {
        await response.body?.cancel();
        return response.status === 404 ? 'none' : 'unknown';
      }
      const picture = await response.blob();
      if (picture.size > BYTES_MAX) throw new ReefError('too-large');
      return picture;
    },
  );
}
