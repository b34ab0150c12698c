import { useState } from 'react';
import { formatCount, pluralize } from '../../../base/plural';
import type { ImageRepository, PhotographView } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { Button } from '../../../ui/controls/Button';
import styles from './CameraClock.module.css';

interface Props {
  readonly images: ImageRepository;
  readonly surveyId: SurveyId;
  readonly photographs: readonly PhotographView[];
}

type State =
  { readonly status: 'idle' } | { readonly status: 'placing' } | { readonly status: 'done'; readonly text: string };

/** Places photographs by the vessel's track. */
export function TrackPlacement({ images, surveyId, photographs }: Props) {
  const [state, setState] = useState<State>({ status: 'idle' });
  const without = photographs.reduce((n, { position }) => (position === null ? n + 1 : n), 0);
  const unset = photographs.reduce(
    (n, { position, taken }) => (position === null && taken.utc === null && taken.camera !== null ? n + 1 : n),
    0,
  );
  const timeless = photographs.reduce(
    (n, { position, taken }) => (position === null && taken.camera === null ? n + 1 : n),
    0,
  );
  if (without === 0 && state.status !== 'done') return null;

  async function place(): Promise<void> {
    setState({ status: 'placing' });
    try {
      const { placed, without: remaining } = await images.placeFromTrack(surveyId);
      setState({ status: 'done', text: placedText(placed, remaining) });
    } catch (error) {
      setState({
        status: 'done',
        text: `No position was set. ${error instanceof Error ? error.message : String(error)}`,
      });
    }
  }

  return (
    <section className={styles.card} aria-label="Positions">
      <div className={styles.head}>
        <h2>Positions</h2>
        <span>{without === 0 ? 'all placed' : `${without.toLocaleString('en')} without`}</span>
      </div>
      <p role="status">{state.status === 'done' ? state.text : trackText(without, unset, timeless)}</p>
      {without > timeless + unset && (
        <Button icon="pin" isDisabled={state.status === 'placing'} onPress={() => void place()}>
          {state.status === 'placing' ? 'Placing' : 'Place from the track'}
        </Button>
      )}
    </section>
  );
}

function trackText(without: number, unset: number, timeless: number): string {
  if (timeless === without)
    return `${pluralize(without, 'Its file has', 'Their files have')} no time, so the vessel’s track cannot place ${pluralize(without, 'it', 'them')}.`;
  if (unset > 0) return `${formatCount(unset, 'photograph')} can be placed once the camera clock is set.`;
  return 'The box knows where the vessel was when they were taken.';
}

function placedText(placed: number, without: number): string {
  const done =
    placed === 0 ? 'None could be placed' : `${formatCount(placed, 'photograph')} placed where the vessel was`;
  return without === 0
    ? `${done}.`
    : `${done}; for ${without.toLocaleString('en')}, the track has no position at the time they were taken.`;
}
