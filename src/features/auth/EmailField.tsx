import type { ComponentProps } from 'react';
import { TextField } from '../../ui/controls/TextField';

type Props = Omit<ComponentProps<typeof TextField>, 'label'> & { readonly label?: string };

export function EmailField({ label = 'Email', ...rest }: Props) {
  return <TextField label={label} name="email" type="email" autoComplete="email" inputMode="email" {...rest} />;
}
