import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { formatCount } from '../../base/plural';
import type { Repositories, SurveyCustody } from '../../data/repositories';
import type { SurveyId } from '../../domain/ids';
import { Note } from '../../ui/feedback/Note';
import { PageFooter, PageHeader, useObservable } from '../shell';
import { ConnectionFacts, CustodyLegend, SendingStrip, Stations } from '../sync-status';
import { BoxCountCheck } from './BoxCountCheck';
import { CardVerdicts } from './CardVerdicts';
import styles from './PhotographsPage.module.css';
import { RescueCard } from './RescueCard';
import { SpaceCard } from './SpaceCard';
import { ArrivalSignalSettings } from './ArrivalSignalSettings';
import { OthersCustodyRow, SurveyCustodyRow } from './SurveyCustodyRow';
import { lostByBoxText, totalsText, totalsOf } from './custody-text';

interface Props {
  readonly repositories: Repositories;
}

/** Longest wait of counts and verdicts for each other, ms. */
const TOGETHER_MS = 1000;

export function PhotographsPage({ repositories }: Props) {
  const {
    custody,
    edge,
    custody: { cards, sending },
  } = repositories;
  const read = useObservable(custody.photographs.surveys);
  const verdicts = useObservable(cards.all);
  // Counts and verdicts arrive at nearly the same moment; shown together, the page does not jump.
  const [isKnown, setKnown] = useState(false);
  if (!isKnown && [read, verdicts].every(({ status, items }) => status !== 'stale' || items.length > 0)) setKnown(true);
  useEffect(() => {
    const wait = setTimeout(() => setKnown(true), TOGETHER_MS);
    return () => clearTimeout(wait);
  }, []);
  const [open, toggle] = useOpen(read.items);
  const totals = totalsOf(read.items);
  const isEmpty = read.items.length === 0;
  const own = read.items.filter(({ isOfOthers }) => !isOfOthers);
  const others = read.items.filter(({ isOfOthers }) => isOfOthers);
  const { to } = useObservable(sending.facts);
  return (
    <>
      <PageHeader
        title="Where are my photographs"
        sub={isEmpty && read.status === 'stale' ? 'Counting what is on this tablet.' : totalsText(totals)}
        facts={<ConnectionFacts edge={edge} />}
      />
      <main className={styles.page}>
        {isKnown && (
          <>
            <div className={styles.main}>
              <section className={styles.sea} aria-label="Tablet, box and shore">
                <Stations
                  label="All photographs"
                  total={totals.total}
                  tablet={totals.tablet}
                  box={totals.box}
                  shore={totals.shore}
                  moving={totals.onItsWay > 0}
                  to={to}
                />
                {!isEmpty && (
                  <SendingStrip
                    sending={sending}
                    total={totals.total}
                    onBox={totals.box}
                    ashore={totals.shore}
                    onItsWay={totals.onItsWay}
                    held={totals.held}
                    missing={totals.missing}
                    canStop
                  />
                )}
              </section>
              {totals.lostByBox > 0 && (
                <Note tone="look" icon="alert" title={lostByBoxText(totals).title} role="status">
                  {lostByBoxText(totals).detail}
                </Note>
              )}
              <AttentionNotes repositories={repositories} />
              {read.status === 'error' && (
                <Note tone="look" icon="alert" title="The photographs could not be counted" role="status">
                  {read.error.message} Everything saved is still on this tablet.
                </Note>
              )}
              {isEmpty && read.status === 'ready' && (
                <Note icon="photos" title="No photographs yet">
                  Start a survey and add its photographs. This page then shows where each one is.
                </Note>
              )}
              {!isEmpty && (
                <section className={styles.list} aria-label="Surveys">
                  <CustodyLegend of="Survey" />
                  <ul>
                    {own.map((survey) => (
                      <SurveyCustodyRow
                        key={survey.surveyId}
                        survey={survey}
                        to={to}
                        isOpen={open.has(survey.surveyId)}
                        onToggle={() => toggle(survey.surveyId)}
                        repositories={repositories}
                      />
                    ))}
                    {others.length > 0 && <OthersCustodyRow surveys={others} to={to} />}
                  </ul>
                  <BoxCountCheck edge={edge} surveys={read.items} />
                </section>
              )}
            </div>
            <aside className={styles.side} aria-label="Cards and copies">
              <CardVerdicts cards={cards} sending={sending} />
              <SpaceCard space={repositories.tablet.space} />
              <RescueCard rescue={repositories.custody.rescue} sending={sending} />
              <ArrivalSignalSettings />
            </aside>
            <PageFooter repositories={repositories} />
          </>
        )}
      </main>
    </>
  );
}

/** Notes on sign-in ashore and on conflicts. */
function AttentionNotes({
  repositories: { account, census, custody, edge },
}: {
  readonly repositories: Pick<Repositories, 'account' | 'census' | 'custody' | 'edge'>;
}) {
  const { owed } = useObservable(custody.sending.facts);
  const shore = useObservable(account.signIn.facts);
  const { answering } = useObservable(edge.link.connectivity);
  const twice = useObservable(census.conflicts.all).items.length;
  return (
    <>
      {answering === 'www' && !shore.canSend && owed.records + owed.photographs > 0 && (
        <Note icon="shore" title="The shore is in reach, but no box is">
          <Link to="/you" hash="shore">
            Sign in ashore
          </Link>{' '}
          and everything waiting here is sent automatically. Until then, all of it is safe on this tablet.
        </Note>
      )}
      {shore.link === 'refused' && (
        <Note tone="look" icon="alert" title="The shore no longer accepts this tablet" role="status">
          <Link to="/you" hash="shore">
            Sign in ashore again
          </Link>
          . Everything is safe on this tablet, and a box still accepts it.
        </Note>
      )}
      {shore.link === 'revoked' && (
        <Note tone="look" icon="alert" title="This tablet was revoked ashore" role="status">
          It still sends what it holds, and sees nothing new from the shore.{' '}
          <Link to="/you" hash="shore">
            Sign in ashore again
          </Link>{' '}
          to use it as before.
        </Note>
      )}
      {twice > 0 && (
        <Note
          tone="look"
          icon="dup"
          title={`${formatCount(twice, 'value')} with conflicting edits`}
          action={<Link to="/conflicts">Resolve</Link>}
        >
          All answers are saved until then.
        </Note>
      )}
    </>
  );
}

function useOpen(surveys: readonly SurveyCustody[]): readonly [ReadonlySet<SurveyId>, (id: SurveyId) => void] {
  const [open, setOpen] = useState<ReadonlySet<SurveyId> | null>(null);
  const newest = surveys.find(({ isOfOthers }) => !isOfOthers)?.surveyId;
  useEffect(() => {
    if (newest !== undefined) setOpen((now) => now ?? new Set([newest]));
  }, [newest]);
  return [
    open ?? new Set(),
    (id) =>
      setOpen((now) => {
        const next = new Set(now);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
  ];
}
