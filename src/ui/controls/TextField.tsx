import { Input, Label, TextField as AriaTextField, type TextFieldProps } from 'react-aria-components';
import styles from './Field.module.css';
import { FieldHelp } from './FieldHelp';

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label: string;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  /** For codes: tabular figures, widely spaced. */
  readonly code?: boolean;
}

export function TextField({ label, help, error, code = false, ...rest }: Props) {
  return (
    <AriaTextField {...rest} isInvalid={error !== undefined} validationBehavior="aria" className={styles.field ?? ''}>
      <Label className={styles.label ?? ''}>{label}</Label>
      <Input className={`${styles.input} ${code ? styles.code : ''}`} />
      <FieldHelp help={help} error={error} />
    </AriaTextField>
  );
}
