import { useEffect } from 'react';

/** Keeps the screen on if supported. */
export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    let disposed = false;
    const requestLock = (): void => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
      navigator.wakeLock.request('screen').then(
        (held) => {
          if (disposed) void held.release();
          else lock = held;
        },
        () => {
          // A nearly empty battery refuses it; the page works anyway.
        },
      );
    };
    requestLock();
    document.addEventListener('visibilitychange', requestLock);
    return () => {
      disposed = true;
      document.removeEventListener('visibilitychange', requestLock);
      void lock?.release();
    };
  }, []);
}
