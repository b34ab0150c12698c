import { useSyncExternalStore } from 'react';
import { Disclosure } from '../../ui/controls/Disclosure';
import { Switch } from '../../ui/controls/Switch';
import styles from './ArrivalSignalSettings.module.css';
import { setArrivalSignals, arrivalSignals, onArrivalSignalsChange, playSignal } from './arrival-signals';

export function ArrivalSignalSettings() {
  const { sound, tick, buzz } = useSyncExternalStore(onArrivalSignalsChange, arrivalSignals);
  return (
    <section className={styles.card} aria-label="Sounds">
      <Disclosure title="When something arrives" detail={sound ? 'a soft tone for each survey' : 'no tone'} level={2}>
        <Switch
          label="A tone when a survey is on the box"
          isOn={sound}
          onChange={(on) => {
            setArrivalSignals({ sound: on });
            if (on) playSignal('survey');
          }}
        />
        <Switch
          label="A tick for each photograph"
          isOn={tick}
          onChange={(on) => {
            setArrivalSignals({ tick: on });
            if (on) playSignal('tick');
          }}
        />
        <Switch
          label="A short buzz"
          help="On tablets and phones that can vibrate."
          isOn={buzz}
          onChange={(on) => setArrivalSignals({ buzz: on })}
        />
      </Disclosure>
    </section>
  );
}
