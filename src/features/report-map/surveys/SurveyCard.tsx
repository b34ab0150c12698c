import { useState } from 'react';
import type { ReportRepository, ReportSurvey } from '../../../data/repositories';
import { Button } from '../../../ui/controls/Button';
import { useRead } from '../data/use-read';
import list from '../drawer/list.module.css';
import { ReadNote } from '../drawer/ReadNote';
import styles from './SurveyCard.module.css';
import { SurveyImagesDialog } from './SurveyImagesDialog';
import { imageCountText, surveyDay } from './survey-name';
import { SurveyThumbnails } from './SurveyThumbnails';
import { cameraText, durationText, experienceText, positionText, surveyTitle, typeText } from './survey-text';

interface Props {
  readonly report: ReportRepository;
  readonly survey: ReportSurvey;
  readonly reefTitle: string;
  readonly onBack: () => void;
}

/** Card of a survey with its images (3§2 "Survey card"). */
export function SurveyCard({ report, survey, reefTitle, onBack }: Props) {
  const images = useRead(report, (from) => from.images(survey.id), [survey.id]);
  // Image that the dialog shows first; null while it is closed.
  const [page, setPage] = useState<number | null>(null);
  const experience = experienceText(survey);
  const count = images.value?.length ?? 0;
  const facts = [
    ['Images', imageCountText(survey, images.value)],
    ['Coordinates', positionText(survey)],
    ['Date', surveyDay(survey)],
    ['Survey type', typeText(survey)],
    ['Duration', durationText(survey)],
    ['Camera', cameraText(survey, images.value)],
  ] as const;
  return (
    <article className={list.pane} aria-label={`Survey of ${surveyTitle(survey)}`}>
      <div className={list.back}>
        <Button variant="quiet" icon="back" onPress={onBack}>
          {reefTitle}
        </Button>
      </div>
      <h2 className={list.title}>{surveyTitle(survey)}</h2>
      {survey.isAboardOnly && <p className={list.sub}>On this vessel, not yet public.</p>}
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ReadNote read={images} loading="Reading the images of this survey" />
      <SurveyThumbnails report={report} images={images.value ?? []} onOpen={setPage} />
      <div className={styles.action}>
        <Button variant="primary" icon="photos" isDisabled={count === 0} onPress={() => setPage(1)}>
          View Images
        </Button>
      </div>
      <section aria-label="Survey Experience" className={styles.experience}>
        <h3>Survey Experience</h3>
        {experience.length === 0 ? (
          <p className={list.sub}>The divers left the questions open.</p>
        ) : (
          <dl>
            {experience.map(({ question, answer }) => (
              <div key={question}>
                <dt>{question}</dt>
                <dd>{answer}</dd>
              </div>
            ))}
          </dl>
        )}
      </section>
      {page !== null && images.value !== null && (
        <SurveyImagesDialog
          report={report}
          survey={survey}
          images={images.value}
          startPage={page}
          onClose={() => setPage(null)}
        />
      )}
    </article>
  );
}
