import { ReefError } from '../../domain/errors';
import type { StoredReference } from '../ops/database';
import type { OpsStore } from '../ops/ops-store';
import type { TabletCore } from '../tablet-core';
import { CloudHttp } from '../transport/cloud/cloud-http';
import { parseJson } from '../transport/http';

/** Meta keys that hold one. */
type ReferenceKey = 'staffRegions' | 'events';

/**
 * Stores reference data whenever a server answers: each server is asked once per connection, as staff change them
 * rarely. Returns a function that ends it.
 *
 * @param name under which box and cloud serve it
 */
export function followReference(
  { store, edgeLink, cloudLink, connectivity }: TabletCore,
  name: string,
  key: ReferenceKey,
): () => void {
  const keep = (source: keyof StoredReference, value: StoredReference[keyof StoredReference]): Promise<unknown> =>
    store.run(() =>
      store.db.transaction('rw', store.db.meta, async () => {
        const { [source]: _before, ...rest } = ((await store.db.meta.get(key))?.value ?? {}) as StoredReference;
        await store.db.meta.put({ key, value: value === undefined ? rest : { ...rest, [source]: value } });
      }),
    );

  async function askBox(): Promise<void> {
    const link = edgeLink.current;
    if (link === undefined) return;
    const etag = (await store.getMeta(key))?.box?.etag;
    const answer = await link.reference(name, etag);
    if (answer === 'none') await keep('box', undefined);
    else if (answer !== 'unchanged') await keep('box', { etag: answer.etag, documents: parseJson(answer.text) });
  }

  async function askCloud(): Promise<void> {
    const origin = connectivity.answeringCloud.get()?.origin ?? null;
    if (cloudLink.current === undefined || origin === null) return;
    await keep('cloud', { documents: await new CloudHttp(store.host, origin).reference(name) });
  }

  const follow = (link: typeof edgeLink | typeof cloudLink, ask: () => Promise<void>): (() => void) => {
    let asked: unknown;
    const askOnce = (): void => {
      if (link.current === undefined || link.current === asked) return;
      asked = link.current;
      ask().catch((error: unknown) =>
        store.host.log.note('info', 'Reference data could not be fetched; keeping the current one.', {
          name,
          error: error instanceof ReefError ? error.code : String(error),
        }),
      );
    };
    const stop = link.state.subscribe(askOnce);
    askOnce();
    return stop;
  };
  const stops = [follow(edgeLink, askBox), follow(cloudLink, askCloud)];
  return () => stops.forEach((stop) => stop());
}

/** Latest documents: the box's while it has some, else the cloud's; undefined if none came yet. */
export async function storedReference(store: OpsStore, key: ReferenceKey): Promise<unknown> {
  const { box, cloud } = (await store.getMeta(key)) ?? {};
  return box?.documents ?? cloud?.documents;
}
