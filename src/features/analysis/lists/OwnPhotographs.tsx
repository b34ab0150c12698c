import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { PhotographView, Repositories, SurveyView } from '../../../data/repositories';
import type { ImageId } from '../../../domain/ids';
import { useObservable } from '../../shell';
import styles from './OwnPhotographs.module.css';

interface Props {
  readonly repositories: Pick<Repositories, 'census'>;
}

const SURVEYS_MAX = 3;
const PHOTOGRAPHS_MAX = 8;

export function OwnPhotographs({ repositories }: Props) {
  const {
    census: { analyses, surveys },
  } = repositories;
  const { items } = useObservable(surveys.all);
  const traced = new Set(useObservable(analyses.mine).items.map(({ imageId }) => imageId));
  const begun = new Set(useObservable(analyses.unfinished).items.map(({ imageId }) => imageId));
  const shown = items.filter(({ images }) => images.total > 0).slice(0, SURVEYS_MAX);
  if (shown.length === 0) return null;
  return (
    <section className={styles.own}>
      <h2>Photographs on this tablet</h2>
      {shown.map((survey) => (
        <Strip key={survey.id} images={repositories.census.images} survey={survey} traced={traced} begun={begun} />
      ))}
    </section>
  );
}

interface StripProps {
  readonly images: Repositories['census']['images'];
  readonly survey: SurveyView;
  readonly traced: ReadonlySet<ImageId>;
  readonly begun: ReadonlySet<ImageId>;
}

function Strip({ images, survey, traced, begun }: StripProps) {
  const all = useObservable(images.ofSurvey(survey.id)).items;
  const place = ({ id }: PhotographView): number => (begun.has(id) ? 0 : traced.has(id) ? 2 : 1);
  // The sort is stable: the survey's order is preserved within each group.
  const first = all
    .filter(({ preview }) => preview === 'here')
    .sort((a, b) => place(a) - place(b))
    .slice(0, PHOTOGRAPHS_MAX);
  const done = all.filter(({ id }) => traced.has(id)).length;
  return (
    <div className={styles.strip}>
      <p className={styles.survey}>
        <Link to="/surveys/$surveyId" params={{ surveyId: survey.id }}>
          {survey.name}
        </Link>{' '}
        <span>
          {done === 0 ? 'none traced yet' : `${done.toLocaleString('en')} of ${all.length.toLocaleString('en')} traced`}
        </span>
      </p>
      <ul className={styles.row} aria-label={`Photographs of ${survey.name}`}>
        {first.map((photograph) => {
          const word = begun.has(photograph.id) ? 'Started' : traced.has(photograph.id) ? 'Traced' : null;
          return (
            <li key={photograph.id}>
              <Link to="/analysis/$survey/$id" params={{ survey: survey.id, id: photograph.id }}>
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

function Thumbnail({
  images,
  photograph: { sha256, name },
}: {
  readonly images: Repositories['census']['images'];
  readonly photograph: PhotographView;
}) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    let made: string | undefined;
    images.thumbnail(sha256).then(
      (picture) => {
        if (isOver || picture === null) return;
        made = URL.createObjectURL(picture);
        setUrl(made);
      },
      (error: unknown) => console.warn('A thumbnail could not be read:', error),
    );
    return () => {
      isOver = true;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [images, sha256]);
  return (
    <span className={styles.picture}>
      {url === null ? <span className={styles.name}>Trace {name}</span> : <img src={url} alt={`Trace ${name}`} />}
    </span>
  );
}
