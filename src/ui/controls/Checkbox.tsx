import { Checkbox as AriaCheckbox } from 'react-aria-components';
import styles from './Checkbox.module.css';
import { Icon } from '../display/Icon';

interface Props {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
}

export function Checkbox({ label, isOn, onChange, isDisabled = false }: Props) {
  return (
    <AriaCheckbox isSelected={isOn} onChange={onChange} isDisabled={isDisabled} className={styles.box ?? ''}>
      <span className={styles.mark} aria-hidden="true">
        <Icon name="check" />
      </span>
      {label}
    </AriaCheckbox>
  );
}
