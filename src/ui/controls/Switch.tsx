import { Switch as AriaSwitch } from 'react-aria-components';
import styles from './Switch.module.css';

interface Props {
  readonly label: string;
  /** A quiet line below the label. */
  readonly help?: string | undefined;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly isDisabled?: boolean;
}

/** A setting that is on or off and works at once; a tick says on, so that colour is not the only sign. */
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
