import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { EdgeLink, Repositories } from '../../data/repositories';
import type { RegionId } from '../../domain/region/region-id';
import { Button } from '../../ui/controls/Button';
import { Note } from '../../ui/feedback/Note';
import { PageFooter, PageHeader, useObservable } from '../shell';
import { ConnectionFacts, errorText } from '../sync-status';
import styles from './BoxPage.module.css';
import { BoxesDialog } from './BoxesDialog';
import { ClockNote } from './clock/ClockNote';
import { AccessCard } from './cards/AccessCard';
import { DiskCard } from './cards/DiskCard';
import { InviteCard } from './cards/InviteCard';
import { PairForm } from './pairing/PairForm';
import { SendersCard } from './cards/SendersCard';
import { AboardCard, OwedCard, ShoreCard } from './cards/ShoreCards';
import { useNow } from './use-now';
import { VesselChart } from './VesselChart';
import { boxSubtitle, boxTitle, formatAsOf } from './vessel-text';

interface Props {
  readonly repositories: Pick<Repositories, 'edge' | 'account' | 'census'>;
  readonly servedBy: string;
  readonly regionId: RegionId;
  readonly pairCode?: string | undefined;
  /** The address must then drop the code. */
  readonly onPaired: () => void;
}

/** Page of the box: state, position, disk, senders, owed work, pairing. */
export function BoxPage({ repositories, servedBy, regionId, pairCode, onPaired }: Props) {
  const { edge } = repositories;
  const link = useObservable(edge.link.state);
  const paired = useObservable(edge.link.paired);
  const connectivity = useObservable(edge.link.connectivity);
  const meta = useObservable(edge.answers.meta);
  const surveys = useObservable(edge.answers.surveys).items;
  const senders = useObservable(edge.answers.senders);
  const answeredAt = useObservable(edge.answers.answerTimes);
  const now = useNow();
  const [codeVersion, setCodeVersion] = useState(0);
  const [isManaging, setIsManaging] = useState(false);
  const boxMeta = meta.items[0];
  const isConnected = link.status === 'connected';
  const asOf = isConnected || answeredAt.meta === undefined ? null : formatAsOf(answeredAt.meta, now);
  const boxNow =
    boxMeta === undefined || answeredAt.meta === undefined ? now : Date.parse(boxMeta.time) + (now - answeredAt.meta);
  const hasEnded = link.status === 'connected' && link.hasEnded === true;
  const asksToPair =
    link.status === 'unpaired' ||
    hasEnded ||
    link.status === 'refused' ||
    (pairCode !== undefined && !paired.items.some(({ origin }) => origin === servedBy));
  const isFirst = link.status === 'unpaired';
  return (
    <>
      <PageHeader
        title={boxTitle(link)}
        sub={subtitleText(link, boxMeta === undefined ? null : boxSubtitle(boxMeta, surveys, senders.items), asOf)}
        facts={
          <>
            <ConnectionFacts edge={edge} />
            {!isFirst && (
              <Button icon="settings" onPress={() => setIsManaging(true)}>
                Manage
              </Button>
            )}
          </>
        }
      />
      <main className={styles.page}>
        <LinkNotes
          link={link}
          impostor={connectivity.impostor}
          isChosen={connectivity.offlineByChoice}
          onTry={() => void (connectivity.offlineByChoice ? edge.link.setOfflineByChoice(false) : edge.link.check())}
        />
        {boxMeta !== undefined && isConnected && <ClockNote box={Date.parse(boxMeta.time)} tablet={answeredAt.meta} />}
        <NoPersonNote people={repositories.account.people} />
        <div className={styles.grid} data-first={isFirst}>
          {asksToPair && (
            <div className={styles.pair}>
              <PairForm
                key={pairCode ?? ''}
                edge={edge}
                servedBy={servedBy}
                code={pairCode}
                {...(link.status === 'refused' || hasEnded ? { title: 'Pair with the box again' } : {})}
                onPaired={onPaired}
              />
            </div>
          )}
          <div className={styles.chart}>
            <VesselChart repositories={repositories} regionId={regionId} />
          </div>
          {!isFirst && (
            <>
              <div className={styles.disk}>
                <DiskCard disk={boxMeta?.disk} asOf={asOf} />
              </div>
              <div className={styles.wide}>
                <SendersCard senders={senders.items} boxNow={boxNow} isKnown={senders.status === 'ready'} asOf={asOf} />
                <AboardCard meta={boxMeta} surveys={surveys} asOf={asOf} />
                <AccessCard
                  access={edge.link.access}
                  isConnected={isConnected && !hasEnded}
                  boxNow={boxNow}
                  onNewCode={() => setCodeVersion((version) => version + 1)}
                />
              </div>
              <div className={styles.side}>
                <ShoreCard meta={boxMeta} surveys={surveys} />
                <OwedCard meta={boxMeta} surveys={surveys} />
                <InviteCard key={codeVersion} edge={edge} isConnected={isConnected && !hasEnded} />
                <div className={styles.clock}>
                  <Link to="/box/clock">The box’s clock, for cameras</Link>
                </div>
              </div>
            </>
          )}
        </div>
        <PageFooter repositories={repositories} />
      </main>
      <BoxesDialog
        repositories={repositories}
        isOpen={isManaging && !isFirst}
        onClose={() => setIsManaging(false)}
        servedBy={servedBy}
      />
    </>
  );
}

function subtitleText(link: EdgeLink, facts: string | null, asOf: string | null): string {
  if (link.status === 'unpaired')
    return 'Everything is saved on this tablet. A box aboard stores the photographs, checks each one and returns a receipt.';
  if (facts === null) return 'The box aboard stores the photographs, checks each one and returns a receipt.';
  return asOf === null ? facts : `As of ${asOf}: ${facts.charAt(0).toLowerCase()}${facts.slice(1)}`;
}

/** Problem, what is safe, what to do. */
function LinkNotes({
  link,
  impostor,
  isChosen,
  onTry,
}: {
  readonly link: EdgeLink;
  readonly impostor: boolean;
  readonly isChosen: boolean;
  readonly onTry: () => void;
}) {
  if (link.status === 'unpaired') return null;
  if (isChosen) {
    return (
      <Note
        tone="plain"
        icon="offline"
        title="You chose to stay offline"
        role="status"
        action={<Button onPress={onTry}>Connect to the box</Button>}
      >
        Nothing is sent. Showing the box’s last report. All photographs are safe on this tablet.
      </Note>
    );
  }
  if (link.status === 'refused') {
    const isKey = link.why.code === 'receipt-mismatch';
    return (
      <Note
        tone="look"
        icon="alert"
        title={isKey ? 'The box has a different key' : 'The box does not accept this tablet now'}
        role="status"
      >
        {errorText(link.why)}{' '}
        {isKey ? 'Pair again only if the crew knows that the box was replaced or set up again.' : ''} All photographs
        stay safe on this tablet.
      </Note>
    );
  }
  if (impostor) {
    return (
      <Note
        tone="look"
        icon="alert"
        title="A different server answers there"
        role="status"
        action={<Button onPress={onTry}>Try now</Button>}
      >
        It cannot prove that it is the box this tablet was paired with, so nothing is sent to it. It may be the sign-in
        page of a Wi-Fi network. All photographs stay safe on this tablet.
      </Note>
    );
  }
  if (link.status === 'offline') {
    return (
      <Note
        tone="wait"
        icon="offline"
        title="Cannot reach the box"
        role="status"
        action={<Button onPress={onTry}>Try now</Button>}
      >
        Showing its last report. All photographs are safe on this tablet and are sent automatically when the box is
        back.
      </Note>
    );
  }
  return null;
}

function NoPersonNote({ people }: Pick<Repositories['account'], 'people'>) {
  const person = useObservable(people.current);
  if (person !== null) return null;
  return (
    <Note
      tone="plain"
      icon="person"
      title="No one has entered a name on this tablet yet"
      action={<Link to="/you">Enter your name</Link>}
    >
      Your name goes on each survey and photograph. No box needed.
    </Note>
  );
}
