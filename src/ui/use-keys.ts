import { useEffect, useRef } from 'react';
import { keyName, KeyRing, type KeyMap, type KeyPlace } from './keys';

/** The page's own. */
export const keyRing = new KeyRing();

const OFF = 'single-keys';

/** Whether single keys work on this tablet: who talks to the computer turns them off (WCAG 2.1.4). */
export function singleKeysOn(): boolean {
  return localStorage.getItem(OFF) !== 'off';
}

/** Keeps the choice on this tablet. The key of the help sheet goes on working. */
export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, 'off');
}

/**
 * Single-key shortcuts while the component stands. They rest while somebody types, while a list is open or a dialog covers the
 * page (but those with `place: 'dialog'`), and where a control has taken the key. The help sheet on `?` shows them.
 */
export function useKeys(
  map: KeyMap,
  { enabled = true, place = 'page' }: { readonly enabled?: boolean; readonly place?: KeyPlace } = {},
): void {
  const latest = useRef(map);
  useEffect(() => {
    latest.current = map;
  });
  useEffect(() => {
    if (!enabled) return undefined;
    listen();
    return keyRing.add(() => latest.current, place);
  }, [enabled, place]);
}

let listening = false;

function listen(): void {
  if (listening) return;
  listening = true;
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || isTyping(event.target)) return;
    const name = keyName(event);
    if (name === null || (name !== '?' && !singleKeysOn())) return;
    const doing = keyRing.find(name, isCovered());
    if (doing === undefined) return;
    event.preventDefault();
    doing.run(event);
  });
}

/** Where keys belong to a field: text, parts of a date, lists. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.closest(
      'input:not([type="checkbox"], [type="radio"], [type="file"]), textarea, select, [role="spinbutton"], [role="combobox"], [role="listbox"], [role="menu"]',
    ) !== null
  );
}

/** Whether a dialog or an open list lies over the page. */
function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"], [data-trigger]') !== null;
}
