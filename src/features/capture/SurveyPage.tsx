import type { ReactNode } from 'react';
import { DropZone, FileTrigger } from 'react-aria-components';
import type { Repositories, SurveyView } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { Button } from '../../ui/Button';
import { Note } from '../../ui/Note';
import { TideGauge } from '../../ui/TideGauge';
import { PageHead, useLive } from '../shell';
import { ConnectionFacts, count, SendingStrip, Stations } from '../sync-status';
import { addingOf, type AddingItem } from './adding';
import { AddingRow } from './AddingRow';
import { countCustody, type CustodyCounts } from '../survey';
import { dayWords } from '../../domain/survey/day';
import { PhotographRow } from './PhotographRow';
import styles from './SurveyPage.module.css';

interface Props {
  readonly repositories: Repositories;
  readonly surveyId: SurveyId;
  /** The way back to the surveys. */
  readonly back: ReactNode;
}

/** One survey: add photographs, see where each of them is. */
export function SurveyPage({ repositories, surveyId, back }: Props) {
  const { images, surveys, sending, edge, storage } = repositories;
  const survey = useLive(surveys.one(surveyId));
  const photographs = useLive(images.ofSurvey(surveyId));
  const queue = addingOf(images);
  const adding = useLive(queue);
  const mine = adding.items.filter((item) => item.surveyId === surveyId);
  const done = adding.done.get(surveyId) ?? { saved: 0, known: 0 };
  const counts = countCustody(photographs.items);

  function add(files: readonly File[]) {
    if (files.length === 0) return;
    // Browsers ask a person at most once, and some only after a gesture such as this one.
    if (storage.facts.get().persisted !== true) void storage.persist();
    queue.add(files, surveyId);
  }

  const shown = survey.items[0];
  if (shown === undefined && survey.status === 'ready') {
    return (
      <>
        <PageHead title="No such survey" back={back} />
        <main className={styles.note}>
          <Note icon="survey" title="This survey is not on this tablet">
            It was deleted, or it has not come from the box yet.
          </Note>
        </main>
      </>
    );
  }
  return (
    <>
      <PageHead title={shown?.name ?? 'Survey'} sub={shown === undefined ? '' : subline(shown, counts.total)} back={back} facts={<ConnectionFacts edge={edge} />} />
      <DropZone className={styles.drop ?? ''} aria-label="Drop photographs here" onDrop={(event) => void droppedFiles(event.items).then(add)}>
        <main className={styles.page}>
          <div className={styles.card}>
            <Stations label="Where the photographs of this survey are" total={counts.total} tablet={counts.tablet} box={counts.box} shore={counts.shore} moving={counts.onItsWay > 0} />
            <SendingStrip sending={sending} total={counts.total} onBox={counts.box + counts.shore} onItsWay={counts.onItsWay} />
          </div>
          {photographs.status === 'error' && (
            <Note tone="look" icon="alert" title="The photographs could not be read just now" role="status">
              {photographs.error.message} What was saved is still on this tablet.
            </Note>
          )}
          <Adding items={mine} done={done} onDismiss={() => queue.dismiss(surveyId)} />
          {counts.total === 0 && mine.length === 0 && photographs.status !== 'stale' ? (
            <Note icon="photos" title="No photographs yet">
              Add them from a card, a folder or the camera, or drop them here. Up to 500 at a time is fine.
            </Note>
          ) : (
            <section className={styles.card} aria-label="Photographs">
              <ul>
                {mine.map((item) => (
                  <AddingRow key={`adding-${item.key}`} item={item} />
                ))}
                {photographs.items.toReversed().map((photograph) => (
                  <PhotographRow key={photograph.id} images={images} photograph={photograph} />
                ))}
              </ul>
            </section>
          )}
        </main>
      </DropZone>
      <footer className={styles.foot}>
        <p className={styles.safe}>
          <b>{verdict(counts, mine)[0]}</b>
          {verdict(counts, mine)[1]}
        </p>
        {/* No accept list: a phone's picture picker strips the position from what it hands over, a file chooser does not. */}
        <FileTrigger allowsMultiple onSelect={(files) => add(files === null ? [] : [...files])}>
          <Button look="primary" icon="plus">
            Add photographs
          </Button>
        </FileTrigger>
      </footer>
    </>
  );
}

function Adding({ items, done, onDismiss }: { readonly items: readonly AddingItem[]; readonly done: { readonly saved: number; readonly known: number }; readonly onDismiss: () => void }) {
  const refused = items.filter((item) => item.state.status === 'refused').length;
  const left = items.length - refused;
  if (items.length === 0 && done.known === 0) return null;
  const total = items.length + done.saved + done.known;
  return (
    <section className={styles.gauge} aria-label="Adding photographs">
      <p className={styles.read} role="status">
        <b>{(total - left).toLocaleString('en')}</b> of {total.toLocaleString('en')} read
      </p>
      <TideGauge
        ticks
        label="Adding photographs"
        total={total}
        parts={[
          { fill: 'saved', count: done.saved },
          { fill: 'left-out', count: done.known },
          { fill: 'look', count: refused },
        ]}
      />
      <p className={styles.key}>
        {count(done.saved, 'photograph')} saved
        {done.known > 0 && `, ${done.known} here already`}
        {refused > 0 && `, ${refused} left out`}
        {left > 0 && `, ${left} waiting`}
        {refused > 0 && (
          <Button look="quiet" onPress={onDismiss}>
            Clear the list of those left out
          </Button>
        )}
      </p>
    </section>
  );
}

/** What is safe, said first. */
function verdict(counts: CustodyCounts, adding: readonly AddingItem[]): readonly [string, string] {
  const reading = adding.filter((item) => item.state.status !== 'refused').length;
  if (reading > 0) return ['Keep the card in the reader.', `${count(reading, 'photograph')} still to be read.`];
  if (counts.total === 0) return ['Nothing to lose yet.', 'Photographs are kept on this tablet first.'];
  if (counts.alone > 0) return ['Do not wipe the card yet.', `${count(counts.alone, 'photograph')} of this survey ${counts.alone === 1 ? 'is' : 'are'} on this tablet only.`];
  return ['All of this survey is on the box.', 'Each photograph has its receipt.'];
}

function subline(survey: SurveyView, total: number): string {
  return `${dayWords(survey.date)}, ${count(total, 'photograph')}`;
}

/** Files of a drop; folders are walked. */
async function droppedFiles(items: Parameters<NonNullable<React.ComponentProps<typeof DropZone>['onDrop']>>[0]['items']): Promise<File[]> {
  const files: File[] = [];
  const walk = async (list: typeof items): Promise<void> => {
    for (const item of list) {
      if (item.kind === 'file') files.push(await item.getFile());
      else if (item.kind === 'directory') {
        const inside: typeof items = [];
        for await (const entry of item.getEntries()) inside.push(entry);
        await walk(inside);
      }
    }
  };
  await walk(items);
  return files;
}
