import { Link } from '@tanstack/react-router';
import type { PhotographView, Repositories, SurveyView } from '../../../data/repositories';
import type { ImageId, SurveyId } from '../../../domain/ids';
import { useObservable, useThumbnail } from '../../shell';
import { analysisLink, savedWorkOf, type LinkedWork } from './analysis-link';
import styles from './OwnPhotographs.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'census'>;
  readonly isExpert: boolean;
}

const SURVEYS_MAX = 3;
const PHOTOGRAPHS_MAX = 8;

/** Photographs of own surveys, those with begun work first. */
export function OwnPhotographs({ repositories, isExpert }: Props) {
  const {
    census: { analyses, surveys },
  } = repositories;
  const { items } = useObservable(surveys.all);
  // Newest first: the first one of a photograph is where its work goes on.
  const done = firstByImage(useObservable(analyses.mine).items.map(savedWorkOf));
  const begun = firstByImage(useObservable(analyses.unfinished).items);
  const shown = items.filter(({ images }) => images.total > 0).slice(0, SURVEYS_MAX);
  if (shown.length === 0) return null;
  return (
    <section className={styles.own}>
      <h2>Photographs on this tablet</h2>
      {shown.map((survey) => (
        <Strip
          key={survey.id}
          images={repositories.census.images}
          survey={survey}
          done={done}
          begun={begun}
          isExpert={isExpert}
        />
      ))}
    </section>
  );
}

interface StripProps {
  readonly images: Repositories['census']['images'];
  readonly survey: SurveyView;
  readonly done: ReadonlyMap<ImageId, LinkedWork>;
  readonly begun: ReadonlyMap<ImageId, LinkedWork>;
  readonly isExpert: boolean;
}

function firstByImage(works: readonly LinkedWork[]): ReadonlyMap<ImageId, LinkedWork> {
  return new Map(works.toReversed().map((work) => [work.imageId, work]));
}

const DONE_WORD: Readonly<Record<LinkedWork['kind'], string>> = {
  'free-draw': 'Traced',
  labels: 'Labelled',
  form: 'Percentages',
};

function Strip({ images, survey, done, begun, isExpert }: StripProps) {
  const all = useObservable(images.ofSurvey(survey.id)).items;
  const place = ({ id }: PhotographView): number => (begun.has(id) ? 0 : done.has(id) ? 2 : 1);
  // The sort is stable: the survey's order is preserved within each group.
  const first = all
    .filter(({ preview }) => preview === 'here')
    .sort((a, b) => place(a) - place(b))
    .slice(0, PHOTOGRAPHS_MAX);
  const count = all.filter(({ id }) => done.has(id)).length;
  return (
    <div className={styles.strip}>
      <p className={styles.survey}>
        <Link to="/surveys/$surveyId" params={{ surveyId: survey.id }}>
          {survey.name}
        </Link>{' '}
        <span>
          {count === 0
            ? 'none analysed yet'
            : `${count.toLocaleString('en')} of ${all.length.toLocaleString('en')} analysed`}
        </span>
      </p>
      <ul className={styles.row} aria-label={`Photographs of ${survey.name}`}>
        {first.map((photograph) => {
          const started = begun.get(photograph.id);
          const saved = done.get(photograph.id);
          const work = started ?? saved ?? newTracing(survey.id, photograph.id);
          const word = started !== undefined ? 'Started' : saved === undefined ? null : DONE_WORD[saved.kind];
          return (
            <li key={photograph.id}>
              <Link {...analysisLink(work, isExpert)}>
                <Thumbnail images={images} photograph={photograph} />
                {word !== null && <span className={styles.word}>{word}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const newTracing = (surveyId: SurveyId, imageId: ImageId): LinkedWork => ({
  kind: 'free-draw',
  version: null,
  surveyId,
  imageId,
});

function Thumbnail({
  images,
  photograph: { sha256, name },
}: {
  readonly images: Repositories['census']['images'];
  readonly photograph: PhotographView;
}) {
  const url = useThumbnail(images, sha256);
  return (
    <span className={styles.picture}>
      {url === null ? <span className={styles.name}>Trace {name}</span> : <img src={url} alt={`Trace ${name}`} />}
    </span>
  );
}
