import type { ReactNode } from 'react';
import type { LayerKey } from '../../../domain/region/region';
import type { RegionMeta } from '../../../domain/results/region-meta';
import { Switch } from '../../../ui/controls/Switch';
import { isPriority } from '../address/report-address';
import { LAYER_NAMES } from './layer-text';
import list from './list.module.css';
import styles from './layers.module.css';

interface Props {
  /** Layers of the dataset. */
  readonly offered: readonly LayerKey[];
  readonly layers: readonly LayerKey[];
  readonly meta: RegionMeta | null;
  readonly onLayers: (layers: readonly LayerKey[]) => void;
  readonly takeAlong: ReactNode;
}

/** 3§2 "Settings tab": toggles of the layers that the region offers for the dataset. */
export function SettingsTab({ offered, layers, meta, onLayers, takeAlong }: Props) {
  const groups = [
    { title: 'Map Layers', keys: offered.filter((key) => !isPriority(key)) },
    { title: 'Priority Layers', keys: offered.filter(isPriority) },
  ];
  const toggle = (key: LayerKey, isOn: boolean): void => {
    onLayers(isOn ? offered.filter((one) => one === key || layers.includes(one)) : layers.filter((one) => one !== key));
  };
  return (
    <div className={list.pane}>
      {groups.map(({ title, keys }) =>
        keys.length === 0 ? null : (
          <section key={title} className={styles.group} aria-label={title}>
            <h2>{title}</h2>
            {keys.map((key) => (
              <Switch
                key={key}
                label={LAYER_NAMES[key]}
                help={meta?.withoutData.includes(key) === true ? 'No data for this layer yet.' : undefined}
                isOn={layers.includes(key)}
                onChange={(isOn) => toggle(key, isOn)}
              />
            ))}
          </section>
        ),
      )}
      {takeAlong !== null && (
        <section className={styles.group} aria-label="Offline">
          <h2>Offline</h2>
          {takeAlong}
        </section>
      )}
    </div>
  );
}
