import { Link } from '@tanstack/react-router';
import { useMemo, useRef } from 'react';
import type { Repositories, SurveyView } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { formatDay } from '../../../domain/survey/day';
import { Button } from '../../../ui/controls/Button';
import { Icon } from '../../../ui/display/Icon';
import { PageHeader, useObservable } from '../../shell';
import { OpenedSurvey } from '../OpenedSurvey';
import styles from './PrintPage.module.css';
import { Sheet } from './Sheet';
import { useSheetPictures } from './use-sheet-pictures';

interface Props {
  readonly repositories: Repositories;
  readonly surveyId: SurveyId;
}

/** Survey as it is printed: for the vessel's log folder, or for staff. */
export function PrintPage({ repositories, surveyId }: Props) {
  return (
    <OpenedSurvey repositories={repositories} surveyId={surveyId}>
      {(survey) => <Printable repositories={repositories} survey={survey} />}
    </OpenedSurvey>
  );
}

function Printable({ repositories, survey }: { readonly repositories: Repositories; readonly survey: SurveyView }) {
  const { images } = repositories.census;
  const read = useObservable(useMemo(() => images.ofSurvey(survey.id), [images, survey.id]));
  const pictures = useSheetPictures(images, read.items);
  const sheet = useRef<HTMLElement>(null);
  const isReady = read.status !== 'stale' && pictures.done === read.items.length;
  const print = async (): Promise<void> => {
    const shown = [...(sheet.current?.querySelectorAll('img') ?? [])];
    // A picture that cannot be decoded leaves its place empty, and the page is printed.
    await Promise.allSettled(shown.map((picture) => picture.decode()));
    window.print();
  };
  return (
    <>
      <PageHeader
        title="Print this survey"
        sub={survey.date === '' ? survey.name : `${survey.name}, ${formatDay(survey.date)}`}
        back={
          <Link
            to="/surveys/$surveyId"
            params={{ surveyId: survey.id }}
            className={styles.back ?? ''}
            aria-label="Back to the survey"
          >
            <Icon name="back" />
          </Link>
        }
      />
      <main className={styles.page} tabIndex={0} aria-label="Page as it is printed">
        <Sheet ref={sheet} repositories={repositories} survey={survey} photographs={read.items} urls={pictures.urls} />
      </main>
      <footer className={styles.foot} data-foot>
        <p role="status">
          {isReady
            ? 'A4 or Letter, upright. Works without a network.'
            : `Reading the pictures: ${pictures.done.toLocaleString('en')} of ${read.items.length.toLocaleString('en')}`}
        </p>
        <Button variant="primary" isDisabled={!isReady} onPress={() => void print()}>
          Print
        </Button>
      </footer>
    </>
  );
}
