import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useDeferredValue, useMemo, useRef, useState, type RefObject } from 'react';
import { formatCount, pluralize } from '../../../base/plural';
import type { Repositories, SurveyView } from '../../../data/repositories';
import type { SurveyId } from '../../../domain/ids';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { PersonForm, SignInButton } from '../../auth';
import { PageFooter, PageHeader, useObservable, useRegion } from '../../shell';
import { ConnectionFacts, CustodyLegend } from '../../sync-status';
import { filterSurveys, findSurveys, SURVEY_FILTERS, type SurveyFilter } from './find-surveys';
import styles from './SurveysPage.module.css';

// Lazy, to keep the first load small: the app starts with this page.
const NewSurveyForm = lazy(() => import('./NewSurveyForm').then((module) => ({ default: module.NewSurveyForm })));
const SurveyList = lazy(() => import('./SurveyList').then((module) => ({ default: module.SurveyList })));
const DeletedSurveys = lazy(() => import('./DeletedSurveys').then((module) => ({ default: module.DeletedSurveys })));
const Chips = lazy(() => import('../../../ui/controls/Chips').then((module) => ({ default: module.Chips })));
const TextField = lazy(() =>
  import('../../../ui/controls/TextField').then((module) => ({ default: module.TextField })),
);

/** Number of surveys from which the search is shown. */
const SEARCH_FROM = 8;

interface Props {
  readonly repositories: Repositories;
  readonly onOpen: (id: SurveyId) => void;
}

/** Surveys of this tablet with their custody. */
export function SurveysPage({ repositories, onOpen }: Props) {
  const {
    edge,
    census: { surveys, reefs, regions },
    account: { people },
    custody: { sending },
  } = repositories;
  const read = useObservable(surveys.all);
  const person = useObservable(people.current);
  const ofOthers = useObservable(surveys.othersCount);
  const link = useObservable(edge.link.state);
  const { owed, to } = useObservable(sending.facts);
  const region = useRegion();
  const { items } = read;
  // Preloads the reef table, so that the first letter in the reef field finds it; a newer one arrives automatically.
  useObservable(reefs.table(region));
  const [writing, setWriting] = useState(false);
  /** The form was cancelled: its button gets the focus again. */
  const [wasCancelled, setReturned] = useState(false);
  const page = useRef<HTMLElement>(null);
  return (
    <>
      <PageHeader
        title="Surveys"
        sub={
          read.status === 'stale' && items.length === 0
            ? 'Loading from this tablet.'
            : subline(items.length, owed.photographs)
        }
        facts={<ConnectionFacts edge={edge} />}
      />
      <main className={styles.page} ref={page}>
        {read.status === 'error' && (
          <Note tone="look" icon="alert" title="The surveys could not be read" role="status">
            {read.error.message} Everything saved is still on this tablet.
          </Note>
        )}
        {person === null && (
          <section className={styles.card} aria-label="Who is using this tablet?">
            <h2>Who is using this tablet?</h2>
            <p className={styles.quiet}>Your name goes on each survey and photograph. No network needed.</p>
            <PersonForm repositories={repositories} />
            <SignInButton repositories={repositories} />
          </section>
        )}
        {/* The box note waits until a person is entered, so that nothing moves while their form loads. */}
        {link.status === 'unpaired' && person !== null && !writing && (
          <Note tone="wait" icon="box" title="No box yet">
            Everything you add is saved on this tablet. <Link to="/box">Pair it with the box</Link> and photographs are
            sent automatically.
          </Note>
        )}
        {writing && (
          <Suspense fallback={null}>
            <NewSurveyForm
              surveys={surveys}
              edge={edge}
              reefs={reefs}
              regions={regions}
              region={region}
              onAdded={onOpen}
              onCancel={() => {
                setWriting(false);
                setReturned(true);
              }}
            />
          </Suspense>
        )}
        {ofOthers > 0 && (
          <p className={styles.quiet}>
            {formatCount(ofOthers, 'survey')} of others who used this tablet {pluralize(ofOthers, 'is', 'are')} stored
            and sent. {pluralize(ofOthers, 'It appears', 'They appear')} when they sign in.
          </p>
        )}
        {items.length === 0 && read.status === 'ready' && person !== null && !writing && (
          <Note icon="survey" title="No surveys yet">
            Start one for each dive or site, then add its photographs.
          </Note>
        )}
        <FoundSurveys repositories={repositories} surveys={items} to={to} scroller={page} />
        <Suspense fallback={null}>
          <DeletedSurveys surveys={surveys} />
        </Suspense>
        {(read.status !== 'stale' || items.length > 0) && <PageFooter repositories={repositories} />}
      </main>
      {!writing && (
        <footer className={styles.foot} data-foot>
          <Button
            variant="primary"
            icon="plus"
            isDisabled={person === null}
            autoFocus={wasCancelled}
            onPress={() => setWriting(true)}
          >
            {person === null ? 'New survey: enter your name first' : 'New survey'}
          </Button>
        </footer>
      )}
    </>
  );
}

/** Surveys with their search, and the link to their conflicts. */
function FoundSurveys({
  repositories,
  surveys,
  to,
  scroller,
}: {
  readonly repositories: Repositories;
  readonly surveys: readonly SurveyView[];
  readonly to: 'box' | 'shore';
  readonly scroller: RefObject<HTMLElement | null>;
}) {
  const {
    custody,
    census: { images, surveys: stored },
    account: { people },
  } = repositories;
  const counts = useObservable(custody.photographs.surveys).items;
  const me = useObservable(people.current)?.uid ?? null;
  const named = useObservable(stored.authors).items;
  const names = useMemo(() => new Map(named.map(({ uid, name }) => [uid, name])), [named]);
  const [filter, setFilter] = useState<SurveyFilter>('all');
  const conflictCount = surveys.reduce((sum, survey) => sum + survey.conflicts, 0);
  const [query, setQuery] = useState('');
  const deferredQuery = useDeferredValue(query);
  const found = useMemo(
    () =>
      filterSurveys(findSurveys(surveys, deferredQuery), filter, {
        me,
        custody: new Map(counts.map((each) => [each.surveyId, each])),
      }),
    [surveys, deferredQuery, filter, me, counts],
  );
  const showAll = (): void => {
    setQuery('');
    setFilter('all');
  };
  return (
    <>
      {surveys.length > SEARCH_FROM && (
        <Suspense fallback={null}>
          <TextField
            label="Search the surveys"
            type="search"
            value={query}
            onChange={setQuery}
            maxLength={120}
            help={`${formatCount(found.length, 'survey')} of ${surveys.length.toLocaleString('en')}: reef, number or day`}
          />
        </Suspense>
      )}
      {surveys.length > 1 && (
        <Suspense fallback={null}>
          <Chips
            label="Which surveys"
            options={SURVEY_FILTERS}
            value={filter}
            onChange={(value) => setFilter(value as SurveyFilter)}
          />
        </Suspense>
      )}
      {surveys.length > 0 && found.length === 0 && (
        <Note icon="search" title="No matching survey" action={<Button onPress={showAll}>Show all</Button>}>
          {surveys.length === 1 ? 'Your survey is' : `All ${surveys.length.toLocaleString('en')} are`} still here.
        </Note>
      )}
      {conflictCount > 0 && (
        <p className={styles.twice}>
          <Link to="/conflicts">Resolve {formatCount(conflictCount, 'value')} with conflicting edits</Link>
        </p>
      )}
      {found.length > 0 && (
        <section className={styles.list} aria-label="Surveys on this tablet">
          <CustodyLegend of="Survey" />
          <Suspense fallback={null}>
            <SurveyList
              surveys={found}
              lastOpen={stored.current}
              images={images}
              me={me}
              names={names}
              custody={counts}
              to={to}
              scroller={scroller}
            />
          </Suspense>
        </section>
      )}
    </>
  );
}

function subline(surveys: number, owed: number): string {
  if (surveys === 0) return 'None on this tablet yet.';
  const all = formatCount(surveys, 'survey');
  return owed === 0
    ? `${all}. Nothing to send.`
    : `${all}. ${formatCount(owed, 'photograph')} safe here, still to send.`;
}
