import { useEffect, useState, type ReactNode } from 'react';
import type { AnalysisRepository, Repositories, TraceImage } from '../../data/repositories';
import { locationLabel } from '../../domain/analysis/free-draw/location-label';
import { ReefError } from '../../domain/errors';
import type { ImageId, SurveyId } from '../../domain/ids';
import { Button } from '../../ui/controls/Button';
import { Icon } from '../../ui/display/Icon';
import { Note } from '../../ui/feedback/Note';
import { PageHeader, useObservable } from '../shell';
import { ConnectionFacts } from '../sync-status';
import { ExpertForm } from './expert/ExpertForm';
import { ExpertPicture } from './expert/ExpertPicture';
import { ExpertsOnly } from './expert/ExpertsOnly';
import styles from './expert/expert.module.css';
import { NextPreview } from './trace/dialogs/NextPreview';
import { useNextImage } from './trace/use-next-image';
import { useRoles } from './access/use-roles';

interface Props {
  readonly repositories: Pick<Repositories, 'analyses' | 'edge' | 'people'>;
  readonly surveyId: SurveyId;
  readonly imageId: ImageId;
  readonly links: {
    readonly back: (content: ReactNode, className: string, name: string) => ReactNode;
    readonly leave: (words: string) => ReactNode;
    readonly toTrace: (image: TraceImage, words: string) => ReactNode;
  };
  readonly onGo: (image: TraceImage) => void;
  /** 2§2: the expert image is "also the link target for the next expert image". */
  readonly onNextImage: (image: TraceImage) => void;
}

type Opened =
  | { readonly status: 'opening' }
  | {
      readonly status: 'ready';
      readonly image: TraceImage;
      readonly stored: Awaited<ReturnType<AnalysisRepository['expertForm']>>;
    }
  | { readonly status: 'failed'; readonly error: unknown };

/** Screen `analysis-expert` (2§2): an expert types percentages of one photograph, in a closed season too (2§6). */
export function ExpertPage({ repositories, surveyId, imageId, links, onGo, onNextImage }: Props) {
  const { analyses, edge, people } = repositories;
  const uid = useObservable(people.current)?.uid ?? null;
  const roles = useRoles(analyses, uid);
  const [turn, setTurn] = useState(0);
  const key = `${surveyId} ${imageId} ${uid ?? ''} ${turn}`;
  const opened = useOpened(analyses, surveyId, imageId, key);
  const image = opened.status === 'ready' ? opened.image : null;
  const place = image === null ? null : locationLabel(image.latitude);
  return (
    <>
      <PageHeader
        title="Percentages"
        sub={
          image === null
            ? undefined
            : [image.survey.name === '' ? 'A photograph of the census' : image.survey.name, place, image.name]
                .filter((word) => word !== null && word !== '')
                .join(' · ')
        }
        back={links.back(<Icon name="back" />, styles.back ?? '', 'Back to Analyse')}
        facts={<ConnectionFacts edge={edge} />}
      />
      {roles === null ? null : uid === null || !roles.isExpert ? (
        <ExpertsOnly isSignedIn={uid !== null} leave={links.leave} />
      ) : opened.status === 'ready' ? (
        <ExpertWorkspace
          key={key}
          analyses={analyses}
          opened={opened}
          uid={uid}
          links={links}
          onGo={onGo}
          onNextImage={onNextImage}
        />
      ) : opened.status === 'opening' ? (
        <main className={styles.alone}>
          <p role="status">Opening the photograph.</p>
        </main>
      ) : (
        <main className={styles.alone}>
          <Note
            tone="look"
            icon="alert"
            role="alert"
            title={isMissing(opened.error) ? 'It is not on this tablet' : 'The photograph could not be read'}
            action={<Button onPress={() => setTurn(turn + 1)}>Try again</Button>}
          >
            {isMissing(opened.error)
              ? 'With a link to the box or the shore it can be fetched.'
              : 'Nothing of your work is lost. Try again, or take another one.'}
          </Note>
          <p>{links.leave('Back to Analyse')}</p>
        </main>
      )}
    </>
  );
}

const isMissing = (error: unknown): boolean => error instanceof ReefError && error.code === 'not-found';

function useOpened(analyses: AnalysisRepository, surveyId: SurveyId, imageId: ImageId, key: string): Opened {
  const [opened, setOpened] = useState<{ readonly key: string; readonly is: Opened } | null>(null);
  useEffect(() => {
    let isOver = false;
    const become = (is: Opened): void => {
      if (!isOver) setOpened({ key, is });
    };
    analyses
      .image(surveyId, imageId)
      .then(async (image) => become({ status: 'ready', image, stored: await analyses.expertForm(image) }))
      .catch((error: unknown) => become({ status: 'failed', error }));
    return () => {
      isOver = true;
    };
  }, [analyses, surveyId, imageId, key]);
  return opened?.key === key ? opened.is : { status: 'opening' };
}

function ExpertWorkspace({
  analyses,
  opened: { image, stored },
  uid,
  links,
  onGo,
  onNextImage,
}: Pick<Props, 'links' | 'onGo' | 'onNextImage'> & {
  readonly analyses: AnalysisRepository;
  readonly opened: Extract<Opened, { status: 'ready' }>;
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
              {links.toTrace(image, 'Trace it')}
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
          saved={next.shown.saved ? 'Saved on this tablet' : null}
          isSkipped={next.shown.skipped}
          next={next.shown.next}
          onStart={onGo}
          onSkip={next.skipShown}
          onStay={next.hide}
          leave={links.leave}
        />
      )}
    </main>
  );
}
