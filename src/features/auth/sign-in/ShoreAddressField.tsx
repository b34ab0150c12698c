import { TextField } from '../../../ui/controls/TextField';
import type { AuthProblem } from '../auth-text';

interface Props {
  readonly value: string;
  readonly onChange: (address: string) => void;
  readonly problem: AuthProblem | null;
}

/** Cloud address field, shown only if this tablet does not know it. */
export function ShoreAddressField({ value, onChange, problem }: Props) {
  return (
    <TextField
      label="Address of the shore"
      name="shore"
      inputMode="url"
      value={value}
      onChange={onChange}
      error={problem?.field === 'address' ? problem.text : undefined}
      help="A box that knows the address fills it in automatically."
    />
  );
}
