import type { ReactNode } from 'react';
import type { LayerKey } from '../../../domain/region/region';
import type { RegionMeta } from '../../../domain/results/region-meta';
import { Switch } from '../../../ui/controls/Switch';
import { isPriority, type ReferenceLayer } from '../address/report-address';
import { isEmptyReference, LAYER_NAMES, NO_LAYER_DATA, REFERENCE_NAMES, REFERENCE_TEXT } from './layer-text';
import list from './list.module.css';
import styles from './layers.module.css';

interface Props {
  /** Layers of the dataset. */
  readonly offered: readonly LayerKey[];
  readonly layers: readonly LayerKey[];
  readonly offeredReference: readonly ReferenceLayer[];
  readonly reference: readonly ReferenceLayer[];
  readonly meta: RegionMeta | null;
  readonly onReference: (layers: readonly ReferenceLayer[]) => void;
  readonly onLayers: (layers: readonly LayerKey[]) => void;
  readonly takeAlong: ReactNode;
}

/** 3§2 "Settings tab": toggles of the layers that the region offers for the dataset, and of reference layers. */
export function SettingsTab(props: Props) {
  const { offered, layers, offeredReference, reference, meta, onLayers, onReference, takeAlong } = props;
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
                help={meta?.withoutData.includes(key) === true ? NO_LAYER_DATA : undefined}
                isOn={layers.includes(key)}
                onChange={(isOn) => toggle(key, isOn)}
              />
            ))}
          </section>
        ),
      )}
      <section className={styles.group} aria-label="Reference Layers">
        <h2>Reference Layers</h2>
        {offeredReference.map((key) => (
          <Switch
            key={key}
            label={REFERENCE_NAMES[key]}
            help={isEmptyReference(meta, key) ? NO_LAYER_DATA : REFERENCE_TEXT[key]}
            isOn={reference.includes(key)}
            onChange={(isOn) =>
              onReference(offeredReference.filter((one) => (one === key ? isOn : reference.includes(one))))
            }
          />
        ))}
      </section>
      {takeAlong !== null && (
        <section className={styles.group} aria-label="Offline">
          <h2>Offline</h2>
          {takeAlong}
        </section>
      )}
    </div>
  );
}
