/** What a key does, in words for the help sheet. */
export interface Shortcut {
  readonly label: string;
  readonly run: (event: KeyboardEvent) => void;
}

/**
 * Keys by the name that `KeyboardEvent.key` gives (a letter in lower case, `ArrowLeft`, `Escape`, `Space`), and `Shutter`: the
 * button of a remote shutter or of a waterproof housing, which comes as a volume or a camera key.
 */
export type ShortcutMap = Readonly<Record<string, Shortcut>>;

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
export type ShortcutScope = 'page' | 'dialog';

interface RegisteredMap {
  readonly read: () => ShortcutMap;
  readonly scope: ShortcutScope;
}

/** The maps that stand; a later one goes first. */
export class ShortcutRegistry {
  #maps: readonly RegisteredMap[] = [];
  readonly #listeners = new Set<() => void>();

  /** Adds a map, read anew at each key. Gives the way to take it out. */
  add(read: () => ShortcutMap, scope: ShortcutScope = 'page'): () => void {
    const entry = { read, scope };
    this.#setMaps([...this.#maps, entry]);
    return () => this.#setMaps(this.#maps.filter((each) => each !== entry));
  }

  /** What the key does; where the page is covered, the dialog's keys alone count. */
  find(name: string, covered = false): Shortcut | undefined {
    for (const { read, scope } of [...this.#maps].reverse()) {
      if (covered && scope !== 'dialog') continue;
      const map = read();
      if (Object.hasOwn(map, name)) return map[name];
    }
    return undefined;
  }

  /** Every key that does something now, the nearest map first, each once. */
  all(): readonly { readonly key: string; readonly label: string }[] {
    const found = new Map<string, string>();
    for (const { read } of [...this.#maps].reverse()) {
      for (const [key, { label }] of Object.entries(read())) {
        if (!found.has(key)) found.set(key, label);
      }
    }
    return [...found].map(([key, label]) => ({ key, label }));
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #setMaps(maps: readonly RegisteredMap[]): void {
    this.#maps = maps;
    for (const listener of this.#listeners) listener();
  }
}

/** A key as a person reads it on the keyboard. */
export function formatKey(name: string): string {
  const labels: Record<string, string> = {
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
  return labels[name] ?? (name.length === 1 ? name.toUpperCase() : name);
}
