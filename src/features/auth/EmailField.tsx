import type { ComponentProps } from 'react';
import { TextField } from '../../ui/controls/TextField';

type Props = Omit<ComponentProps<typeof TextField>, 'label' | 'refused'> & { readonly label?: string };

/** @param error of an attempt with the address */
export function EmailField({ label = 'Email', error, ...rest }: Props) {
  return (
    <TextField
      label={label}
      name="email"
      type="email"
      autoComplete="email"
      inputMode="email"
      refused={error}
      {...rest}
    />
  );
}
