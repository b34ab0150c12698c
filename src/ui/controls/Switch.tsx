import { Switch as AriaSwitch } from 'react-aria-components';
import styles from './Switch.module.css';

interface Props {
  readonly label: string;
  readonly help?: string | undefined;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
}

/** Takes effect at once; a tick marks on, never colour alone. */
export function Switch({ label, help, isOn, onChange, isDisabled = false }: Props) {
  return (
    <AriaSwitch isSelected={isOn} onChange={onChange} isDisabled={isDisabled} className={styles.switch ?? ''}>
      <span className={styles.words}>
        {label}
        {help !== undefined && <span className={styles.help}>{help}</span>}
      </span>
      <span className={styles.track}>
        <span className={styles.knob} />
      </span>
    </AriaSwitch>
  );
}
