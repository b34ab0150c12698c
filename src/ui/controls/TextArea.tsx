import {
  Label,
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  type TextFieldProps,
} from 'react-aria-components';
import styles from './Field.module.css';
import { FieldHelp } from './FieldHelp';

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label: string;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
  readonly rows?: number;
}

export function TextArea({ label, help, error, rows = 3, ...rest }: Props) {
  return (
    <AriaTextField {...rest} isInvalid={error !== undefined} validationBehavior="aria" className={styles.field ?? ''}>
      <Label className={styles.label ?? ''}>{label}</Label>
      <AriaTextArea rows={rows} className={`${styles.input} ${styles.area}`} />
      <FieldHelp help={help} error={error} />
    </AriaTextField>
  );
}
