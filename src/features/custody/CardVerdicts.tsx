import { useState } from 'react';
import { formatCount } from '../../base/plural';
import type { CardRepository, CardView, SendingFacts, SendingRepository } from '../../data/repositories';
import type { WipeBlocker, WipeVerdict } from '../../domain/custody/wipe-verdict';
import { Button } from '../../ui/controls/Button';
import { Disclosure } from '../../ui/controls/Disclosure';
import { HoldButton } from '../../ui/controls/HoldButton';
import { Icon } from '../../ui/display/Icon';
import { Lamp } from '../../ui/feedback/Lamp';
import { TideGauge } from '../../ui/feedback/TideGauge';
import { NoWrap } from '../../ui/display/NoWrap';
import { useObservable } from '../shell';
import { errorText } from '../sync-status';
import styles from './CardVerdicts.module.css';
import { missingText, formatTime, shortVerdictTitle, verdictTitle } from './custody-text';

const FULL_CARDS = 1;

interface Props {
  readonly cards: CardRepository;
  readonly sending: SendingRepository;
}

export function CardVerdicts({ cards, sending }: Props) {
  const { items } = useObservable(cards.all);
  const facts = useObservable(sending.facts);
  const [all, setAll] = useState(false);
  const rest = items.slice(FULL_CARDS);
  const shown = all ? rest : rest.slice(0, 3);
  const askable = items.filter(({ verdict: { kind } }) => kind === 'check-now' || kind === 'safe').length;
  return (
    <>
      {items.slice(0, FULL_CARDS).map((card) => (
        <FullVerdict key={card.surveyId} card={card} cards={cards} facts={facts} />
      ))}
      {askable > 1 && (
        <Button isDisabled={items.some(({ checking }) => checking !== null)} onPress={() => void cards.checkAll()}>
          {`Ask the ${facts.to} about all ${askable.toLocaleString('en')} cards`}
        </Button>
      )}
      {shown.map((card) => (
        <ShortVerdict key={card.surveyId} card={card} cards={cards} facts={facts} />
      ))}
      {rest.length > shown.length && (
        <Button onPress={() => setAll(true)}>{`${rest.length - shown.length} more cards`}</Button>
      )}
    </>
  );
}

/** True for a verdict of an earlier check, which is shown with its time. */
function isDated(verdict: WipeVerdict): boolean {
  return (verdict.kind === 'check-now' || verdict.kind === 'check-later') && verdict.last !== null;
}

interface CardProps {
  readonly card: CardView;
  readonly cards: CardRepository;
  readonly facts: SendingFacts;
}

function FullVerdict({ card, cards, facts }: CardProps) {
  const { verdict, name } = card;
  if (verdict.kind === 'nothing') return null;
  const isSafe = verdict.kind === 'safe';
  return (
    <section
      className={`${styles.verdict} ${isSafe ? styles.safe : isDated(verdict) ? styles.plain : styles.keep}`}
      aria-label={`Camera card, ${name}`}
      data-verdict={verdict.kind}
    >
      <p className={styles.card}>
        <Icon name={isSafe ? 'check' : 'card'} />
        <span>
          Camera card, <NoWrap>{name}</NoWrap>
        </span>
      </p>
      <div role="status">
        <h2>{verdictTitle(verdict, facts.to, new Date())}</h2>
      </div>
      <p className={styles.lead}>{leadText(verdict, facts.to)}</p>
      <Steps verdict={verdict} facts={facts} />
      <NextSteps card={card} cards={cards} to={facts.to} />
    </section>
  );
}

function ShortVerdict({ card, cards, facts }: CardProps) {
  const { verdict, name } = card;
  if (verdict.kind === 'nothing') return null;
  const isSafe = verdict.kind === 'safe';
  return (
    <section
      className={`${styles.short} ${isSafe ? styles.safe : styles.plain}`}
      aria-label={`Camera card, ${name}`}
      data-verdict={verdict.kind}
    >
      <Icon name={isSafe ? 'check' : 'card'} />
      <div className={styles.words}>
        <b>
          <NoWrap>{shortVerdictTitle(verdict, facts.to, name, new Date())}</NoWrap>
        </b>
        <p>{leadText(verdict, facts.to)}</p>
        {verdict.kind === 'keep' && (
          <Disclosure title="What is missing" level={4}>
            <Steps verdict={verdict} facts={facts} />
          </Disclosure>
        )}
        <NextSteps card={card} cards={cards} to={facts.to} />
      </div>
    </section>
  );
}

function leadText(verdict: WipeVerdict, to: SendingFacts['to']): string {
  const now = new Date();
  const there = to === 'shore' ? 'ashore' : 'on the box';
  switch (verdict.kind) {
    case 'nothing':
      return '';
    case 'safe': {
      const place = to === 'shore' ? 'ashore' : `on ${verdict.boxName}`;
      const both =
        verdict.onTablet === verdict.total
          ? `on this tablet and ${place}`
          : verdict.onTablet === 0
            ? place
            : `${place}, ${verdict.onTablet.toLocaleString('en')} of them on this tablet too`;
      return `${verdict.total === 1 ? 'The one photograph that was added is' : `All ${verdict.total.toLocaleString('en')} that were added are`} ${both}. The ${to} confirmed each of them at ${formatTime(verdict.at, now)}.`;
    }
    case 'keep':
      return verdict.onBox === verdict.total && verdict.total > 0
        ? `${verdict.total === 1 ? 'The one photograph that was read is' : `All ${verdict.total.toLocaleString('en')} photographs that were read are`} ${there}; the rest is unresolved.`
        : `${verdict.onBox.toLocaleString('en')} of ${formatCount(verdict.total, 'photograph')} ${there}.`;
    case 'check-now':
      return verdict.last === null
        ? `${receiptedText(verdict.total)} The ${to} is asked to confirm ${verdict.total === 1 ? 'it' : 'each of them'} again.`
        : `It had ${allText(verdict.total)} then. Ask again before you wipe the card.`;
    case 'check-later':
      return verdict.last === null
        ? `${receiptedText(verdict.total)} The ${to} is not in reach and cannot confirm ${verdict.total === 1 ? 'it' : 'them'} now.`
        : `It had ${allText(verdict.total)} then. It is not in reach now: ask again before you wipe the card.`;
  }
}

const allText = (total: number): string => (total === 1 ? 'the photograph' : `all ${total.toLocaleString('en')}`);

const receiptedText = (total: number): string =>
  total === 1 ? 'The photograph has a receipt.' : `All ${total.toLocaleString('en')} have a receipt.`;

function Steps({ verdict, facts }: { readonly verdict: WipeVerdict; readonly facts: SendingFacts }) {
  if (verdict.kind !== 'keep') return null;
  const unread = verdict.blockers.filter(
    ({ kind }) => kind === 'reading' || kind === 'unread' || kind === 'left-out' || kind === 'wiped',
  );
  const onBox = verdict.blockers.filter((missing) => !unread.includes(missing));
  return (
    <ol className={styles.steps}>
      {unread.length === 0 && (
        <Step
          icon={<Lamp shape="upright" state="on" />}
          title={verdict.total === 1 ? 'Read and saved' : `All ${verdict.total.toLocaleString('en')} read and saved`}
          detail="on this tablet"
        />
      )}
      {unread.map((missing) => (
        <Step key={missing.kind} icon={<Lamp shape="upright" state="going" />} {...missingText(missing)} />
      ))}
      {onBox.map((missing) => (
        <Step
          key={missing.kind}
          icon={<Lamp shape={facts.to === 'shore' ? 'hill' : 'hull'} state={verdict.onBox > 0 ? 'going' : 'off'} />}
          {...missingText(missing, facts.to)}
          detail={boxDetail(missing, facts)}
        />
      ))}
      <Step icon={<Icon name="lock" />} title="Then the card is safe to wipe" detail="and the bell sounds" />
    </ol>
  );
}

function boxDetail(missing: WipeBlocker, { remainingMs, state, to }: SendingFacts): string {
  const { detail } = missingText(missing, to);
  if (missing.kind !== 'no-receipt' || state !== 'sending' || remainingMs === null) return detail;
  return `${detail} Done at about ${formatTime(new Date(Date.now() + remainingMs).toISOString(), new Date())}.`;
}

function Step({
  icon,
  title,
  detail,
}: {
  readonly icon: React.ReactNode;
  readonly title: string;
  readonly detail: string;
}) {
  return (
    <li>
      {icon}
      <span>
        <b>{title}</b>
        {detail}
      </span>
    </li>
  );
}

function NextSteps({
  card: { surveyId, isOfOthers, verdict, checking, problem },
  cards,
  to,
}: {
  readonly card: CardView;
  readonly cards: CardRepository;
  readonly to: SendingFacts['to'];
}) {
  const leftOut =
    verdict.kind === 'keep'
      ? verdict.blockers.flatMap((missing) => (missing.kind === 'left-out' ? missing.files : []))
      : [];
  const canAcknowledge =
    verdict.kind === 'keep' && verdict.blockers.some(({ kind }) => kind === 'left-out' || kind === 'unread');
  const gone = verdict.kind === 'keep' && verdict.blockers.some(({ kind }) => kind === 'gone-from-box');
  return (
    <>
      {leftOut.length > 0 && !isOfOthers && (
        <ul className={styles.files} aria-label="Files that were not added">
          {leftOut.slice(0, 20).map(({ name, why }, i) => (
            <li key={`${i} ${name}`}>
              <b>{name}</b> {why}
            </li>
          ))}
          {leftOut.length > 20 && <li>and {leftOut.length - 20} more</li>}
        </ul>
      )}
      {canAcknowledge && isOfOthers && (
        <p className={styles.lead}>The person who read this card sees which files these are and can leave them out.</p>
      )}
      {canAcknowledge && !isOfOthers && (
        <HoldButton
          variant="line"
          onHeld={() => void cards.acknowledge(surveyId)}
          holdLabel="Hold: I have checked, leave them out"
        >
          I have checked, leave them out
        </HoldButton>
      )}
      {checking !== null && (
        <div role="status" className={styles.checking}>
          <span>
            Checking with the {to}: {checking.done.toLocaleString('en')} of {checking.total.toLocaleString('en')}
          </span>
          <TideGauge
            label={`Checked with the ${to}`}
            total={checking.total}
            parts={[{ fill: 'saved', count: checking.done }]}
          />
        </div>
      )}
      {checking === null && (verdict.kind === 'check-now' || gone) && (
        <Button onPress={() => void cards.check(surveyId)}>{`Check with the ${to} now`}</Button>
      )}
      {problem !== null && checking === null && verdict.kind !== 'safe' && (
        <p className={styles.lead}>{errorText(problem)} The card was not checked.</p>
      )}
    </>
  );
}
