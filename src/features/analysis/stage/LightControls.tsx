import { Slider, SliderThumb, SliderTrack, Label, SliderOutput } from 'react-aria-components';
import { Button } from '../../../ui/controls/Button';
import { Segmented } from '../../../ui/controls/Segmented';
import { Switch } from '../../../ui/controls/Switch';
import type { PictureLight, ViewState } from '../../picture-viewer';
import { setPenHand, usePenHand } from './pen-hand';
import styles from './LightControls.module.css';

export const PLAIN_LIGHT: PictureLight = { brightness: 1, contrast: 1, isCorrected: false };

/** Full size and decoded size (px) of a picture too large for this tablet. */
export interface ReducedSize extends Pick<ViewState, 'width' | 'height'> {
  readonly shownAt: NonNullable<ViewState['shownAt']>;
}

interface Props {
  readonly light: PictureLight;
  /** null: shown at its full size. */
  readonly reducedSize: ReducedSize | null;
  readonly onLight: (light: PictureLight) => void;
  readonly areMarksHidden: boolean;
  readonly onHide: (hidden: boolean) => void;
  readonly onRotate: () => void;
  readonly onClose: () => void;
}

/** Display controls, next to the picture so that their effect is visible; they change no counts. */
export function LightControls({ light, reducedSize, onLight, areMarksHidden, onHide, onRotate, onClose }: Props) {
  const hand = usePenHand();
  return (
    <section
      className={styles.sheet}
      aria-label="Display"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
    >
      <h2>Display</h2>
      {reducedSize !== null && <p>{reducedSizeText(reducedSize)}</p>}
      <Level label="Brightness" value={light.brightness} onChange={(brightness) => onLight({ ...light, brightness })} />
      <Level label="Contrast" value={light.contrast} onChange={(contrast) => onLight({ ...light, contrast })} />
      <Switch
        label="Correct colours"
        help="Restores the red that water absorbs."
        isOn={light.isCorrected}
        onChange={(isCorrected) => onLight({ ...light, isCorrected })}
      />
      <Switch label="Hide my marks" help="They stay where they are." isOn={areMarksHidden} onChange={onHide} />
      <Segmented
        label="Tools for the"
        options={[
          { value: 'right', label: 'Left thumb' },
          { value: 'left', label: 'Right thumb' },
        ]}
        value={hand}
        onChange={setPenHand}
        help="The pen is in the other hand."
      />
      <span className={styles.actions}>
        <Button icon="redo" onPress={onRotate}>
          Rotate
        </Button>
        <Button onPress={() => onLight(PLAIN_LIGHT)}>Reset</Button>
        <Button variant="primary" autoFocus onPress={onClose}>
          Done
        </Button>
      </span>
    </section>
  );
}

const formatPixels = ({ width, height }: { readonly width: number; readonly height: number }): string =>
  `${width.toLocaleString('en')} × ${height.toLocaleString('en')}`;

/** Explains that the picture is shown at a reduced size. */
export const reducedSizeText = ({ width, height, shownAt }: ReducedSize): string =>
  `The photograph has ${formatPixels({ width, height })} pixels; this tablet can show ${formatPixels(shownAt)} of them. What you paint counts the same.`;

function Level({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}) {
  return (
    <Slider
      className={styles.level ?? ''}
      minValue={0.5}
      maxValue={2}
      step={0.05}
      value={value}
      onChange={onChange}
      formatOptions={{ style: 'percent' }}
    >
      <Label>{label}</Label>
      <SliderOutput className={styles.value ?? ''} />
      <SliderTrack className={styles.track ?? ''}>
        <SliderThumb className={styles.thumb ?? ''} />
      </SliderTrack>
    </Slider>
  );
}
