import { Link } from '@tanstack/react-router';
import { useEffect, useReducer } from 'react';
import type { AnalysisRepository, Repositories, TraceImage } from '../../../data/repositories';
import {
  LINEAR_VERSION,
  linearFlow,
  linearStepOf,
  type LinearStepId,
} from '../../../domain/analysis/labelling/linear-flow';
import type { ImageId, SurveyId } from '../../../domain/ids';
import { ClosedSeason, isClosedFor, OpenFailedNote, useAnalyst, useOpenedImage } from '../../analysis';
import { openSignIn } from '../../auth';
import { useTitle } from '../../shell';
import { LabellingPage } from '../LabellingPage';
import styles from '../LabellingPage.module.css';
import { FirstStep, LastStep } from './LinearEnds';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account' | 'usage'>;
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  /** Step of the address, also with the prefix `survey-` (2§2). */
  readonly routeName: string;
  readonly onStep: (step: LinearStepId) => void;
  /** Opens another photograph at the first step. */
  readonly onGo: (image: TraceImage) => void;
}

/** Older linear flow (2§4): one photograph, one address a step. */
export function LinearFlowPage(props: Props) {
  const { routeName, onStep } = props;
  useTitle('Label the reef');
  const step = linearStepOf(routeName) ?? 'analysis';
  const [flow, dispatch] = useReducer(linearFlow, { step, action: null });
  useEffect(() => dispatch({ kind: 'route', name: routeName }), [routeName]);
  if (step === 'analysis' || step === 'success') return <EndStep {...props} step={step} />;
  return (
    <LabellingPage
      repositories={props.repositories}
      surveyId={props.surveyId}
      imageId={props.imageId}
      version={LINEAR_VERSION}
      event={undefined}
      onGo={props.onGo}
      linear={{
        // The state follows the address a moment later; its action is of the step before.
        state: flow.step === step ? flow : { step, action: null },
        onChoose: (label) => dispatch({ kind: 'choose', label }),
        onStep,
      }}
    />
  );
}

interface OpenedEnd {
  readonly isSubmitted: boolean;
}

function EndStep({
  repositories,
  surveyId,
  imageId,
  step,
  onStep,
  onGo,
}: Props & { readonly step: 'analysis' | 'success' }) {
  const { analyses, uid, roles } = useAnalyst(repositories);
  const { opened, retry } = useOpenedImage(
    analyses,
    { surveyId, imageId, uid },
    step === 'success' ? readSubmitted : readNothing,
  );
  const isClosed = isClosedFor(roles);
  const isSignedOut = uid === null && roles !== null && !isClosed;
  useEffect(() => {
    // 2§2: "The overlay shows if the user is missing".
    if (isSignedOut) openSignIn();
  }, [isSignedOut]);
  if (isClosed)
    return (
      <main className={styles.opening}>
        <ClosedSeason />
        <p>
          <Link to="/analysis">Back to Analyse</Link>
        </p>
      </main>
    );
  if (opened.status === 'opening' || roles === null)
    return (
      <main className={styles.opening}>
        <p role="status">Opening the photograph.</p>
      </main>
    );
  if (opened.status === 'failed')
    return (
      <main className={styles.opening}>
        <h1>The photograph cannot be opened</h1>
        <OpenFailedNote error={opened.error} title="This photograph could not be read" onRetry={retry} />
      </main>
    );
  const shared = { analyses, edge: repositories.edge, image: opened.image, isExpert: roles.isExpert, onStep, onGo };
  return step === 'analysis' ? (
    <FirstStep {...shared} />
  ) : (
    <LastStep {...shared} isSubmitted={opened.stored.isSubmitted} />
  );
}

const readNothing = (): Promise<OpenedEnd> => Promise.resolve({ isSubmitted: false });

const readSubmitted = async (analyses: AnalysisRepository, image: TraceImage): Promise<OpenedEnd> => ({
  isSubmitted: (await analyses.labelling(image, { version: LINEAR_VERSION, isExpert: false })).from === 'stored',
});
