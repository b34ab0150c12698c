import { formatBytes } from '../../base/format-bytes';
import { formatCount } from '../../base/plural';
import type { SpaceFacts, SpaceRepository } from '../../data/repositories';
import { HoldButton } from '../../ui/controls/HoldButton';
import { Icon } from '../../ui/display/Icon';
import { Note } from '../../ui/feedback/Note';
import { TideGauge } from '../../ui/feedback/TideGauge';
import { useObservable } from '../shell';
import { errorText } from '../sync-status';
import styles from './SpaceCard.module.css';
import { unavailableText, autoFreeText, freedText, retainedText } from './space-text';

/** Card on space that can be freed, what stays and why. */
export function SpaceCard({ space }: { readonly space: SpaceRepository }) {
  const facts = useObservable(space.facts);
  const { ashore, freed, retained, working, problem } = facts;
  if (ashore.photographs === 0 && freed.photographs === 0 && retained.length === 0) return null;
  const cannot = unavailableText(facts);
  return (
    <section className={styles.card} aria-label="Free up space" id="space" tabIndex={-1}>
      <h2>
        <Icon name="disk" />
        Free up space
      </h2>
      <p className={styles.figure}>
        <b>{ashore.photographs === 0 ? '0' : formatBytes(ashore.bytes)}</b>
        <span>
          {ashore.photographs === 0
            ? 'can be freed now'
            : `of ${formatCount(ashore.photographs, 'photograph')} that the shore has too`}
        </span>
      </p>
      {working !== null && (
        <TideGauge
          label="Confirming each with the shore and freeing"
          total={Math.max(1, working.total)}
          parts={[{ fill: 'saved', count: working.done }]}
        />
      )}
      <Rows facts={facts} />
      {problem !== null && (
        <Note tone="look" icon="alert" title="Nothing more was freed" role="status">
          {errorText(problem)} Everything still here is unchanged.
        </Note>
      )}
      {problem === null && facts.last !== null && working === null && (
        <Note
          tone={facts.last.missing > 0 ? 'look' : 'good'}
          icon={facts.last.missing > 0 ? 'alert' : 'check'}
          title={freedText(facts.last).title}
          role="status"
        >
          {freedText(facts.last).detail}
        </Note>
      )}
      {ashore.photographs > 0 && (
        <>
          <p className={styles.quiet}>
            {cannot ?? 'The shore confirms each one first. Previews and records stay, and the originals are ashore.'}
          </p>
          <HoldButton
            variant="line"
            icon="disk"
            isDisabled={cannot !== null || working !== null}
            onHeld={() => void space.free()}
            holdLabel="Hold to free"
          >
            {working === null ? `Free ${formatBytes(ashore.bytes)}` : 'Freeing'}
          </HoldButton>
        </>
      )}
    </section>
  );
}

function Rows({ facts }: { readonly facts: SpaceFacts }) {
  const rows = [
    ...(facts.nextAutoFreeAt === null
      ? []
      : [{ key: 'by-itself', words: autoFreeText(facts.nextAutoFreeAt, new Date()) }]),
    ...facts.retained.map((amount) => ({ key: amount.because, words: retainedText(amount) })),
    ...(facts.freed.photographs === 0
      ? []
      : [
          {
            key: 'freed',
            words: `${formatCount(facts.freed.photographs, 'photograph')} freed before, ${formatBytes(facts.freed.bytes)}. Their previews are here.`,
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
