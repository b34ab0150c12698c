import { useState } from 'react';
import { Input, Label, TextField as AriaTextField, type TextFieldProps } from 'react-aria-components';
import styles from './Field.module.css';
import { FieldHelp } from './FieldHelp';

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label: string;
  readonly help?: string | undefined;
  /** Error of the value as it is now. */
  readonly error?: string | undefined;
  /** Error that an attempt with the value found; gone once the value changes. */
  readonly refused?: string | undefined;
  /** For codes: tabular figures, widely spaced. */
  readonly code?: boolean;
}

export function TextField({ label, help, error: current, refused, code = false, ...rest }: Props) {
  const error = useRefusal(refused, rest.value) ?? current;
  return (
    <AriaTextField {...rest} isInvalid={error !== undefined} validationBehavior="aria" className={styles.field ?? ''}>
      <Label className={styles.label ?? ''}>{label}</Label>
      <Input className={`${styles.input} ${code ? styles.code : ''}`} />
      <FieldHelp help={help} error={error} />
    </AriaTextField>
  );
}

/** Refusal of the value that was attempted; undefined for any other. */
function useRefusal(refused: string | undefined, value: string | undefined): string | undefined {
  const [attempt, setAttempt] = useState({ refused, value });
  if (attempt.refused !== refused) setAttempt({ refused, value });
  return attempt.refused === refused && attempt.value !== value ? undefined : refused;
}
