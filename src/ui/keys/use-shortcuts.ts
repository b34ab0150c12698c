import { useEffect, useRef } from 'react';
import { keyName, ShortcutRegistry, type ShortcutMap, type ShortcutScope } from './shortcut-registry';

export const shortcuts = new ShortcutRegistry();

const SINGLE_KEYS_SETTING = 'single-keys';

/** Speech input users turn them off (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(SINGLE_KEYS_SETTING) !== 'off';
}

/** `?` and keys with Ctrl work anyway. */
export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(SINGLE_KEYS_SETTING);
  else localStorage.setItem(SINGLE_KEYS_SETTING, 'off');
}

/**
 * Registers single-key shortcuts. They pause while the person types, a list is open or a dialog covers the page (except
 * `scope: 'dialog'`), and if a control handled the key.
 */
export function useShortcuts(
  map: ShortcutMap,
  { enabled = true, scope = 'page' }: { readonly enabled?: boolean; readonly scope?: ShortcutScope } = {},
): void {
  const latest = useRef(map);
  useEffect(() => {
    latest.current = map;
  });
  useEffect(() => {
    if (!enabled) return undefined;
    listen();
    return shortcuts.add(() => latest.current, scope);
  }, [enabled, scope]);
}

let listening = false;

function listen(): void {
  if (listening) return;
  listening = true;
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isTyping(event.target) || isFollowing(event)) return;
    const name = keyName(event);
    if (name === null || (name !== '?' && !name.startsWith('Ctrl+') && !areSingleKeysOn())) return;
    const shortcut = shortcuts.find(name, isPageCovered());
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut.run(event);
  });
}

/** Text, date segments, lists. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest(
      'input:not([type="checkbox"], [type="radio"], [type="file"]), textarea, select, [role="spinbutton"], [role="combobox"], [role="listbox"], [role="menu"]',
    ) !== null
  );
}

/** Enter on a link follows it; buttons have handled the key before. */
function isFollowing({ key, target }: KeyboardEvent): boolean {
  return key === 'Enter' && target instanceof HTMLElement && target.closest('a[href]') !== null;
}

function isPageCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [data-trigger]') !== null;
}
