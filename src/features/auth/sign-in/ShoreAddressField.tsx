import type { CloudFacts } from '../../../data/repositories';
import { TextField } from '../../../ui/controls/TextField';
import type { AuthProblem } from '../auth-text';

interface Props {
  readonly value: string;
  readonly onChange: (address: string) => void;
  readonly problem: AuthProblem | null;
  /** Address that a box names. It counts only if the person goes on with it. */
  readonly suggestion: CloudFacts['suggestion'];
}

/** Cloud address field, shown only if this tablet does not know it. */
export function ShoreAddressField({ value, onChange, problem, suggestion }: Props) {
  return (
    <TextField
      label="Address of the shore"
      name="shore"
      inputMode="url"
      value={value}
      onChange={onChange}
      error={problem?.field === 'address' ? problem.text : undefined}
      help={
        suggestion === null
          ? 'Staff of the census know it.'
          : `${suggestion.edge} suggests ${new URL(suggestion.origin).host}. Continue only if you know that address.`
      }
    />
  );
}
