import { useRef, useState } from 'react';
import { DropZone, FileTrigger } from 'react-aria-components';
import { formatBytes } from '../../base/format-bytes';
import { formatCount } from '../../base/plural';
import type { RescueFile, RescueProgress, Repositories } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { holdBusy } from '../../platform/busy';
import { chooseSaveTarget } from '../../platform/save-file';
import { Button } from '../../ui/controls/Button';
import { Icon } from '../../ui/display/Icon';
import { Note } from '../../ui/feedback/Note';
import { TideGauge } from '../../ui/feedback/TideGauge';
import { useObservable } from '../shell';
import styles from './RescueCard.module.css';
import { RescueContentsView, importedText } from './RescueContentsView';

type State =
  | { readonly status: 'rest' }
  | { readonly status: 'work'; readonly text: string; readonly progress: RescueProgress | null }
  | { readonly status: 'made'; readonly text: string; readonly detail: string }
  | { readonly status: 'found'; readonly file: RescueFile; readonly name: string }
  | { readonly status: 'failed'; readonly text: string };

const STEPS: Record<RescueProgress['step'], string> = {
  writing: 'Writing',
  checking: 'Reading the copy back',
  taking: 'Importing',
};

export function RescueCard({ rescue, sending }: Pick<Repositories['custody'], 'rescue' | 'sending'>) {
  const facts = useObservable(sending.facts);
  const [state, setState] = useState<State>({ status: 'rest' });
  const work = useRef<AbortController | undefined>(undefined);
  const { photographs, records, bytes } = rescue.contents();
  const isEmpty = photographs + records === 0;

  async function runWork(
    text: string,
    does: (watching: { signal: AbortSignal; onProgress: (progress: RescueProgress) => void }) => Promise<State>,
  ): Promise<void> {
    const abort = new AbortController();
    work.current = abort;
    setState({ status: 'work', text, progress: null });
    // A new version of the app must not interrupt it.
    const release = holdBusy('a rescue copy is in progress');
    try {
      setState(
        await does({ signal: abort.signal, onProgress: (progress) => setState({ status: 'work', text, progress }) }),
      );
    } catch (error) {
      setState(abort.signal.aborted ? { status: 'rest' } : { status: 'failed', text: rescueErrorText(error) });
    } finally {
      release();
    }
  }

  async function make(): Promise<void> {
    let target: Awaited<ReturnType<typeof chooseSaveTarget>>;
    try {
      target = await chooseSaveTarget(rescue.fileName(), 'Rescue copy of the Great Reef Census');
    } catch (error) {
      setState({ status: 'failed', text: rescueErrorText(error) });
      return;
    }
    if (target === null) return;
    const to = target;
    await runWork('Making a rescue copy', async (watching) => {
      const made = await rescue.createCopy(to, watching);
      to.deliver();
      const place =
        to.destination === 'disk'
          ? 'It was read back from where you saved it, and every photograph in it is intact.'
          : 'Every photograph in it was checked. Your browser is saving it now: check that it is where you want it.';
      return {
        status: 'made',
        text: `A rescue copy of ${formatCount(made.photographs, 'photograph')}, ${formatBytes(made.bytes)}`,
        detail: `${place} Everything stays on this tablet too.`,
      };
    });
  }

  function open(files: readonly File[]): void {
    const [file] = files;
    if (file !== undefined)
      void runWork(`Opening ${file.name}`, async () => ({
        status: 'found',
        file: await rescue.open(file),
        name: file.name,
      }));
  }

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
      {state.status === 'work' && (
        <Working
          text={state.text}
          progress={state.progress}
          onCancel={() => work.current?.abort(new DOMException('Cancelled by the user.', 'AbortError'))}
        />
      )}
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
          onTake={() =>
            void runWork('Importing the rescue copy', async (watching) => ({
              status: 'made',
              ...importedText(await state.file.importCopy(watching)),
            }))
          }
          onCancel={() => setState({ status: 'rest' })}
        />
      )}
      {state.status !== 'work' && state.status !== 'found' && (
        <>
          {!isEmpty && <Button onPress={() => void make()}>Make a rescue copy</Button>}
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

function rescueErrorText(error: unknown): string {
  if (error instanceof ReefError) return error.message;
  return `${error instanceof Error ? error.message : String(error)}. Everything is still on this tablet. Check that the stick is plugged in and has space, then try again.`;
}
