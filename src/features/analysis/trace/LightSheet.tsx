import { Slider, SliderThumb, SliderTrack, Label, SliderOutput } from 'react-aria-components';
import { Button } from '../../../ui/Button';
import { Segmented } from '../../../ui/Segmented';
import { Switch } from '../../../ui/Switch';
import type { PictureLight } from '../viewer/viewer.types';
import { chooseHand, useHand } from './hand';
import styles from './LightSheet.module.css';

export const PLAIN_LIGHT: PictureLight = { brightness: 1, contrast: 1, isCorrected: false };

interface Props {
  readonly light: PictureLight;
  readonly onLight: (light: PictureLight) => void;
  readonly areMarksHidden: boolean;
  readonly onHide: (hidden: boolean) => void;
  readonly onRotate: () => void;
  readonly onClose: () => void;
}

/** How the picture is shown, beside the picture so that it is seen at once; none of it changes the picture, nor what is counted. */
export function LightSheet({ light, onLight, areMarksHidden, onHide, onRotate, onClose }: Props) {
  const hand = useHand();
  return (
    <section
      className={styles.sheet}
      aria-label="How it is shown"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
    >
      <h2>How it is shown</h2>
      <Level label="Brightness" value={light.brightness} onChange={(brightness) => onLight({ ...light, brightness })} />
      <Level label="Contrast" value={light.contrast} onChange={(contrast) => onLight({ ...light, contrast })} />
      <Switch label="Correct the colours" help="Gives back the red that water takes." isOn={light.isCorrected} onChange={(isCorrected) => onLight({ ...light, isCorrected })} />
      <Switch label="Hide my marks" help="They stay where they are." isOn={areMarksHidden} onChange={onHide} />
      <Segmented
        label="Tools for the"
        options={[
          { value: 'right', word: 'Left thumb' },
          { value: 'left', word: 'Right thumb' },
        ]}
        value={hand}
        onChange={chooseHand}
        help="The pen is in the other hand."
      />
      <span className={styles.actions}>
        <Button icon="redo" onPress={onRotate}>
          Rotate
        </Button>
        <Button onPress={() => onLight(PLAIN_LIGHT)}>As taken</Button>
        <Button look="primary" autoFocus onPress={onClose}>
          Done
        </Button>
      </span>
    </section>
  );
}

function Level({ label, value, onChange }: { readonly label: string; readonly value: number; readonly onChange: (value: number) => void }) {
  return (
    <Slider className={styles.level ?? ''} minValue={0.5} maxValue={2} step={0.05} value={value} onChange={onChange} formatOptions={{ style: 'percent' }}>
      <Label>{label}</Label>
      <SliderOutput className={styles.value ?? ''} />
      <SliderTrack className={styles.track ?? ''}>
        <SliderThumb className={styles.thumb ?? ''} />
      </SliderTrack>
    </Slider>
  );
}
