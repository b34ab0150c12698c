import { FieldError, Input, Label, Text, TextField as AriaTextField, type TextFieldProps } from 'react-aria-components';
import { Icon } from './Icon';
import styles from './TextField.module.css';

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label: string;
  readonly help?: string;
  /** What is wrong and what to do; marks the field. */
  readonly error?: string | undefined;
  /** For codes: even figures, wide apart. */
  readonly code?: boolean;
}

/** A labelled line of text. */
export function TextField({ label, help, error, code = false, ...rest }: Props) {
  return (
    <AriaTextField {...rest} isInvalid={error !== undefined} validationBehavior="aria" className={styles.field ?? ''}>
      <Label className={styles.label ?? ''}>{label}</Label>
      <Input className={`${styles.input} ${code ? styles.code : ''}`} />
      {help !== undefined && error === undefined && (
        <Text slot="description" className={styles.help ?? ''}>
          {help}
        </Text>
      )}
      <FieldError className={`${styles.help} ${styles.bad}`}>
        <Icon name="alert" />
        <span>{error}</span>
      </FieldError>
    </AriaTextField>
  );
}
