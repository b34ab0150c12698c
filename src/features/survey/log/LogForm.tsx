import { useState, type ReactNode } from 'react';
import type { PhotographView, Repositories, SurveyView } from '../../../data/repositories';
import { DEFAULT_REGION, type RegionId } from '../../../domain/region/region-id';
import type { LogEdits } from '../../../domain/survey/log';
import { Button } from '../../../ui/controls/Button';
import { Disclosure } from '../../../ui/controls/Disclosure';
import { Icon } from '../../../ui/display/Icon';
import { Note } from '../../../ui/feedback/Note';
import { useObservable } from '../../shell';
import { answeredText, ExperienceDialog } from './ExperienceDialog';
import { DiveFields } from './DiveFields';
import { LogConflicts } from '../conflicts/LogConflicts';
import styles from './LogForm.module.css';
import { MoreFields } from './MoreFields';
import { ReefField } from './ReefField';
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
    census: { conflicts, reefs },
    account: { people },
  } = repositories;
  const { log, draft } = useLogDraft(repositories.census, survey);
  const [isAsking, setAsking] = useState(false);
  const { values, entered, faults } = log;
  const regionId: RegionId = values.regionId ?? DEFAULT_REGION;
  const fix = useObservable(edge.answers.gps).items[0];
  const near = values.point ?? (fix === undefined ? null : { latitude: fix.lat, longitude: fix.lng });
  const enter = (edits: LogEdits): void => draft.enter(edits);
  const leave = (): void => void draft.flush();
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
      <DiveFields log={log} enter={enter} />
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
        <MoreFields
          repositories={repositories}
          survey={survey}
          images={images}
          log={log}
          regionId={regionId}
          enter={enter}
          leave={leave}
        />
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

function moreText(siteType: string | null, camera: string): string | undefined {
  const words = [siteType, camera].filter((word) => word !== null && word !== '');
  return words.length === 0 ? undefined : words.join(', ');
}
