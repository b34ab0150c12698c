import { useEffect, useState } from 'react';
import type { ImageRepository, PhotographView } from '../../data/repositories';
import { pass } from './pass';

/** Pictures kept after their tile scrolled away, so that a little way back costs nothing. */
const KEPT = 120;

interface Entry {
  users: number;
  url: string | null;
  readonly listeners: Set<(url: string) => void>;
}

/**
 * The previews that are on screen, as object URLs: each is read once, shared by all tiles that show it, and released
 * when it has been off screen for a while. A blob that is never released stays in memory as long as the page.
 */
class PreviewShelf {
  /** In the order of their last use. */
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly picture: (sha256: PhotographView['sha256']) => Promise<Blob | null>) {}

  /** The URL where it is read already. */
  now(sha256: string): string | null {
    return this.entries.get(sha256)?.url ?? null;
  }

  /** Calls back with the URL; gives the way to let go of it. */
  use(sha256: PhotographView['sha256'], listener: (url: string) => void): () => void {
    const entry = this.entries.get(sha256) ?? this.read(sha256);
    this.entries.delete(sha256);
    this.entries.set(sha256, entry);
    entry.users++;
    if (entry.url === null) entry.listeners.add(listener);
    else listener(entry.url);
    return () => {
      entry.listeners.delete(listener);
      entry.users--;
      this.trim();
    };
  }

  private read(sha256: PhotographView['sha256']): Entry {
    const entry: Entry = { users: 0, url: null, listeners: new Set() };
    this.picture(sha256).then(
      (blob) => {
        // Let go of meanwhile.
        if (blob === null || this.entries.get(sha256) !== entry) return;
        const url = URL.createObjectURL(blob);
        entry.url = url;
        for (const listener of entry.listeners) listener(url);
        entry.listeners.clear();
      },
      (error: unknown) => {
        if (this.entries.get(sha256) === entry) this.entries.delete(sha256);
        console.warn('A preview could not be read; the photograph itself is untouched.', error);
      },
    );
    return entry;
  }

  private trim(): void {
    if (this.entries.size <= KEPT) return;
    for (const [sha256, entry] of this.entries) {
      if (this.entries.size <= KEPT) return;
      if (entry.users > 0) continue;
      this.entries.delete(sha256);
      if (entry.url !== null) URL.revokeObjectURL(entry.url);
    }
  }
}

/** Tiles show thumbnails: sixty previews on a screen would take a hundred megabytes once decoded. */
type Size = 'thumbnail' | 'preview';

const shelves = new WeakMap<ImageRepository, Readonly<Record<Size, PreviewShelf>>>();

function shelfOf(images: ImageRepository): Readonly<Record<Size, PreviewShelf>> {
  const known = shelves.get(images);
  if (known !== undefined) return known;
  const made = { thumbnail: new PreviewShelf(images.thumbnail), preview: new PreviewShelf(images.preview) };
  shelves.set(images, made);
  return made;
}

/** Reading waits this long, so that tiles that fly past while scrolling are not read, ms. */
const SETTLE_MS = 60;

/** The address of a photograph's preview while its tile is there; null until it is read and where there is none. */
export function usePreview(images: ImageRepository, photograph: Pick<PhotographView, 'sha256' | 'preview'>, size: Size = 'thumbnail'): string | null {
  const { sha256, preview } = photograph;
  const shelf = shelfOf(images)[size];
  const [read, setRead] = useState<{ readonly sha256: string; readonly url: string } | null>(null);
  useEffect(() => {
    if (preview !== 'here') return undefined;
    let letGo: (() => void) | undefined;
    const begin = (): void => {
      letGo = shelf.use(sha256, (url) => setRead({ sha256, url }));
    };
    let callOff: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    if (shelf.now(sha256) !== null) begin();
    else if (pass.isFlying) callOff = pass.whenSlow(begin);
    else timer = setTimeout(() => (callOff = pass.whenSlow(begin)), SETTLE_MS);
    return () => {
      clearTimeout(timer);
      callOff?.();
      letGo?.();
    };
  }, [shelf, sha256, preview]);
  if (preview !== 'here') return null;
  return read?.sha256 === sha256 ? read.url : shelf.now(sha256);
}
