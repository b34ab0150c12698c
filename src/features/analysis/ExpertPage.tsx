import { Link } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type {
  AnalysisRepository,
  PersonRoles,
  Repositories,
  TraceImage,
  UnsavedForm,
  UsageRepository,
} from '../../data/repositories';
import { locationLabel } from '../../domain/position/location-label';
import type { AnalysisId, ImageId, SurveyId } from '../../domain/ids';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { BackLink, PageHeader, useObservable } from '../shell';
import { ConnectionFacts } from '../sync-status';
import { ExpertForm } from './expert/ExpertForm';
import { ExpertPicture } from './expert/ExpertPicture';
import { ExpertsOnly } from './expert/ExpertsOnly';
import { ViewedForm } from './expert/ViewedForm';
import styles from './expert/expert.module.css';
import { OpenFailedNote } from './work/OpenFailedNote';
import { NextPreview } from './next-photograph/NextPreview';
import { useNextImage } from './next-photograph/use-next-image';
import { useAnalyst } from './access/use-analyst';
import { useOpenedImage } from './work/use-opened-image';
import { useUsage } from './work/use-usage';
import { useWorkTab, type WorkTabState } from './work/use-work-tab';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account' | 'usage'>;
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  /** Form of someone else to view; undefined: the own one. */
  readonly of: AnalysisId | undefined;
  readonly onGo: (image: TraceImage) => void;
  /** 2§2: the expert image is "also the link target for the next expert image". */
  readonly onNextImage: (image: TraceImage) => void;
}

interface OpenedForm {
  readonly stored: Awaited<ReturnType<AnalysisRepository['expertForm']>>;
  readonly unsaved: UnsavedForm | null;
}

const readForm = async (analyses: AnalysisRepository, image: TraceImage): Promise<OpenedForm> => ({
  stored: await analyses.expertForm(image),
  unsaved: await analyses.formDraft(image),
});

/** Screen `analysis-expert` (2§2): an expert types percentages of one photograph, in a closed season too (2§6). */
export function ExpertPage({ repositories, surveyId, imageId, of, onGo, onNextImage }: Props) {
  const { analyses, uid, roles } = useAnalyst(repositories);
  const { key, opened, retry } = useOpenedImage(analyses, { surveyId, imageId, uid }, readForm);
  const tab = useWorkTab(analyses, 'form', of === undefined ? imageId : null, retry);
  const image = opened.status === 'ready' ? opened.image : null;
  const place = image === null ? null : locationLabel(image.latitude);
  return (
    <>
      <PageHeader
        title="Percentages"
        sub={
          image === null
            ? undefined
            : [image.survey.name === '' ? 'A census photograph' : image.survey.name, place, image.name]
                .filter((word) => word !== null && word !== '')
                .join(' · ')
        }
        back={<BackLink to="/analysis" name="Back to Analyse" />}
        facts={<ConnectionFacts edge={repositories.edge} />}
      />
      {roles === null ? null : of !== undefined && image !== null && mayViewOthers(roles) ? (
        <OthersForm analyses={analyses} image={image} id={of} />
      ) : uid === null || !roles.isExpert ? (
        <ExpertsOnly isSignedIn={uid !== null} />
      ) : opened.status === 'ready' ? (
        <ExpertWorkspace
          key={key}
          analyses={analyses}
          usage={repositories.usage}
          image={opened.image}
          opened={opened.stored}
          tab={tab}
          onGo={onGo}
          onNextImage={onNextImage}
        />
      ) : opened.status === 'opening' ? (
        <main className={styles.alone}>
          <p role="status">Opening the photograph.</p>
        </main>
      ) : (
        <main className={styles.alone}>
          <OpenFailedNote error={opened.error} title="The photograph could not be read" onRetry={retry} />
        </main>
      )}
    </>
  );
}

/** Experts, and whom the library is for (2§2). */
const mayViewOthers = ({ isExpert, isVerified, isAdmin }: PersonRoles): boolean => isExpert || isVerified || isAdmin;

function OthersForm({
  analyses,
  image,
  id,
}: {
  readonly analyses: AnalysisRepository;
  readonly image: TraceImage;
  readonly id: AnalysisId;
}) {
  const surveyId = image.survey.id;
  const { items, status } = useObservable(useMemo(() => analyses.ofSurvey(surveyId), [analyses, surveyId]));
  const found = items.find((item) => item.id === id);
  return (
    <main className={styles.page}>
      <ExpertPicture analyses={analyses} image={image} />
      <div className={styles.side}>
        {found !== undefined && found.form !== null ? (
          <ViewedForm regionId={image.survey.regionId} form={found.form} author={found.isOwn ? 'You' : found.author} />
        ) : status === 'ready' ? (
          <Note tone="look" icon="alert" title="These percentages are not on this tablet" role="status">
            Open the library again with a connection.
          </Note>
        ) : (
          <p role="status">Loading the percentages.</p>
        )}
      </div>
    </main>
  );
}

function ExpertWorkspace({
  analyses,
  usage,
  image,
  opened: { stored, unsaved },
  tab,
  onGo,
  onNextImage,
}: Pick<Props, 'onGo' | 'onNextImage'> & {
  readonly analyses: AnalysisRepository;
  readonly usage: UsageRepository;
  readonly image: TraceImage;
  readonly opened: OpenedForm;
  readonly tab: WorkTabState;
}) {
  const note = useUsage(usage);
  const next = useNextImage({
    analyses,
    image,
    isExpert: true,
    isReady: true,
    onGo: onNextImage,
    onSkip: useCallback(() => note('user_skip_image'), [note]),
  });
  return (
    <main className={styles.page}>
      <ExpertPicture analyses={analyses} image={image} />
      <div className={styles.side}>
        <ExpertForm
          analyses={analyses}
          image={image}
          stored={stored}
          unsaved={unsaved}
          tab={tab}
          onSaved={() => {
            note('analysis_complete');
            next.showAfterSave();
          }}
          actions={
            <>
              <Link to="/analysis/expert-image/$survey/$id" params={{ survey: image.survey.id, id: image.id }}>
                Trace this photograph
              </Link>
              <Button variant="quiet" icon="next" onPress={next.skip}>
                Next expert image
              </Button>
            </>
          }
        />
      </div>
      {next.shown !== null && (
        <NextPreview
          analyses={analyses}
          saved={next.shown.saved}
          isSkipped={next.shown.skipped}
          next={next.shown.next}
          onStart={onGo}
          onSkip={next.skipShown}
          onStay={next.hide}
        />
      )}
    </main>
  );
}
