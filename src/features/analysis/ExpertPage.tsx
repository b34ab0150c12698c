import { Link } from '@tanstack/react-router';
import type { AnalysisRepository, Repositories, TraceImage } from '../../data/repositories';
import { locationLabel } from '../../domain/position/location-label';
import type { ImageId, SurveyId } from '../../domain/ids';
import { Button } from '../../ui/controls/Button';
import { BackLink, PageHeader } from '../shell';
import { ConnectionFacts } from '../sync-status';
import { ExpertForm } from './expert/ExpertForm';
import { ExpertPicture } from './expert/ExpertPicture';
import { ExpertsOnly } from './expert/ExpertsOnly';
import styles from './expert/expert.module.css';
import { OpenFailedNote } from './OpenFailedNote';
import { NextPreview } from './trace/dialogs/NextPreview';
import { useNextImage } from './trace/use-next-image';
import { useAnalyst } from './access/use-analyst';
import { useOpenedImage } from './use-opened-image';

interface Props {
  readonly repositories: Pick<Repositories, 'census' | 'edge' | 'account'>;
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  readonly onGo: (image: TraceImage) => void;
  /** 2§2: the expert image is "also the link target for the next expert image". */
  readonly onNextImage: (image: TraceImage) => void;
}

type StoredForm = Awaited<ReturnType<AnalysisRepository['expertForm']>>;

const readForm = (analyses: AnalysisRepository, image: TraceImage): Promise<StoredForm> => analyses.expertForm(image);

/** Screen `analysis-expert` (2§2): an expert types percentages of one photograph, in a closed season too (2§6). */
export function ExpertPage({ repositories, surveyId, imageId, onGo, onNextImage }: Props) {
  const { analyses, uid, roles } = useAnalyst(repositories);
  const { key, opened, retry } = useOpenedImage(analyses, { surveyId, imageId, uid }, readForm);
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
      {roles === null ? null : uid === null || !roles.isExpert ? (
        <ExpertsOnly isSignedIn={uid !== null} />
      ) : opened.status === 'ready' ? (
        <ExpertWorkspace
          key={key}
          analyses={analyses}
          image={opened.image}
          stored={opened.stored}
          uid={uid}
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

function ExpertWorkspace({
  analyses,
  image,
  stored,
  uid,
  onGo,
  onNextImage,
}: Pick<Props, 'onGo' | 'onNextImage'> & {
  readonly analyses: AnalysisRepository;
  readonly image: TraceImage;
  readonly stored: StoredForm;
  readonly uid: string;
}) {
  const next = useNextImage({ analyses, image, isExpert: true, isReady: true, onGo: onNextImage });
  return (
    <main className={styles.page}>
      <ExpertPicture analyses={analyses} image={image} />
      <div className={styles.side}>
        <ExpertForm
          analyses={analyses}
          image={image}
          stored={stored}
          uid={uid}
          onSaved={next.showAfterSave}
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
