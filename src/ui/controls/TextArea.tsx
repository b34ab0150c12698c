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
  /** What is wrong and what to do; marks the field. */
  readonly error?: string | undefined;
  /** Lines that stand open at first; the person may pull it longer. */
  readonly rows?: number;
}

/** A labelled field for several lines of text. */
export function TextArea({ label, help, error, rows = 3, ...rest }: Props) {
  return (
    <AriaTextField {...rest} isInvalid={error !== undefined} validationBehavior="aria" className={styles.field ?? ''}>
      <Label className={styles.label ?? ''}>{label}</Label>
      <AriaTextArea rows={rows} className={`${styles.input} ${styles.area}`} />
      <FieldHelp help={help} error={error} />
    </AriaTextField>
  );
}
