import { useCallback, useEffect, useState, type ComponentType } from 'react';
import type {
  AnalysisContent,
  AnalysisRepository,
  PersonRoles,
  Repositories,
  TraceImage,
  ViewedAnalysis,
} from '../../data/repositories';
import type { AnalysisId, SurveyId } from '../../domain/ids';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { BackLink, PageHeader } from '../shell';
import { ConnectionFacts } from '../sync-status';
import { useAnalyst } from './access/use-analyst';
import { PictureFailedNote } from './viewed/PictureFailedNote';
import { ViewedLayout } from './viewed/ViewedLayout';
import { ViewedTracing } from './viewed/ViewedTracing';
import { authorText, viewFailedText } from './viewed/viewed-text';
import styles from './viewed/viewed.module.css';

/** Labels of an analysis over its photograph; labelling has the component. */
type LabelsView = ComponentType<{
  readonly analyses: AnalysisRepository;
  readonly image: TraceImage;
  readonly analysis: ViewedAnalysis;
  readonly labels: Extract<AnalysisContent, { readonly kind: 'labels' }>;
}>;

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account'>;
  readonly surveyId: SurveyId;
  readonly analysisId: AnalysisId;
  readonly labelsView: LabelsView;
}

type Opened =
  | { readonly status: 'opening' }
  | {
      readonly status: 'ready';
      readonly analysis: ViewedAnalysis;
      /** null: the photograph is not in reach. */
      readonly image: TraceImage | null;
    }
  | { readonly status: 'failed'; readonly error: unknown };

/** Analysis of someone else, view only, for whom the library is for (2§2). */
export function ViewedPage({ repositories, surveyId, analysisId, labelsView }: Props) {
  const { analyses, roles } = useAnalyst(repositories);
  const mayView = roles !== null && mayViewOthers(roles);
  const { opened, retry } = useViewedAnalysis(analyses, mayView ? analysisId : null);
  const analysis = opened.status === 'ready' ? opened.analysis : null;
  return (
    <>
      <PageHeader
        title={analysis === null ? 'An analysis' : `Analysis by ${authorText(analysis)}`}
        sub={
          analysis === null
            ? undefined
            : [analysis.survey.name === '' ? 'A census photograph' : analysis.survey.name, analysis.file]
                .filter((text) => text !== '')
                .join(' · ')
        }
        back={<BackLink to="/analysis/library/$survey" params={{ survey: surveyId }} name="Back to the library" />}
        facts={<ConnectionFacts edge={repositories.edge} />}
      />
      {roles === null ? null : !mayView ? (
        <main className={styles.alone}>
          <Note icon="lock" title="The library is for verified people and admins" role="status">
            This account has no access to it yet. Your own analyses are on your dashboard.
          </Note>
        </main>
      ) : opened.status === 'ready' ? (
        <Content key={opened.analysis.id} analyses={analyses} opened={opened} labelsView={labelsView} />
      ) : (
        <main className={styles.alone}>
          {opened.status === 'opening' ? (
            <p role="status">Opening the analysis.</p>
          ) : (
            <Note
              tone="look"
              icon="alert"
              role="alert"
              title={viewFailedText(opened.error).title}
              action={<Button onPress={retry}>Try again</Button>}
            >
              {viewFailedText(opened.error).text}
            </Note>
          )}
        </main>
      )}
    </>
  );
}

/** Experts, and whom the library is for (2§2). */
const mayViewOthers = ({ isExpert, isVerified, isAdmin }: PersonRoles): boolean => isExpert || isVerified || isAdmin;

function Content({
  analyses,
  opened: { analysis, image },
  labelsView: Labels,
}: {
  readonly analyses: AnalysisRepository;
  readonly opened: Extract<Opened, { readonly status: 'ready' }>;
  readonly labelsView: LabelsView;
}) {
  const { content } = analysis;
  if (image !== null && content.kind === 'labels')
    return <Labels analyses={analyses} image={image} analysis={analysis} labels={content} />;
  if (image !== null) {
    // Unreadable contents leave the photograph alone.
    const traces = content.kind === 'free-draw' ? content : NO_TRACES;
    return <ViewedTracing analyses={analyses} image={image} analysis={analysis} traces={traces} />;
  }
  return (
    <ViewedLayout
      analysis={analysis}
      legend={[]}
      stage={
        <div className={styles.blank}>
          <PictureFailedNote />
        </div>
      }
    />
  );
}

const NO_TRACES = { kind: 'free-draw', version: 3, marks: [], size: null, stats: null, unknown: 0 } as const;

function useViewedAnalysis(
  analyses: AnalysisRepository,
  id: AnalysisId | null,
): { readonly opened: Opened; readonly retry: () => void } {
  const [attempt, setAttempt] = useState(0);
  const [opened, setOpened] = useState<Opened>({ status: 'opening' });
  useEffect(() => {
    if (id === null) return undefined;
    let isOver = false;
    const show = (next: Opened): void => {
      if (!isOver) setOpened(next);
    };
    show({ status: 'opening' });
    analyses
      .viewed(id)
      .then(async (analysis) => {
        const image = await analyses.image(analysis.survey.id, analysis.imageId).catch((error: unknown) => {
          console.warn('The photograph of an analysis is not in reach:', error);
          return null;
        });
        show({ status: 'ready', analysis, image });
      })
      .catch((error: unknown) => show({ status: 'failed', error }));
    return () => {
      isOver = true;
    };
  }, [analyses, id, attempt]);
  return { opened, retry: useCallback(() => setAttempt((before) => before + 1), []) };
}
