import { useState } from 'react';
import { formatCount, pluralize } from '../../../base/plural';
import type { ImageRepository, PhotographView, PlacedFromTrack, Repositories } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import type { GeoPoint } from '../../../domain/position/geo-point';
import { Button } from '../../../ui/controls/Button';
import { useObservable } from '../../shell';
import styles from './CameraClock.module.css';

interface Props {
  readonly images: ImageRepository;
  readonly surveyId: SurveyId;
  readonly photographs: readonly PhotographView[];
  /** Position of the dive; undefined if none is entered. */
  readonly dive: GeoPoint | undefined;
  readonly edge: Repositories['edge'];
}

type State =
  { readonly status: 'idle' } | { readonly status: 'placing' } | { readonly status: 'done'; readonly text: string };

/** Places photographs where the dive was or, if a box has GPS, by the vessel's track. */
export function TrackPlacement({ images, surveyId, photographs, dive, edge }: Props) {
  const meta = useObservable(edge.answers.meta).items[0];
  const hasGps = meta?.gps !== undefined && meta.gps !== 'none';
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

  async function place(from: 'track' | 'dive'): Promise<void> {
    setState({ status: 'placing' });
    try {
      const result = await (from === 'track' ? images.placeFromTrack(surveyId) : images.placeAtDive(surveyId));
      setState({ status: 'done', text: placedText(result, from) });
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
      <p role="status">
        {state.status === 'done'
          ? state.text
          : positionsText({ without, unset, timeless, hasDive: dive !== undefined, hasGps })}
      </p>
      {hasGps && without > timeless + unset && (
        <Button icon="pin" isDisabled={state.status === 'placing'} onPress={() => void place('track')}>
          {state.status === 'placing' ? 'Placing' : 'Place from the track'}
        </Button>
      )}
      {dive !== undefined && without > 0 && (
        <Button icon="pin" isDisabled={state.status === 'placing'} onPress={() => void place('dive')}>
          {`Use it for all ${without.toLocaleString('en')}`}
        </Button>
      )}
    </section>
  );
}

/** Counts of photographs without a position, and what could give them one. */
interface Unplaced {
  readonly without: number;
  /** With a camera time whose clock is not set. */
  readonly unset: number;
  /** Without a camera time. */
  readonly timeless: number;
  readonly hasDive: boolean;
  readonly hasGps: boolean;
}

export function positionsText({ without, unset, timeless, hasDive, hasGps }: Unplaced): string {
  const parts: string[] = [];
  if (hasGps && timeless === without)
    parts.push(
      `${pluralize(without, 'Its file has', 'Their files have')} no time, so the vessel’s track cannot place ${pluralize(without, 'it', 'them')}.`,
    );
  else if (hasGps && unset > 0)
    parts.push(`${formatCount(unset, 'photograph')} can be placed by the track once the camera clock is set.`);
  else if (hasGps) parts.push('The box knows where the vessel was when they were taken.');
  parts.push(
    hasDive
      ? 'The dive has a position.'
      : `Enter the position of the dive under “Place, camera and more” to use it for ${pluralize(without, 'it', 'all')}.`,
  );
  return parts.join(' ');
}

/** Result of placing, as a sentence. */
export function placedText({ placed, without, isTrackUnread }: PlacedFromTrack, from: 'track' | 'dive'): string {
  const where = from === 'track' ? 'where the vessel was' : 'where the dive was';
  const done = placed === 0 ? 'None could be placed' : `${formatCount(placed, 'photograph')} placed ${where}`;
  if (without === 0) return `${done}.`;
  const rest = `for ${without.toLocaleString('en')}`;
  return isTrackUnread === true
    ? `${done}; ${rest}, the box’s track could not be read. Try again once the box is connected.`
    : `${done}; ${rest}, the track has no position at the time they were taken.`;
}
