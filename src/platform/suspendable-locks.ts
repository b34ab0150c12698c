import type { Locks } from './host';
import { never, type PageSuspension } from './page-suspension';

/**
 * Web Locks of a page that may be put away: it releases what it holds and no longer waits, so that another tab or the
 * next page gets them. Its work stays unanswered.
 */
export function suspendableLocks(locks: Pick<LockManager, 'request'>, suspension: PageSuspension): Locks {
  return {
    hold: async <Value>(name: string, signal: AbortSignal, work: () => Promise<Value>): Promise<Value> => {
      if (suspension.isSuspended) return never();
      signal.throwIfAborted();
      const wait = new AbortController();
      const stopWaiting = (): void => wait.abort(signal.reason);
      signal.addEventListener('abort', stopWaiting);
      // Resolved, it releases the lock whatever the work does.
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const remove = suspension.onSuspend(() => {
        release();
        wait.abort();
      });
      // The request resolves to the callback's result.
      let result: { value: Value } | undefined;
      try {
        await locks.request(name, { signal: wait.signal }, async () => {
          const done = work().then((value) => void (result = { value }));
          await Promise.race([done, released]);
        });
      } catch (error) {
        if (!suspension.isSuspended) throw error;
      } finally {
        remove();
        signal.removeEventListener('abort', stopWaiting);
      }
      if (suspension.isSuspended) return never();
      if (result === undefined) throw new DOMException('The lock was never held.', 'AbortError');
      return result.value;
    },
  };
}
