import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { ReefRepository, RegionRepository, Repositories, SurveyRepository } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { LIMITS } from '../../../domain/limits';
import type { RegionId } from '../../../domain/region/region-id';
import { today } from '../../../domain/survey/day';
import {
  bandOf,
  checkEdits,
  closedRegionText,
  locationOf,
  type LogEdits,
  type ReefEntry,
} from '../../../domain/survey/log';
import { reefLabel } from '../../../domain/reef/reef-label';
import type { SurveyType } from '../../../domain/survey/survey';
import { Button } from '../../../ui/controls/Button';
import { DateField } from '../../../ui/controls/DateField';
import { Note } from '../../../ui/feedback/Note';
import { Segmented } from '../../../ui/controls/Segmented';
import { Select } from '../../../ui/controls/Select';
import { TimeField } from '../../../ui/controls/TimeField';
import { useObservable, useRegions } from '../../shell';
import { browserJournal } from '../log/draft-journal';
import styles from './NewSurveyForm.module.css';
import { ReefField } from '../log/ReefField';
import { closedRegionsText, openRegions } from '../log/region-options';

interface Props {
  readonly surveys: SurveyRepository;
  readonly edge: Repositories['edge'];
  readonly reefs: ReefRepository;
  readonly regions: RegionRepository;
  readonly region: RegionId;
  readonly onAdded: (id: SurveyId) => void;
  readonly onCancel: () => void;
}

type State =
  { readonly status: 'writing' } | { readonly status: 'saving' } | { readonly status: 'wrong'; readonly text: string };

/** New survey: place and day. An invalid day does not block creation; the log asks for it again. */
export function NewSurveyForm({ surveys, edge, reefs, regions, region, onAdded, onCancel }: Props) {
  const head = useRef<HTMLHeadingElement>(null);
  // Focuses the heading, as the opening button is gone. Not the first field, whose list would open.
  useEffect(() => head.current?.focus({ preventScroll: true }), []);
  const all = useRegions(regions);
  const open = openRegions(all);
  const [chosen, setRegion] = useState(region);
  // Staff may close a region, or open one, while the form is here.
  const regionId = open.some(({ value }) => value === chosen) ? chosen : null;
  const closedText = closedRegionText(all.find((each) => each.regionId === chosen));
  const [reef, setReef] = useState<ReefEntry>({ text: '', picked: null });
  const [date, setDate] = useState(() => today(new Date()));
  const [timeIn, setTimeIn] = useState<string | null>(null);
  const [type, setType] = useState<SurveyType | null>(null);
  const [state, setState] = useState<State>({ status: 'writing' });
  const fix = useObservable(edge.answers.gps).items[0];
  const { valid, faults } = checkEdits({ date, timeIn, reef }, today(new Date()));

  async function save(event: FormEvent) {
    event.preventDefault();
    if (valid.reef === undefined) {
      setState({ status: 'wrong', text: faults.reef ?? '' });
      return;
    }
    if (regionId === null) return;
    setState({ status: 'saving' });
    try {
      const band = bandOf(timeIn);
      const id = await surveys.add({
        name: reef.picked === null ? reef.text.trim() : reefLabel(reef.picked),
        date: valid.date ?? null,
        type,
        location: locationOf(reef, regionId),
        ...(timeIn === null ? {} : { timeIn }),
        ...(band === undefined ? {} : { timeofday: band }),
      });
      // An invalid day is passed to the survey's log.
      if (faults.date !== undefined) browserJournal.write(id, { date } satisfies LogEdits);
      onAdded(id);
    } catch (error) {
      setState({
        status: 'wrong',
        text: `${error instanceof Error ? error.message : String(error)} The survey was not created.`,
      });
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void save(event)} noValidate aria-label="New survey">
      <h2 ref={head} tabIndex={-1}>
        New survey
      </h2>
      {closedText !== undefined && (
        <Note tone="wait" icon="map" title={closedText}>
          Choose the region you are in.
        </Note>
      )}
      <div className={styles.two}>
        <ReefField
          reefs={reefs}
          label="Reef or place"
          regionId={regionId ?? region}
          value={reef.text}
          near={fix === undefined ? null : { latitude: fix.lat, longitude: fix.lng }}
          onEnter={(entry) => {
            setReef(entry);
            setState({ status: 'writing' });
          }}
          error={state.status === 'wrong' ? state.text : undefined}
        />
        <Select
          label="Region"
          options={open}
          value={regionId}
          onChange={setRegion}
          // The note names the chosen one.
          help={closedRegionsText(all.filter((each) => each.regionId !== chosen))}
        />
      </div>
      <div className={styles.three}>
        <DateField
          label="Day of the dive"
          value={date}
          onChange={(day) => setDate(day ?? '')}
          min={LIMITS.surveyDateEarliest}
          max={today(new Date())}
          error={faults.date}
        />
        <TimeField label="Time in" value={timeIn} onChange={setTimeIn} error={faults.timeIn} />
        <Segmented
          label="Survey type"
          options={[
            { value: 'scuba', label: 'Scuba' },
            { value: 'snorkel', label: 'Snorkel' },
          ]}
          value={type}
          onChange={setType}
        />
      </div>
      <div className={styles.row}>
        <Button onPress={onCancel}>Cancel</Button>
        <Button type="submit" variant="primary" isDisabled={state.status === 'saving' || regionId === null}>
          {regionId === null ? 'Choose the region first' : 'Start this survey'}
        </Button>
      </div>
    </form>
  );
}
