import type { MangoQuery, RxCollection, RxDatabase, RxDocument, RxJsonSchema } from 'rxdb/plugins/core';
import type { Conflict } from '../../domain/fold/fold';
import type { JsonObject } from '../../domain/json';
import type { OpKind } from '../../domain/op/op';
import { OP_KINDS } from '../../domain/op/op';
import type { TabletHost } from '../../platform/host';

/** Document as screens query it; written only by `projector.ts`. */
export interface ReadDoc {
  readonly id: string;
  /** Survey of an image; else empty. */
  readonly surveyId: string;
  readonly isDeleted: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly doc: JsonObject;
  readonly conflicts: readonly Conflict[];
}

/** Same document with RxDB's own types, which would recurse endlessly into a JSON value. */
export type StoredDoc = Omit<ReadDoc, 'doc' | 'conflicts'> & {
  readonly doc: object;
  readonly conflicts: readonly object[];
};

/** Values to match in a {@link ReadDoc}; excludes deleted documents unless it has `isDeleted: true`. */
export type DocumentSelector = Readonly<Partial<Pick<ReadDoc, 'id' | 'surveyId' | 'isDeleted'>>>;

type ReadCollections = { readonly [Kind in OpKind]: RxCollection<StoredDoc> };

/** Open read model. `token` is random per creation of its storage: after a wipe everything is projected again. */
export interface ReadModel {
  readonly collections: ReadCollections;
  readonly token: string;
  /**
   * Reports the documents of a kind now and after each change, until the returned function is called. An unchanged
   * document stays the same object.
   */
  readonly watch: (
    kind: OpKind,
    selector: DocumentSelector,
    onDocuments: (documents: readonly ReadDoc[]) => void,
    onError: (error: unknown) => void,
  ) => () => void;
  readonly find: (kind: OpKind, selector: DocumentSelector) => Promise<readonly ReadDoc[]>;
  readonly close: () => Promise<void>;
}

/** A schema change raises this number: the old read model is removed and a new one built from the operations. */
const SCHEMA_VERSION = 1;

const SCHEMA: RxJsonSchema<StoredDoc> = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: 20 },
    surveyId: { type: 'string', maxLength: 20 },
    isDeleted: { type: 'boolean' },
    createdAt: { type: 'string' },
    updatedAt: { type: 'string' },
    doc: { type: 'object', additionalProperties: true },
    conflicts: { type: 'array' },
  },
  required: ['id', 'surveyId', 'isDeleted', 'createdAt', 'updatedAt', 'doc', 'conflicts'],
  indexes: ['surveyId'],
};

/**
 * Opens RxDB over Dexie storage as the read model: four collections folded from the operations. Everything in it can be
 * rebuilt, so a database that cannot be opened is removed.
 *
 * @param name prefix of its IndexedDB databases
 */
export async function openReadModel(host: Pick<TabletHost, 'idb' | 'log'>, name: string): Promise<ReadModel> {
  const [{ createRxDatabase, removeRxDatabase }, { getRxStorageDexie }] = await Promise.all([
    import('rxdb/plugins/core'),
    import('rxdb/plugins/storage-dexie'),
  ]);
  const storage = getRxStorageDexie({ indexedDB: host.idb.factory, IDBKeyRange: host.idb.keyRange });
  const current = `${name}-${SCHEMA_VERSION}`;
  if (SCHEMA_VERSION > 1) await removeRxDatabase(`${name}-${SCHEMA_VERSION - 1}`, storage);

  const open = async (): Promise<RxDatabase<ReadCollections>> => {
    const database = await createRxDatabase<ReadCollections>({
      name: current,
      storage,
      multiInstance: true,
      eventReduce: true,
      closeDuplicates: true,
    });
    try {
      await database.addCollections(Object.fromEntries(OP_KINDS.map((kind) => [kind, { schema: SCHEMA }])));
    } catch (error) {
      await database.close();
      throw error;
    }
    return database;
  };

  // RxDB returns the same object for the same state of a document, so screens can skip redrawing unchanged rows.
  const plainOf = new WeakMap<RxDocument<StoredDoc>, ReadDoc>();
  const plain = (document: RxDocument<StoredDoc>): ReadDoc => {
    const known = plainOf.get(document);
    if (known !== undefined) return known;
    const made = document.toJSON() as unknown as ReadDoc;
    plainOf.set(document, made);
    return made;
  };

  let database: RxDatabase<ReadCollections>;
  try {
    database = await open();
  } catch (error) {
    host.log.note('warn', 'The read model could not be opened; rebuilding it.', { error: String(error) });
    await removeRxDatabase(current, storage);
    database = await open();
  }
  return {
    collections: database.collections,
    token: await database.storageToken,
    watch: (kind, selector, onDocuments, onError) => {
      const query: MangoQuery<StoredDoc> = { selector: { isDeleted: false, ...selector } };
      const subscription = database.collections[kind]
        .find(query)
        .$.subscribe({ next: (found) => onDocuments(found.map(plain)), error: onError });
      return () => subscription.unsubscribe();
    },
    find: async (kind, selector) => {
      const query: MangoQuery<StoredDoc> = { selector: { isDeleted: false, ...selector } };
      const found = await database.collections[kind].find(query).exec();
      return found.map(plain);
    },
    close: async () => {
      await database.close();
    },
  };
}
