import type { ReactNode, Ref } from 'react';
import { mergeProps } from 'react-aria/mergeProps';
import { useButton, type AriaButtonProps } from 'react-aria/useButton';
import { useFocusRing } from 'react-aria/useFocusRing';
import { useObjectRef } from 'react-aria/useObjectRef';
import styles from './Button.module.css';
import { Icon } from '../display/Icon';
import type { IconName } from '../display/icon-paths';

/**
 * `primary` is the one main action of a screen; `line` a secondary one; `quiet` cancels or closes; `light` continues;
 * `danger` removes something.
 */
export type ButtonVariant = 'primary' | 'line' | 'quiet' | 'light' | 'danger';

interface Props extends Omit<AriaButtonProps<'button'>, 'children' | 'elementType' | 'href' | 'target' | 'rel'> {
  readonly variant?: ButtonVariant;
  readonly icon?: IconName;
  /** Omit only with `aria-label` (back, close). */
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

/**
 * Button of at least 48 px (64 px in the deck theme). Made of hooks: the button of `react-aria-components` brings
 * announcements and slots that none here needs, and every first load has a button.
 */
export function Button({ variant = 'line', icon, children, ref: givenRef, ...rest }: Props) {
  const ref = useObjectRef(givenRef);
  const { buttonProps, isPressed } = useButton(rest, ref);
  const { focusProps, isFocusVisible } = useFocusRing(rest);
  return (
    <button
      {...mergeProps(buttonProps, focusProps)}
      ref={ref}
      className={[styles.button, styles[variant], children === undefined ? styles.square : ''].join(' ')}
      data-pressed={isPressed || undefined}
      data-disabled={rest.isDisabled === true || undefined}
      data-focus-visible={isFocusVisible || undefined}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}
