import { useState, type ReactNode } from 'react';
import { ComboBox, Group, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import field from './Field.module.css';
import { FieldHelp } from './FieldHelp';
import list from './ListPop.module.css';

/** `detail` distinguishes equal names. */
export interface ComboItem {
  readonly id: string;
  readonly name: string;
  readonly detail?: string | undefined;
}

interface Props {
  readonly label: string;
  /** Best first, at most a few dozen. */
  readonly items: readonly ComboItem[];
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onPick: (id: string) => void;
  /** Shown if nothing matches. */
  readonly empty: string;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly isDisabled?: boolean;
  /** Icon or small button at the end. */
  readonly end?: ReactNode;
}

/** Text with suggestions; typed text stays if nothing is picked. */
export function Combo({
  label,
  items,
  text,
  onText,
  onPick,
  empty,
  help,
  error,
  placeholder,
  isDisabled = false,
  end,
}: Props) {
  // The list closes on its selected item, which the text alone does not reveal.
  const [picked, setPicked] = useState<string | null>(null);
  return (
    <ComboBox
      items={items}
      inputValue={text}
      onInputChange={(typed) => {
        if (typed === text) return;
        setPicked(null);
        onText(typed);
      }}
      value={picked}
      onChange={(id) => {
        if (typeof id !== 'string') return;
        setPicked(id);
        onPick(id);
      }}
      allowsCustomValue
      allowsEmptyCollection={text.trim() !== ''}
      // After a pick neither the text nor the focus may reopen the list; typing does.
      menuTrigger={picked === null ? 'focus' : 'manual'}
      isInvalid={error !== undefined}
      isDisabled={isDisabled}
      validationBehavior="aria"
      className={field.field ?? ''}
    >
      <Label className={field.label ?? ''}>{label}</Label>
      <Group className={`${field.input} ${field.row}`}>
        <Input {...(placeholder === undefined ? {} : { placeholder })} />
        {end}
      </Group>
      <FieldHelp help={help} error={error} />
      <Popover className={list.pop ?? ''} offset={4}>
        <ListBox<ComboItem> className={list.list ?? ''} renderEmptyState={() => <p className={list.empty}>{empty}</p>}>
          {(item) => (
            <ListBoxItem id={item.id} textValue={item.name} className={list.item ?? ''}>
              <span className={list.words}>
                <Text slot="label">{item.name}</Text>
                {item.detail !== undefined && (
                  <Text slot="description" className={list.detail ?? ''}>
                    {item.detail}
                  </Text>
                )}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
