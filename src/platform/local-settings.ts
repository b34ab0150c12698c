/**
 * Small settings of this tablet (localStorage), over all its tabs. They are wanted before the database is open, and a
 * browser that refuses storage costs no more than that they are forgotten.
 */

const inMemory = new Map<string, string>();

/** What was kept under a name, or null. */
export function readLocalSetting(name: string): string | null {
  try {
    return localStorage.getItem(name) ?? inMemory.get(name) ?? null;
  } catch (_refused) {
    return inMemory.get(name) ?? null;
  }
}

/** Keeps a text; where the browser refuses, for as long as the page stands. */
export function writeLocalSetting(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
    inMemory.delete(name);
  } catch (_refused) {
    inMemory.set(name, value);
  }
}

/** Calls back when another tab changed what stands under a name; gives the way to stop. */
export function onLocalSettingChange(name: string, listener: () => void): () => void {
  if (typeof addEventListener !== 'function') return () => undefined;
  const heard = (event: StorageEvent): void => {
    if (event.key === name || event.key === null) listener();
  };
  addEventListener('storage', heard);
  return () => removeEventListener('storage', heard);
}
