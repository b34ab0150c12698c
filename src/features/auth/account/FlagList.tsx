import { formatCount } from '../../../base/plural';
import { Disclosure } from '../../../ui/controls/Disclosure';
import { Switch } from '../../../ui/controls/Switch';
import { persistedStore, useFlag, useFlagNames } from '../../shell';
import styles from './YouPage.module.css';

/** Feature flags that addresses set on this tablet (1§2), to see and to switch. */
export function FlagList() {
  const names = useFlagNames();
  return (
    <Disclosure title="Feature flags" detail={names.length === 0 ? 'none' : formatCount(names.length, 'flag')}>
      <p className={styles.help}>
        A link with <code>featureFlagsOn</code> or <code>featureFlagsOff</code> sets them, for trials of what is not
        ready for everyone. They stay on this tablet.
      </p>
      {names.map((name) => (
        <Flag key={name} name={name} />
      ))}
    </Disclosure>
  );
}

function Flag({ name }: { readonly name: string }) {
  const isOn = useFlag(name);
  return (
    <Switch
      label={name}
      isOn={isOn}
      onChange={(on) => persistedStore.readUrl(undefined, { [on ? 'featureFlagsOn' : 'featureFlagsOff']: name })}
    />
  );
}
