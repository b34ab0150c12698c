import buttons from '../../ui/controls/Button.module.css';
import icons from '../../ui/display/Icon.module.css';
import { ICON_PATHS, type IconName } from '../../ui/display/icon-paths';

type Name = keyof HTMLElementTagNameMap;

/** Element with class and content; texts are never read as markup. */
export function element<N extends Name>(
  name: N,
  className: string | undefined,
  ...content: readonly (Node | string | null)[]
): HTMLElementTagNameMap[N] {
  const made = document.createElement(name);
  if (className !== undefined) made.className = className;
  made.append(...content.filter((one) => one !== null));
  return made;
}

/** Sets attributes, and returns the element. */
export function withAttributes<E extends Element>(made: E, attributes: Readonly<Record<string, string>>): E {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** Button that looks as the app's (`Button.tsx`) and waits for the app. */
export function waitingButton(text: string, variant: 'line' | 'quiet', icon: IconName | null = null): HTMLElement {
  const made = element('button', `${buttons.button} ${buttons[variant]}`, icon === null ? null : iconOf(icon), text);
  made.type = 'button';
  made.disabled = true;
  return made;
}

/** Icon as the app's (`Icon.tsx`). */
export function iconOf(name: IconName): SVGElement {
  const svg = (kind: string): Element => document.createElementNS('http://www.w3.org/2000/svg', kind);
  const made = withAttributes(svg('svg') as SVGElement, {
    class: icons.icon ?? '',
    viewBox: '0 0 24 24',
    'aria-hidden': 'true',
  });
  made.append(withAttributes(svg('path'), { d: ICON_PATHS[name] }));
  return made;
}
