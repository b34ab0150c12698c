import { TextField } from '../../ui/controls/TextField';

interface Name {
  readonly first: string;
  readonly last: string;
}

interface Props {
  readonly value: Name;
  readonly onChange: (name: Name) => void;
  readonly error?: string | undefined;
  readonly autoFocus?: boolean;
}

/** First and last name; lay them out side by side. */
export function NameFields({ value, onChange, error, autoFocus = false }: Props) {
  return (
    <>
      <TextField
        label="First name"
        name="first"
        autoComplete="given-name"
        autoFocus={autoFocus}
        value={value.first}
        onChange={(first) => onChange({ ...value, first })}
        refused={error}
      />
      <TextField
        label="Last name"
        name="last"
        autoComplete="family-name"
        value={value.last}
        onChange={(last) => onChange({ ...value, last })}
      />
    </>
  );
}
