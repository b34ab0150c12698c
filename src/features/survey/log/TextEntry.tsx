import { useState } from 'react';
import { TextArea } from '../../../ui/controls/TextArea';
import { TextField } from '../../../ui/controls/TextField';

interface Props {
  readonly label: string;
  /** Saved value, or a faulty entry. */
  readonly value: string;
  readonly onEnter: (text: string) => void;
  readonly onLeave: () => void;
  readonly maxLength: number;
  readonly help?: string;
  readonly error?: string | undefined;
  readonly lines?: number;
}

/** Text field that reports every change. While focused it shows what is typed. */
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
