import type { SpaceFacts, SpaceRepository } from '../../data/repositories';
import { HoldButton } from '../../ui/HoldButton';
import { Icon } from '../../ui/Icon';
import { Note } from '../../ui/Note';
import { TideGauge } from '../../ui/TideGauge';
import { useLive } from '../shell';
import { bytesWords, count, plain } from '../sync-status';
import styles from './SpaceCard.module.css';
import { askWords, byItselfWords, lastWords, stayWords } from './space-words';

/** Room on this tablet that can be had again: what is ashore, how much it is, what stays and why. */
export function SpaceCard({ space }: { readonly space: SpaceRepository }) {
  const facts = useLive(space.facts);
  const { ashore, freed, stay, working, problem } = facts;
  if (ashore.photographs === 0 && freed.photographs === 0 && stay.length === 0) return null;
  const cannot = askWords(facts);
  return (
    <section className={styles.card} aria-label="Free space" id="space" tabIndex={-1}>
      <h2>
        <Icon name="disk" />
        Free space
      </h2>
      <p className={styles.figure}>
        <b>{ashore.photographs === 0 ? '0' : bytesWords(ashore.bytes)}</b>
        <span>
          {ashore.photographs === 0
            ? 'can be freed now'
            : `of ${count(ashore.photographs, 'photograph')} that the shore has too`}
        </span>
      </p>
      {working !== null && (
        <TideGauge
          label="Asking the shore for each and freeing"
          total={Math.max(1, working.total)}
          parts={[{ fill: 'saved', count: working.done }]}
        />
      )}
      <Rows facts={facts} />
      {problem !== null && (
        <Note tone="look" icon="alert" title="Nothing more was freed" role="status">
          {plain(problem)} What is here is as it was.
        </Note>
      )}
      {problem === null && facts.last !== null && working === null && (
        <Note
          tone={facts.last.missing > 0 ? 'look' : 'good'}
          icon={facts.last.missing > 0 ? 'alert' : 'check'}
          title={lastWords(facts.last).title}
          role="status"
        >
          {lastWords(facts.last).detail}
        </Note>
      )}
      {ashore.photographs > 0 && (
        <>
          <p className={styles.quiet}>
            {cannot ??
              'The shore is asked for each one first. Previews and records stay, and the originals are ashore.'}
          </p>
          <HoldButton
            look="line"
            icon="disk"
            isDisabled={cannot !== null || working !== null}
            onHeld={() => void space.free()}
            holdWords="Hold to free"
          >
            {working === null ? `Free ${bytesWords(ashore.bytes)}` : 'Freeing'}
          </HoldButton>
        </>
      )}
    </section>
  );
}

function Rows({ facts }: { readonly facts: SpaceFacts }) {
  const rows = [
    ...(facts.nextByItselfAt === null
      ? []
      : [{ key: 'by-itself', words: byItselfWords(facts.nextByItselfAt, new Date()) }]),
    ...facts.stay.map((amount) => ({ key: amount.because, words: stayWords(amount) })),
    ...(facts.freed.photographs === 0
      ? []
      : [
          {
            key: 'freed',
            words: `${count(facts.freed.photographs, 'photograph')} freed before, ${bytesWords(facts.freed.bytes)}. Their previews are here.`,
          },
        ]),
  ];
  if (rows.length === 0) return null;
  return (
    <ul className={styles.rows}>
      {rows.map(({ key, words }) => (
        <li key={key}>{words}</li>
      ))}
    </ul>
  );
}
