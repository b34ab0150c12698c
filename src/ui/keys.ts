/** What a key does, in words for the help sheet. */
export interface KeyDoing {
  readonly words: string;
  readonly run: (event: KeyboardEvent) => void;
}

/**
 * Keys by the name that `KeyboardEvent.key` gives (a letter in lower case, `ArrowLeft`, `Escape`, `Space`), and `Shutter`: the
 * button of a remote shutter or of a waterproof housing, which comes as a volume or a camera key.
 */
export type KeyMap = Readonly<Record<string, KeyDoing>>;

/** What remote shutters and housings send. Some systems keep the volume keys for themselves; Enter works everywhere. */
const SHUTTERS: readonly string[] = [
  'AudioVolumeUp',
  'AudioVolumeDown',
  'VolumeUp',
  'VolumeDown',
  'Camera',
  'CameraFocus',
  'MediaPlayPause',
];

/** The parts of a key event that tell which key it is. */
export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'repeat'>;

/** The name under which a map holds the key, or null where it is not ours: with Ctrl, Alt or Meta it is the browser's. */
export function keyName({ key, ctrlKey, altKey, metaKey, repeat }: KeyPress): string | null {
  if (ctrlKey || altKey || metaKey) return null;
  // A key held down steps through a list and does nothing else twice.
  if (repeat && !key.startsWith('Arrow')) return null;
  if (SHUTTERS.includes(key)) return 'Shutter';
  if (key === ' ') return 'Space';
  return key.length === 1 ? key.toLowerCase() : key;
}

/** Whose keys they are: the page's rest while a dialog covers it. */
export type KeyPlace = 'page' | 'dialog';

interface Entry {
  readonly read: () => KeyMap;
  readonly place: KeyPlace;
}

/** The maps that stand; a later one goes first. */
export class KeyRing {
  #maps: readonly Entry[] = [];
  readonly #listeners = new Set<() => void>();

  /** Adds a map, read anew at each key. Gives the way to take it out. */
  add(read: () => KeyMap, place: KeyPlace = 'page'): () => void {
    const entry = { read, place };
    this.#set([...this.#maps, entry]);
    return () => this.#set(this.#maps.filter((each) => each !== entry));
  }

  /** What the key does; where the page is covered, the dialog's keys alone count. */
  find(name: string, covered = false): KeyDoing | undefined {
    for (const { read, place } of [...this.#maps].reverse()) {
      if (covered && place !== 'dialog') continue;
      const map = read();
      if (Object.hasOwn(map, name)) return map[name];
    }
    return undefined;
  }

  /** Every key that does something now, the nearest map first, each once. */
  all(): readonly { readonly key: string; readonly words: string }[] {
    const found = new Map<string, string>();
    for (const { read } of [...this.#maps].reverse()) {
      for (const [key, { words }] of Object.entries(read())) {
        if (!found.has(key)) found.set(key, words);
      }
    }
    return [...found].map(([key, words]) => ({ key, words }));
  }

  readonly subscribe = (told: () => void): (() => void) => {
    this.#listeners.add(told);
    return () => this.#listeners.delete(told);
  };

  #set(maps: readonly Entry[]): void {
    this.#maps = maps;
    for (const told of this.#listeners) told();
  }
}

/** A key as a person reads it on the keyboard. */
export function keyWords(name: string): string {
  const words: Record<string, string> = {
    ArrowLeft: '←',
    ArrowRight: '→',
    ArrowUp: '↑',
    ArrowDown: '↓',
    Escape: 'Esc',
    Delete: 'Del',
    Shutter: 'Shutter or volume',
    PageUp: 'Page up',
    PageDown: 'Page down',
  };
  return words[name] ?? (name.length === 1 ? name.toUpperCase() : name);
}
