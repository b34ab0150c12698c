import { useState, type ReactNode } from 'react';
import type { Repositories, SurveyView } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { Button } from '../../ui/Button';
import { Icon } from '../../ui/Icon';
import type { LampState } from '../../ui/Lamp';
import { Note } from '../../ui/Note';
import { PersonForm } from '../auth';
import { PageHead, useLive } from '../shell';
import { ConnectionFacts, count, CustodyLights } from '../sync-status';
import { countCustody } from './counts';
import { dayWords } from '../../domain/survey/day';
import { NewSurveyForm } from './NewSurveyForm';
import styles from './SurveysPage.module.css';

interface Props {
  readonly repositories: Repositories;
  readonly onOpen: (id: SurveyId) => void;
  /** A link around a survey's row. */
  readonly linkTo: (id: SurveyId, content: ReactNode) => ReactNode;
  /** A link to the page where the tablet is paired. */
  readonly toBox: (words: string) => ReactNode;
}

/** The surveys of this tablet, each with where its photographs are. */
export function SurveysPage({ repositories, onOpen, linkTo, toBox }: Props) {
  const { surveys, people, edge, sending, storage } = repositories;
  const read = useLive(surveys.all);
  const person = useLive(people.current);
  const link = useLive(edge.link);
  const owed = useLive(sending.facts).owed;
  const wiped = useLive(storage.facts).wiped;
  const [writing, setWriting] = useState(false);
  return (
    <>
      <PageHead title="Surveys" sub={read.status === 'stale' && read.items.length === 0 ? 'Reading what is on this tablet.' : subline(read.items.length, owed.photographs)} facts={<ConnectionFacts edge={edge} />} />
      <main className={styles.page}>
        {wiped !== null && (
          <Note tone="look" icon="alert" title="This tablet’s storage was emptied" role="status">
            The browser cleared what the app kept here (found {dayWords(wiped.foundAt)}). What the box has is safe there. Keep the camera cards of photographs that had no light for the box.
          </Note>
        )}
        {read.status === 'error' && (
          <Note tone="look" icon="alert" title="The surveys could not be read just now" role="status">
            {read.error.message} What was saved is still on this tablet.
          </Note>
        )}
        {person === null && (
          <section className={styles.card} aria-label="Who is at this tablet?">
            <h2>Who is at this tablet?</h2>
            <p className={styles.quiet}>Your name stands with each survey and photograph. It works with no network.</p>
            <PersonForm repositories={repositories} />
          </section>
        )}
        {link.status === 'unpaired' && (
          <Note tone="wait" icon="box" title="No box yet">
            What you add is kept on this tablet. {toBox('Pair it with the box')} and photographs are sent by themselves.
          </Note>
        )}
        {writing && <NewSurveyForm surveys={surveys} onAdded={onOpen} onCancel={() => setWriting(false)} />}
        {read.items.length === 0 && read.status === 'ready' && person !== null && !writing && (
          <Note icon="survey" title="No surveys yet">
            Start one for each dive or site, then add its photographs.
          </Note>
        )}
        {read.items.length > 0 && (
          <section className={styles.list} aria-label="Surveys on this tablet">
            <div className={styles.legend} aria-hidden="true">
              <span>Survey</span>
              <span className={styles.columns}>
                <span>Tablet</span>
                <span>Box</span>
                <span>Shore</span>
              </span>
            </div>
            <ul>
              {read.items.map((survey) => (
                <li key={survey.id} className={styles.item}>
                  {linkTo(survey.id, <SurveyRow survey={survey} repositories={repositories} />)}
                </li>
              ))}
            </ul>
          </section>
        )}
      </main>
      {!writing && (
        <footer className={styles.foot}>
          <Button look="primary" icon="plus" isDisabled={person === null} onPress={() => setWriting(true)}>
            {person === null ? 'New survey: your name first' : 'New survey'}
          </Button>
        </footer>
      )}
    </>
  );
}

function SurveyRow({ survey, repositories: { images } }: { readonly survey: SurveyView; readonly repositories: Pick<Repositories, 'images'> }) {
  const counts = countCustody(useLive(images.ofSurvey(survey.id)).items);
  const light = (n: number): LampState => (counts.total > 0 && n === counts.total ? 'on' : n > 0 ? 'going' : 'off');
  return (
    <span className={styles.row}>
      <span className={styles.words}>
        <b>{survey.name}</b>
        <span className={styles.quiet}>
          {dayWords(survey.date)}, {count(counts.total, 'photograph')}
          {survey.custody.at === 'held' && `. Held back: ${survey.custody.reason.message}`}
        </span>
      </span>
      <CustodyLights lights={{ tablet: light(counts.tablet), box: counts.onItsWay > 0 ? 'going' : light(counts.box), shore: light(counts.shore) }} counts={counts} />
      <Icon name="next" />
    </span>
  );
}

function subline(surveys: number, owed: number): string {
  if (surveys === 0) return 'None on this tablet yet.';
  const all = count(surveys, 'survey');
  return owed === 0 ? `${all}. Nothing waits to be sent.` : `${all}. ${count(owed, 'photograph')} safe here, still to be sent.`;
}
