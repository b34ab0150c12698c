import { useSyncExternalStore } from 'react';
import { Disclosure } from '../../ui/Disclosure';
import { Switch } from '../../ui/Switch';
import styles from './SignalSettings.module.css';
import { chooseSignals, chosenSignals, onSignalsChange, signal } from './signals';

/** How this tablet makes itself noticed. */
export function SignalSettings() {
  const { sound, tick, buzz } = useSyncExternalStore(onSignalsChange, chosenSignals);
  return (
    <section className={styles.card} aria-label="Sounds">
      <Disclosure title="When something arrives" detail={sound ? 'a soft tone for each survey' : 'no tone'} level={2}>
        <Switch
          label="A tone when a survey is on the box"
          isOn={sound}
          onChange={(on) => {
            chooseSignals({ sound: on });
            if (on) signal('survey');
          }}
        />
        <Switch
          label="A tick for each photograph"
          isOn={tick}
          onChange={(on) => {
            chooseSignals({ tick: on });
            if (on) signal('tick');
          }}
        />
        <Switch
          label="A short buzz"
          help="On tablets and phones that can."
          isOn={buzz}
          onChange={(on) => chooseSignals({ buzz: on })}
        />
      </Disclosure>
    </section>
  );
}
