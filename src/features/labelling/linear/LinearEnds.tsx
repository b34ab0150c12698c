import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnalysisRepository, NoImage, Repositories, TraceImage } from '../../../data/repositories';
import type { LinearStepId } from '../../../domain/analysis/labelling/linear-flow';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { NO_IMAGE_MESSAGES, PhotographPreview } from '../../analysis';
import { useRegion } from '../../shell';
import { ConnectionFacts } from '../../sync-status';
import styles from '../LabellingPage.module.css';
import { StepBar } from '../panel/StepBar';
import { shownLinearSteps } from './linear-host';

interface Props {
  readonly analyses: AnalysisRepository;
  readonly edge: Repositories['edge'];
  readonly image: TraceImage;
  readonly isExpert: boolean;
  readonly onStep: (step: LinearStepId) => void;
  readonly onGo: (image: TraceImage) => void;
}

/** First step of the flow: the photograph. */
export function FirstStep({ analyses, edge, image, onStep }: Props) {
  return (
    <>
      <StepBar {...shownLinearSteps('analysis')}>
        <ConnectionFacts edge={edge} />
      </StepBar>
      <main className={`${styles.opening} ${styles.first}`}>
        <h1>{image.survey.name === '' ? 'A census photograph' : image.survey.name}</h1>
        <div className={styles.picture}>
          <PhotographPreview analyses={analyses} image={image} />
        </div>
        <p>Label its outlines, then answer two questions.</p>
        <Button variant="primary" onPress={() => onStep('labels')}>
          Start
        </Button>
      </main>
    </>
  );
}

/** Last step of the flow, after the submit. */
export function LastStep({
  analyses,
  edge,
  image,
  isExpert,
  isSubmitted,
  onStep,
  onGo,
}: Props & { readonly isSubmitted: boolean }) {
  const regionId = useRegion();
  const [none, setNone] = useState<NoImage | null>(null);
  const [isLooking, setLooking] = useState(false);
  const another = (): void => {
    setLooking(true);
    setNone(null);
    analyses.next({ isExpert, except: [image.id], labels: { regionId } }).then(
      (next) => {
        setLooking(false);
        if ('image' in next) onGo(next.image);
        else setNone(next.none);
      },
      (error: unknown) => {
        console.warn('No next photograph could be found:', error);
        setLooking(false);
        setNone('failed');
      },
    );
  };
  return (
    <>
      <StepBar {...shownLinearSteps('success')}>
        <ConnectionFacts edge={edge} />
      </StepBar>
      <main className={styles.opening}>
        <h1>{isSubmitted ? 'Thank you' : 'Not submitted yet'}</h1>
        <p>
          {isSubmitted
            ? 'Your analysis is saved. It goes to the census when there is a link.'
            : 'The steps of this photograph are not complete. Every label is stored on this tablet.'}
        </p>
        {none !== null && (
          <Note icon="info" role="status" title={NO_IMAGE_MESSAGES[none].title}>
            {NO_IMAGE_MESSAGES[none].text}
          </Note>
        )}
        {isSubmitted ? (
          <Button variant="primary" onPress={another} isDisabled={isLooking}>
            {isLooking ? 'Searching' : 'Analyse another image'}
          </Button>
        ) : (
          <Button variant="primary" onPress={() => onStep('labels')}>
            Continue
          </Button>
        )}
        <p>
          <Link to="/dashboard">Go to Dashboard</Link>
        </p>
      </main>
    </>
  );
}
