import type { PageSuspension } from './page-suspension';

/**
 * IndexedDB of a page that may be put away: its live transactions are aborted then and its connections closed. What it
 * asks for afterwards stays unanswered, since a refusal would be reopened or shown as a failure.
 */
export function suspendableIdb(factory: IDBFactory, suspension: PageSuspension): IDBFactory {
  return {
    open: (name, version) => {
      // No listener of it is ever called.
      if (suspension.isSuspended) return new EventTarget() as IDBOpenDBRequest;
      const request = version === undefined ? factory.open(name) : factory.open(name, version);
      endOnSuspend(request, suspension);
      return request;
    },
    deleteDatabase: (name) =>
      suspension.isSuspended ? (new EventTarget() as IDBOpenDBRequest) : factory.deleteDatabase(name),
    databases: () => factory.databases(),
    cmp: (first, second) => factory.cmp(first, second),
  };
}

function endOnSuspend(request: IDBOpenDBRequest, suspension: PageSuspension): void {
  // A new or newer database: its transaction is that of the request.
  request.addEventListener('upgradeneeded', () => {
    const { transaction } = request;
    if (transaction !== null) abortOnSuspend(transaction, suspension);
  });
  request.addEventListener('success', () => {
    const database = request.result;
    const begin = database.transaction.bind(database);
    database.transaction = (...args: Parameters<IDBDatabase['transaction']>) => {
      const transaction = begin(...args);
      abortOnSuspend(transaction, suspension);
      return transaction;
    };
    const remove = suspension.onSuspend(() => database.close());
    database.addEventListener('close', remove);
    const close = database.close.bind(database);
    database.close = () => {
      remove();
      close();
    };
  });
}

function abortOnSuspend(transaction: IDBTransaction, suspension: PageSuspension): void {
  const remove = suspension.onSuspend(() => {
    try {
      transaction.abort();
    } catch (error) {
      // It is being committed: nothing of it waits for this page.
      if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error;
    }
  });
  transaction.addEventListener('complete', remove);
  transaction.addEventListener('abort', remove);
}
