/**
 * Local settings (localStorage), shared by all tabs and readable before the database opens; in memory if the browser
 * refuses storage.
 */

const inMemory = new Map<string, string>();

export function readLocalSetting(name: string): string | null {
  try {
    return localStorage.getItem(name) ?? inMemory.get(name) ?? null;
  } catch (_refused) {
    return inMemory.get(name) ?? null;
  }
}

/** Stores a value; in memory if the browser refuses. */
export function writeLocalSetting(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
    inMemory.delete(name);
  } catch (_refused) {
    inMemory.set(name, value);
  }
}

export function onLocalSettingChange(name: string, listener: () => void): () => void {
  if (typeof addEventListener !== 'function') return () => undefined;
  const heard = (event: StorageEvent): void => {
    if (event.key === name || event.key === null) listener();
  };
  addEventListener('storage', heard);
  return () => removeEventListener('storage', heard);
}
