import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { TextField } from '../../../ui/controls/TextField';
import type { AuthProblem } from '../auth-text';

interface Props {
  readonly sentTo: string;
  readonly value: string;
  readonly onChange: (code: string) => void;
  readonly problem: AuthProblem | null;
}

/** Field for a mailed code, with the address it was sent to. */
export function CodeField({ sentTo, value, onChange, problem }: Props) {
  return (
    <>
      <p role="status">{ANALYSIS_MESSAGES.codeSent(sentTo)}</p>
      <TextField
        label="Verification code"
        name="code"
        code
        autoComplete="one-time-code"
        inputMode="numeric"
        autoFocus
        value={value}
        onChange={(typed) => onChange(digitsOf(typed))}
        refused={problem?.field === 'code' ? problem.text : undefined}
      />
    </>
  );
}

/** "One-time code is numeric" (2§5); mails show it in groups. */
function digitsOf(typed: string): string {
  return typed.replace(/[^\d ]/g, '');
}
