import type { ReportImage, ReportRepository, ReportSurvey } from '../../../data/repositories';
import { Dialog } from '../../../ui/controls/Dialog';
import { ImageCarousel } from './ImageCarousel';
import { imageCountText, surveyDay } from './survey-name';
import { cameraText, durationText, positionText, siteText, timeText, typeText } from './survey-text';
import styles from './SurveyImagesDialog.module.css';

interface Props {
  readonly report: ReportRepository;
  readonly survey: ReportSurvey;
  readonly images: readonly ReportImage[];
  /** Image shown first, from 1. */
  readonly startPage: number;
  readonly onClose: () => void;
}

/** 3§2: dialog "Survey Images" with a carousel, Basic Information, Survey Details and Location. */
export function SurveyImagesDialog({ report, survey, images, startPage, onClose }: Props) {
  const parts = [
    {
      title: 'Basic Information',
      facts: [
        ['Date', surveyDay(survey)],
        ['Time of day', timeText(survey)],
        ['Images', imageCountText(survey, images)],
      ],
    },
    {
      title: 'Survey Details',
      facts: [
        ['Type', typeText(survey)],
        ['Duration', durationText(survey)],
        ['Camera', cameraText(survey, images)],
      ],
    },
    {
      title: 'Location',
      facts: [
        ['Site', siteText(survey)],
        ['Coordinates', positionText(survey)],
      ],
    },
  ] as const;
  return (
    <Dialog title="Survey Images" isOpen onClose={onClose} wide>
      <div className={styles.content}>
        <ImageCarousel report={report} images={images} startPage={startPage} />
        <div className={styles.parts}>
          {parts.map(({ title, facts }) => (
            <section key={title} aria-label={title}>
              <h3>{title}</h3>
              <dl>
                {facts.map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
    </Dialog>
  );
}
