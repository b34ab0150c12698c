import { Button, Label, ListBox, ListBoxItem, Popover, Select as AriaSelect, SelectValue } from 'react-aria-components';
import field from './Field.module.css';
import { FieldHelp } from './FieldHelp';
import { Icon } from '../display/Icon';
import list from './ListPop.module.css';
import styles from './Select.module.css';

interface Props<T extends string> {
  readonly label: string;
  /** Named for screen readers alone: the options say enough. */
  readonly isLabelHidden?: boolean;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T | null;
  readonly onChange: (value: T) => void;
  readonly placeholder?: string | undefined;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
}

export function Select<T extends string>({
  label,
  isLabelHidden = false,
  options,
  value,
  onChange,
  placeholder = 'Choose',
  help,
  error,
  isDisabled = false,
}: Props<T>) {
  return (
    <AriaSelect
      value={value}
      onChange={(key) => {
        const option = options.find((each) => each.value === key);
        if (option !== undefined) onChange(option.value);
      }}
      placeholder={placeholder}
      isInvalid={error !== undefined}
      isDisabled={isDisabled}
      validationBehavior="aria"
      className={field.field ?? ''}
    >
      {/* Its text is in the page: an `aria-label` would hide the chosen value from those who speak what they read. */}
      <Label className={(isLabelHidden ? field.heard : field.label) ?? ''}>{label}</Label>
      <Button className={`${field.input} ${styles.button}`}>
        <SelectValue className={styles.value ?? ''} />
        <Icon name="down" />
      </Button>
      <FieldHelp help={help} error={error} />
      <Popover className={list.pop ?? ''} offset={4}>
        <ListBox className={list.list ?? ''} items={options.map(({ value: id, label }) => ({ id, word: label }))}>
          {({ id, word: label }) => (
            <ListBoxItem id={id} textValue={label} className={list.item ?? ''}>
              {({ isSelected }) => (
                <>
                  <span className={list.words}>{label}</span>
                  {isSelected && <Icon name="check" />}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
