import { DropZone, FileTrigger } from 'react-aria-components';
import { formatBytes } from '../../base/format-bytes';
import { formatCount } from '../../base/plural';
import type { RescueProgress, Repositories } from '../../data/repositories';
import { Button } from '../../ui/controls/Button';
import { Icon } from '../../ui/display/Icon';
import { Note } from '../../ui/feedback/Note';
import { TideGauge } from '../../ui/feedback/TideGauge';
import { useObservable } from '../shell';
import styles from './RescueCard.module.css';
import { RescueContentsView } from './RescueContentsView';
import { useRescueCopy } from './use-rescue-copy';

const STEPS: Record<RescueProgress['step'], string> = {
  writing: 'Writing',
  checking: 'Reading the copy back',
  taking: 'Importing',
};

export function RescueCard({ rescue, sending }: Pick<Repositories['custody'], 'rescue' | 'sending'>) {
  const facts = useObservable(sending.facts);
  const { state, make, open, importCopy, cancel, dismiss } = useRescueCopy(rescue);
  const { photographs, records, bytes } = rescue.contents();
  const isEmpty = photographs + records === 0;

  return (
    <section className={styles.card} aria-label="If something goes wrong">
      <h2>
        <Icon name="rescue" />
        If something goes wrong
      </h2>
      {state.status === 'rest' && (
        <p className={styles.quiet} data-owed={facts.owed.photographs}>
          {isEmpty
            ? 'Nothing is left to send here. You can import a copy from another tablet.'
            : `Copy ${copyText(photographs, records)} to a stick, as one file of ${formatBytes(bytes)}. Any box or tablet can read it.`}
        </p>
      )}
      {state.status === 'work' && <Working text={state.text} progress={state.progress} onCancel={cancel} />}
      {state.status === 'made' && (
        <Note tone="good" icon="check" title={state.text} role="status">
          {state.detail}
        </Note>
      )}
      {state.status === 'failed' && (
        <Note tone="look" icon="alert" title="That did not work" role="alert">
          {state.text}
        </Note>
      )}
      {state.status === 'found' && (
        <RescueContentsView
          name={state.name}
          found={state.file.contents}
          onTake={() => importCopy(state.file)}
          onCancel={dismiss}
        />
      )}
      {state.status !== 'work' && state.status !== 'found' && (
        <>
          {!isEmpty && <Button onPress={make}>Make a rescue copy</Button>}
          <DropZone
            className={styles.drop ?? ''}
            aria-label="Drop a rescue copy here"
            onDrop={({ items }) =>
              void Promise.all(items.flatMap((item) => (item.kind === 'file' ? [item.getFile()] : []))).then(open)
            }
          >
            <FileTrigger
              acceptedFileTypes={['.tar', 'application/x-tar']}
              onSelect={(files) => open(files === null ? [] : [...files])}
            >
              <Button variant="quiet">Import a rescue copy</Button>
            </FileTrigger>
          </DropZone>
        </>
      )}
    </section>
  );
}

function Working({
  text,
  progress,
  onCancel,
}: {
  readonly text: string;
  readonly progress: RescueProgress | null;
  readonly onCancel: () => void;
}) {
  return (
    <div className={styles.work}>
      <p role="status">{progress === null ? text : STEPS[progress.step]}</p>
      {progress !== null && (
        <>
          <TideGauge label={text} total={progress.total} parts={[{ fill: 'saved', count: progress.done }]} />
          <p className={styles.quiet}>
            {formatBytes(progress.done)} of {formatBytes(progress.total)}
          </p>
        </>
      )}
      <Button onPress={onCancel}>Cancel</Button>
    </div>
  );
}

function copyText(photographs: number, records: number): string {
  if (photographs === 0) return `${formatCount(records, 'unsent record')}`;
  return `${photographs === 1 ? 'the unsent photograph and its' : `all ${photographs.toLocaleString('en')} unsent photographs and their`} survey`;
}
