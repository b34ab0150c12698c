import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Button, type ButtonVariant } from './Button';
import { Icon } from '../display/Icon';
import type { IconName } from '../display/icon-paths';
import list from './ListPop.module.css';

interface Props<T extends string> {
  /** With `compact` only the accessible name. */
  readonly label: string;
  readonly items: readonly {
    readonly id: T;
    readonly label: string;
    readonly icon?: IconName;
    readonly isDisabled?: boolean;
  }[];
  readonly onPick: (id: T) => void;
  readonly icon?: IconName;
  readonly variant?: ButtonVariant;
  /** Square icon button (three dots by default). */
  readonly compact?: boolean;
}

export function Menu<T extends string>({ label, items, onPick, icon, variant = 'line', compact = false }: Props<T>) {
  return (
    <MenuTrigger>
      {compact ? (
        <Button variant={variant} icon={icon ?? 'more'} aria-label={label} />
      ) : (
        <Button variant={variant} icon={icon ?? 'down'}>
          {label}
        </Button>
      )}
      <Popover className={list.pop ?? ''} offset={4}>
        <AriaMenu
          className={list.list ?? ''}
          onAction={(key) => {
            const item = items.find(({ id }) => id === key);
            if (item !== undefined) onPick(item.id);
          }}
        >
          {items.map((item) => (
            <MenuItem
              key={item.id}
              id={item.id}
              textValue={item.label}
              isDisabled={item.isDisabled ?? false}
              className={list.item ?? ''}
            >
              {item.icon !== undefined && <Icon name={item.icon} />}
              <span className={list.words}>{item.label}</span>
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
