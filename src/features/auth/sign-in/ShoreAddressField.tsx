import type { CloudFacts } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { TextField } from '../../../ui/controls/TextField';
import { NoWrap } from '../../../ui/display/NoWrap';
import type { AuthProblem } from '../auth-text';

interface Props {
  readonly value: string;
  readonly onChange: (address: string) => void;
  readonly problem: AuthProblem | null;
  /** Address that a box names. It counts only if the person goes on with it. */
  readonly suggestion: CloudFacts['suggestion'];
  /** True once the person wants to enter an address. */
  readonly isAsked: boolean;
  readonly onAsk: () => void;
}

/** Cloud address of a tablet that does not know it: what a box suggests, and a field for those who ask for it. */
export function ShoreAddressField({ value, onChange, problem, suggestion, isAsked, onAsk }: Props) {
  if (!isAsked && problem?.field !== 'address')
    return (
      <>
        <p>
          <NoWrap>
            {suggestion === null
              ? 'This tablet has not met the shore yet. A box tells it where the shore is.'
              : `${suggestion.edge} says the shore is ${new URL(suggestion.origin).host}. Continue only if you know that address.`}
          </NoWrap>
        </p>
        <Button variant="quiet" onPress={onAsk}>
          {suggestion === null ? 'Enter its address' : 'Enter another address'}
        </Button>
      </>
    );
  return (
    <TextField
      label="Address of the shore"
      name="shore"
      inputMode="url"
      value={value}
      onChange={onChange}
      refused={problem?.field === 'address' ? problem.text : undefined}
      help="Staff of the census know it."
    />
  );
}
