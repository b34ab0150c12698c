import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';
import styles from './Button.module.css';
import { Icon } from '../display/Icon';
import type { IconName } from '../display/icon-paths';

/**
 * `primary` is the one main action of a screen; `line` a secondary one; `quiet` cancels or closes; `light` continues;
 * `danger` removes something.
 */
export type ButtonVariant = 'primary' | 'line' | 'quiet' | 'light' | 'danger';

interface Props extends Omit<ButtonProps, 'children' | 'className' | 'style'> {
  readonly variant?: ButtonVariant;
  readonly icon?: IconName;
  /** Omit only with `aria-label` (back, close). */
  readonly children?: ReactNode;
}

/** Button of at least 48 px (64 px in the deck theme). */
export function Button({ variant = 'line', icon, children, ...rest }: Props) {
  return (
    <AriaButton
      {...rest}
      className={[styles.button, styles[variant], children === undefined ? styles.square : ''].join(' ')}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </AriaButton>
  );
}
