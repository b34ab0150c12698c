const DATABASE = 'reef-try';
const STORE = 'tries';
/** Local setting of a browser that has stored a blob. */
const STORED = 'reef.stores-blobs';

/**
 * True if IndexedDB stores a blob and returns its bytes. A private window may offer IndexedDB and refuse blobs. Tried
 * once for each browser: what worked is noted in `notes`. A full disk is no refusal; the app reports it by itself.
 */
export async function storesBlobs(
  factory: IDBFactory,
  notes: () => Pick<Storage, 'getItem' | 'setItem'>,
): Promise<boolean> {
  try {
    if (notes().getItem(STORED) === 'yes') return true;
    await tryBlob(factory);
    notes().setItem(STORED, 'yes');
    return true;
  } catch (error) {
    return error instanceof DOMException && error.name === 'QuotaExceededError';
  }
}

/** @throws if the blob is refused, or comes back without its bytes */
async function tryBlob(factory: IDBFactory): Promise<void> {
  const opening = factory.open(DATABASE);
  opening.addEventListener('upgradeneeded', () => void opening.result.createObjectStore(STORE));
  const database = await answerOf(opening);
  try {
    const transaction = database.transaction(STORE, 'readwrite');
    const done = new Promise<void>((resolve, reject) => {
      transaction.addEventListener('complete', () => resolve());
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('The blob was refused.')));
    });
    transaction.objectStore(STORE).put(new Blob(['reef']), 'blob');
    await done;
    const stored = await answerOf<unknown>(database.transaction(STORE).objectStore(STORE).get('blob'));
    if (!(stored instanceof Blob) || (await stored.text()) !== 'reef') throw new Error('The blob came back empty.');
  } finally {
    database.close();
    factory.deleteDatabase(DATABASE);
  }
}

function answerOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The storage failed.')));
  });
}
