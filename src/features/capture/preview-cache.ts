import { Emitter } from '../../base/emitter';

/** Pictures cached off screen, for scrolling back. */
const CACHED_MAX = 120;

interface CacheEntry {
  users: number;
  url: string | null;
  /** `again`: a picture may exist since this reading began. */
  state: 'idle' | 'reading' | 'again';
  readonly loaded: Emitter<string>;
}

/** Calls back until the returned function is called. */
type Subscribe = (listener: () => void) => () => void;

/** Shared previews as object URLs, revoked after a while off screen: an unrevoked URL retains its blob. */
export class PreviewCache {
  /** In order of last use. */
  readonly #entries = new Map<string, CacheEntry>();

  readonly #fetchPicture: (key: string) => Promise<Blob | null>;

  /** @param mayExist calls when pictures that there were none of may exist: those in use are read again */
  constructor(picture: (key: string) => Promise<Blob | null>, mayExist?: Subscribe) {
    this.#fetchPicture = picture;
    mayExist?.(() => {
      for (const [key, entry] of this.#entries)
        if (entry.state === 'idle') this.#load(key, entry);
        else entry.state = 'again';
    });
  }

  loadedUrl(key: string): string | null {
    return this.#entries.get(key)?.url ?? null;
  }

  /** Calls back with the URL. Returns a function that releases it. */
  retain(key: string, listener: (url: string) => void): () => void {
    const entry = this.#entries.get(key) ?? { users: 0, url: null, state: 'idle', loaded: new Emitter<string>() };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users++;
    // A preview may exist since the last reading.
    if (entry.state === 'idle') this.#load(key, entry);
    const stop = entry.loaded.subscribe(listener);
    if (entry.url !== null) listener(entry.url);
    return () => {
      stop();
      entry.users--;
      if (entry.state === 'idle') this.#dropUnused(key, entry);
      this.#evictUnused();
    };
  }

  #load(key: string, entry: CacheEntry): void {
    if (entry.url !== null) return;
    entry.state = 'reading';
    this.#fetchPicture(key).then(
      (blob) => {
        if (blob === null) return this.#endWithout(key, entry);
        entry.state = 'idle';
        // Evicted since.
        if (this.#entries.get(key) !== entry) return;
        const url = URL.createObjectURL(blob);
        entry.url = url;
        entry.loaded.emit(url);
      },
      (error: unknown) => {
        this.#endWithout(key, entry);
        console.warn('A preview could not be read; the photograph itself is untouched.', error);
      },
    );
  }

  #endWithout(key: string, entry: CacheEntry): void {
    const isAgain = entry.state === 'again' && entry.users > 0;
    entry.state = 'idle';
    if (isAgain) this.#load(key, entry);
    else this.#dropUnused(key, entry);
  }

  /** Drops an entry without a picture that no one waits for. */
  #dropUnused(key: string, entry: CacheEntry): void {
    if (entry.users === 0 && entry.url === null && this.#entries.get(key) === entry) this.#entries.delete(key);
  }

  #evictUnused(): void {
    if (this.#entries.size <= CACHED_MAX) return;
    for (const [sha256, entry] of this.#entries) {
      if (this.#entries.size <= CACHED_MAX) return;
      if (entry.users > 0) continue;
      this.#entries.delete(sha256);
      if (entry.url !== null) URL.revokeObjectURL(entry.url);
    }
  }
}
