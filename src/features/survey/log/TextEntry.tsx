import { useState } from 'react';
import { TextArea } from '../../../ui/controls/TextArea';
import { TextField } from '../../../ui/controls/TextField';

interface Props {
  readonly label: string;
  /** As it is written, or entered and faulty. */
  readonly value: string;
  readonly onEnter: (text: string) => void;
  /** The person left the field. */
  readonly onLeave: () => void;
  readonly maxLength: number;
  readonly help?: string;
  readonly error?: string | undefined;
  readonly lines?: number;
}

/** A line (or some) of text that is told with every letter. While the person is in it, it shows what they type and nothing else. */
export function TextEntry({ label, value, onEnter, onLeave, maxLength, help, error, lines }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const field = {
    label,
    maxLength,
    error,
    value: typed ?? value,
    ...(help === undefined ? {} : { help }),
    onFocus: () => setTyped(value),
    onChange: (text: string) => {
      setTyped(text);
      onEnter(text);
    },
    onBlur: () => {
      setTyped(null);
      onLeave();
    },
  };
  return lines === undefined ? <TextField {...field} /> : <TextArea {...field} rows={lines} />;
}
