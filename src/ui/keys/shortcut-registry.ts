import { ObservableValue } from '../../base/observable';
interface Shortcut {
  readonly label: string;
  readonly run: (event: KeyboardEvent) => void;
}

/**
 * Keys as in `KeyboardEvent.key` (lower case, `ArrowLeft`, `Escape`, `Space`), and `Shutter`: a remote shutter or
 * housing button, which arrives as a volume or camera key.
 */
export type ShortcutMap = Readonly<Record<string, Shortcut>>;

/** Some systems reserve the volume keys; Enter works everywhere. */
const SHUTTERS: readonly string[] = [
  'AudioVolumeUp',
  'AudioVolumeDown',
  'VolumeUp',
  'VolumeDown',
  'Camera',
  'CameraFocus',
  'MediaPlayPause',
];

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey' | 'repeat'>;

/** Null with Ctrl, Alt or Meta: those are the browser's, except undo and redo (`Ctrl+z`, `Ctrl+Shift+z`; Meta on a Mac). */
export function keyName({ key, ctrlKey, altKey, metaKey, shiftKey, repeat }: KeyPress): string | null {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'z') return shiftKey ? 'Ctrl+Shift+z' : 'Ctrl+z';
  if (ctrlKey || altKey || metaKey) return null;
  // Only steps may repeat.
  if (repeat && !key.startsWith('Arrow')) return null;
  if (SHUTTERS.includes(key)) return 'Shutter';
  if (key === ' ') return 'Space';
  return key.length === 1 ? key.toLowerCase() : key;
}

/** Page shortcuts pause while a dialog is open. */
export type ShortcutScope = 'page' | 'dialog';

interface RegisteredMap {
  readonly read: () => ShortcutMap;
  readonly scope: ShortcutScope;
}

/** Later maps take precedence. */
export class ShortcutRegistry {
  readonly #maps = new ObservableValue<readonly RegisteredMap[]>([]);
  readonly subscribe = this.#maps.subscribe;

  /** The map is read at each key. Returns a function that removes it. */
  add(read: () => ShortcutMap, scope: ShortcutScope = 'page'): () => void {
    const entry = { read, scope };
    this.#maps.set([...this.#maps.get(), entry]);
    return () => this.#maps.set(this.#maps.get().filter((each) => each !== entry));
  }

  /** Only the dialog's while the page is covered. */
  find(name: string, covered = false): Shortcut | undefined {
    for (const { read, scope } of [...this.#maps.get()].reverse()) {
      if (covered && scope !== 'dialog') continue;
      const map = read();
      if (Object.hasOwn(map, name)) return map[name];
    }
    return undefined;
  }

  /** Nearest map first, each key once. */
  all(): readonly { readonly key: string; readonly label: string }[] {
    const found = new Map<string, string>();
    for (const { read } of [...this.#maps.get()].reverse()) {
      for (const [key, { label }] of Object.entries(read())) {
        if (!found.has(key)) found.set(key, label);
      }
    }
    return [...found].map(([key, label]) => ({ key, label }));
  }
}

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
    'Ctrl+z': 'Ctrl+Z',
    'Ctrl+Shift+z': 'Ctrl+Shift+Z',
  };
  return labels[name] ?? (name.length === 1 ? name.toUpperCase() : name);
}
