import { useState, type ReactNode } from 'react';
import type { PhotographView, Repositories, SurveyView } from '../../../data/repositories';
import { SURVEY_LIMITS } from '../../../domain/limits/survey';
import type { Reef } from '../../../domain/reef/reef';
import { reefLabel } from '../../../domain/reef/reef';
import { DEFAULT_REGION, type RegionId } from '../../../domain/region/region-id';
import { today } from '../../../domain/survey/day';
import { bandOf, SITE_TYPES, type LogEdits } from '../../../domain/survey/log';
import { TIMES_OF_DAY } from '../../../domain/survey/rules';
import { LIMITS } from '../../../domain/limits';
import { Button } from '../../../ui/controls/Button';
import { Combo } from '../../../ui/controls/Combo';
import { DateField } from '../../../ui/controls/DateField';
import { Disclosure } from '../../../ui/controls/Disclosure';
import { Icon } from '../../../ui/display/Icon';
import { Note } from '../../../ui/feedback/Note';
import { NumberField } from '../../../ui/controls/NumberField';
import { Segmented } from '../../../ui/controls/Segmented';
import { Select } from '../../../ui/controls/Select';
import { TimeField } from '../../../ui/controls/TimeField';
import { useObservable } from '../../shell';
import { DeleteSurvey } from './DeleteSurvey';
import { answeredText, ExperienceDialog } from './ExperienceDialog';
import { LogConflicts } from '../conflicts/LogConflicts';
import styles from './LogForm.module.css';
import { PositionField } from './PositionField';
import { ReefField, useReefs } from './ReefField';
import { closedRegionsText, OPEN_REGIONS } from './region-options';
import { TextEntry } from './TextEntry';
import { useLogDraft } from './use-log-draft';

export interface LogProps {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account'>;
  readonly survey: SurveyView;
  /** Photographs; their cameras are suggested. */
  readonly images: readonly PhotographView[];
  /** Shown between dive and experience: the camera's clock. */
  readonly children?: ReactNode;
}

/** All fields of a survey. Each is saved automatically; a faulty one shows its error and does not block the others. */
export function LogForm({ repositories, survey, images, children }: LogProps) {
  const {
    edge,
    census: { surveys, conflicts, reefs },
    account: { people },
  } = repositories;
  const { log, draft } = useLogDraft(surveys, survey);
  const [isAsking, setAsking] = useState(false);
  const { values, entered, faults } = log;
  const regionId: RegionId = values.regionId ?? DEFAULT_REGION;
  const table = useReefs(reefs, regionId);
  const fix = useObservable(edge.answers.gps).items[0];
  const near = values.point ?? (fix === undefined ? null : { latitude: fix.lat, longitude: fix.lng });
  const enter = (edits: LogEdits) => draft.enter(edits);
  const leave = () => void draft.flush();
  const pickReef = (reef: Reef) => enter({ reef: { text: reefLabel(reef), picked: reef } });
  return (
    <form className={styles.log} aria-label="Survey" onSubmit={(event) => event.preventDefault()}>
      <LogConflicts conflicts={conflicts} people={people} survey={survey} />
      <ReefField
        reefs={reefs}
        label="Reef or place"
        regionId={regionId}
        value={entered.reef?.text ?? values.reef}
        near={near}
        onEnter={(reef) => enter({ reef })}
        onLeave={leave}
        error={faults.reef}
      />
      <div className={styles.when}>
        <DateField
          label="Date"
          value={entered.date ?? values.date}
          onChange={(date) => enter({ date: date ?? '' })}
          min={LIMITS.surveyDateEarliest}
          max={today(new Date())}
          error={withRestSaved(faults.date)}
        />
        <TimeField
          label="Time in"
          value={entered.timeIn ?? values.timeIn}
          onChange={(timeIn) => enter({ timeIn })}
          error={withRestSaved(faults.timeIn)}
        />
      </div>
      <Segmented
        label="Survey type"
        options={[
          { value: 'scuba', label: 'Scuba' },
          { value: 'snorkel', label: 'Snorkel' },
        ]}
        value={values.type}
        onChange={(type) => enter({ type })}
      />
      <div className={styles.two}>
        <NumberField
          label="Duration"
          unit="min"
          value={entered.duration ?? values.duration}
          onChange={(duration) => enter({ duration })}
          min={1}
          max={SURVEY_LIMITS.durationMax}
          error={withRestSaved(faults.duration)}
        />
        <NumberField
          label="Visibility"
          unit="m"
          value={entered.visibility ?? values.visibility}
          onChange={(visibility) => enter({ visibility })}
          min={0}
          max={SURVEY_LIMITS.visibilityMax}
          error={withRestSaved(faults.visibility)}
        />
      </div>
      {children}
      <div className={styles.field}>
        <span className={styles.label} id="experience-label">
          Survey experience
        </span>
        <button
          type="button"
          className={styles.open}
          aria-labelledby="experience-label experience-count"
          onClick={() => setAsking(true)}
        >
          <span id="experience-count">{answeredText(values.answers)}</span>
          <Icon name="next" />
        </button>
      </div>
      <Disclosure title="Place, camera and more" detail={moreText(values.siteType, values.camera)}>
        <div className={styles.more}>
          <Select
            label="Site type"
            options={SITE_TYPES.map((siteType) => ({ value: siteType, label: siteType }))}
            value={SITE_TYPES.find((type) => type === values.siteType) ?? null}
            onChange={(siteType) => enter({ siteType })}
            placeholder={values.siteType ?? 'Choose'}
          />
          <TextEntry
            label="Site"
            value={entered.siteName ?? values.siteName}
            onEnter={(siteName) => enter({ siteName })}
            onLeave={leave}
            maxLength={SURVEY_LIMITS.nameMax}
            help="Such as “Site 3” or a mooring."
          />
          <PositionField
            edge={edge}
            regionId={regionId}
            table={table}
            reefId={values.reefId}
            point={values.point}
            isConfirmed={values.isPointConfirmed}
            entered={faults.point === undefined ? undefined : entered.point}
            error={withRestSaved(faults.point)}
            onEnter={(point) => enter({ point })}
            onConfirm={() => enter({ isPointConfirmed: true })}
            onReef={pickReef}
            onLeave={leave}
          />
          <CameraField
            camera={entered.camera ?? values.camera}
            images={images}
            onEnter={(camera) => enter({ camera })}
          />
          <Select
            label="Time of day"
            options={TIMES_OF_DAY.map((band) => ({ value: band, label: band[0]?.toUpperCase() + band.slice(1) }))}
            value={values.timeofday}
            onChange={(timeofday) => enter({ timeofday })}
            help={
              values.timeofday !== null && values.timeofday === bandOf(values.timeIn) ? 'From the time in.' : undefined
            }
          />
          <Select
            label="Region"
            options={OPEN_REGIONS}
            value={regionId}
            onChange={(region) => enter({ regionId: region })}
            help={closedRegionsText()}
            error={faults.regionId}
          />
          <DeleteSurvey surveys={surveys} survey={survey} photographs={images.length} />
        </div>
      </Disclosure>
      {log.state.status === 'failed' ? (
        <Note tone="look" icon="alert" title="Not saved yet" role="status">
          {log.state.error.message} Your entries stay here. <Button onPress={leave}>Try again</Button>
        </Note>
      ) : (
        <p className={styles.state} role="status">
          <Icon name={log.state.status === 'saved' ? 'check' : 'clock'} />
          {log.state.status === 'saving'
            ? 'Saving'
            : Object.keys(faults).length === 0
              ? 'Saved on this tablet'
              : 'Saved on this tablet, except for the marked fields'}
        </p>
      )}
      <ExperienceDialog
        isOpen={isAsking}
        answers={values.answers}
        onAnswer={(key, answer) => enter({ answers: { [key]: answer } })}
        onLeave={leave}
        onClose={() => setAsking(false)}
      />
    </form>
  );
}

function CameraField({
  camera,
  images,
  onEnter,
}: {
  readonly camera: string;
  readonly images: readonly PhotographView[];
  readonly onEnter: (camera: string) => void;
}) {
  const cameras = [...new Set(images.flatMap(({ camera: made }) => (made?.model === undefined ? [] : [made.model])))];
  const suggestions = cameras.filter(
    (model) => model !== camera && model.toLowerCase().includes(camera.trim().toLowerCase()),
  );
  return (
    <Combo
      label="Camera"
      items={suggestions.map((model) => ({ id: model, name: model, detail: 'from the photographs' }))}
      text={camera}
      onText={onEnter}
      onPick={onEnter}
      empty="Your text is saved as written."
    />
  );
}

/** Appends to a fault that the rest is saved. */
function withRestSaved(fault: string | undefined): string | undefined {
  return fault === undefined ? undefined : `${fault} The rest is saved.`;
}

function moreText(siteType: string | null, camera: string): string | undefined {
  const words = [siteType, camera].filter((word) => word !== null && word !== '');
  return words.length === 0 ? undefined : words.join(', ');
}
