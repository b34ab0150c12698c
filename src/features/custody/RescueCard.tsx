import { useRef, useState } from 'react';
import { DropZone, FileTrigger } from 'react-aria-components';
import type { RescueFile, RescueProgress, Repositories } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { holdBusy } from '../../platform/busy';
import { chooseSaveFile } from '../../platform/save-file';
import { Button } from '../../ui/Button';
import { Icon } from '../../ui/Icon';
import { Note } from '../../ui/Note';
import { TideGauge } from '../../ui/TideGauge';
import { useLive } from '../shell';
import { bytesWords, count } from '../sync-status';
import styles from './RescueCard.module.css';
import { RescueFound, takenWords } from './RescueFound';

/** What the card is about now. */
type State =
  | { readonly at: 'rest' }
  | { readonly at: 'work'; readonly words: string; readonly progress: RescueProgress | null }
  | { readonly at: 'made'; readonly words: string; readonly detail: string }
  | { readonly at: 'found'; readonly file: RescueFile; readonly name: string }
  | { readonly at: 'failed'; readonly words: string };

const STEPS: Record<RescueProgress['step'], string> = {
  writing: 'Writing',
  checking: 'Reading it back',
  taking: 'Taking it in',
};

/** Everything unsent as one file, made and taken with nothing but a tablet. */
export function RescueCard({ rescue, sending }: Pick<Repositories, 'rescue' | 'sending'>) {
  const facts = useLive(sending.facts);
  const [state, setState] = useState<State>({ at: 'rest' });
  const work = useRef<AbortController | undefined>(undefined);
  const { photographs, records, bytes } = rescue.contents();
  const isEmpty = photographs + records === 0;

  async function doing(
    words: string,
    does: (watching: { signal: AbortSignal; onProgress: (progress: RescueProgress) => void }) => Promise<State>,
  ): Promise<void> {
    const abort = new AbortController();
    work.current = abort;
    setState({ at: 'work', words, progress: null });
    // A new version of the app must not cut it off.
    const release = holdBusy('a rescue copy is being worked on');
    try {
      setState(
        await does({ signal: abort.signal, onProgress: (progress) => setState({ at: 'work', words, progress }) }),
      );
    } catch (error) {
      setState(abort.signal.aborted ? { at: 'rest' } : { at: 'failed', words: failureWords(error) });
    } finally {
      release();
    }
  }

  async function make(): Promise<void> {
    let target: Awaited<ReturnType<typeof chooseSaveFile>>;
    try {
      target = await chooseSaveFile(rescue.fileName(), 'Rescue copy of the Great Reef Census');
    } catch (error) {
      setState({ at: 'failed', words: failureWords(error) });
      return;
    }
    if (target === null) return;
    const to = target;
    await doing('Making a rescue copy', async (watching) => {
      const made = await rescue.make(to, watching);
      to.deliver();
      const place =
        to.to === 'disk'
          ? 'It was read back from where you put it, and every photograph in it is whole.'
          : 'Every photograph in it was checked. Your browser saves it now: look that it is where you want it.';
      return {
        at: 'made',
        words: `A rescue copy of ${count(made.photographs, 'photograph')}, ${bytesWords(made.bytes)}`,
        detail: `${place} All of it stays on this tablet too.`,
      };
    });
  }

  function open(files: readonly File[]): void {
    const [file] = files;
    if (file !== undefined)
      void doing(`Opening ${file.name}`, async () => ({ at: 'found', file: await rescue.open(file), name: file.name }));
  }

  return (
    <section className={styles.card} aria-label="If something goes wrong">
      <h2>
        <Icon name="rescue" />
        If something goes wrong
      </h2>
      {state.at === 'rest' && (
        <p className={styles.quiet} data-owed={facts.owed.photographs}>
          {isEmpty
            ? 'Nothing is unsent here. A copy that was made on another tablet can be taken in.'
            : `Copy ${copyWords(photographs, records)} to a stick, as one file. ${bytesWords(bytes)}. Any box or tablet can read it.`}
        </p>
      )}
      {state.at === 'work' && (
        <Working
          words={state.words}
          progress={state.progress}
          onCancel={() => work.current?.abort(new DOMException('A person cancelled.', 'AbortError'))}
        />
      )}
      {state.at === 'made' && (
        <Note tone="good" icon="check" title={state.words} role="status">
          {state.detail}
        </Note>
      )}
      {state.at === 'failed' && (
        <Note tone="look" icon="alert" title="That did not work" role="alert">
          {state.words}
        </Note>
      )}
      {state.at === 'found' && (
        <RescueFound
          name={state.name}
          found={state.file.found}
          onTake={() =>
            void doing('Taking in the rescue copy', async (watching) => ({
              at: 'made',
              ...takenWords(await state.file.take(watching)),
            }))
          }
          onCancel={() => setState({ at: 'rest' })}
        />
      )}
      {state.at !== 'work' && state.at !== 'found' && (
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
              <Button look="quiet">Take in a rescue copy</Button>
            </FileTrigger>
          </DropZone>
        </>
      )}
    </section>
  );
}

function Working({
  words,
  progress,
  onCancel,
}: {
  readonly words: string;
  readonly progress: RescueProgress | null;
  readonly onCancel: () => void;
}) {
  return (
    <div className={styles.work}>
      <p role="status">{progress === null ? words : STEPS[progress.step]}</p>
      {progress !== null && (
        <>
          <TideGauge label={words} total={progress.total} parts={[{ fill: 'saved', count: progress.done }]} />
          <p className={styles.quiet}>
            {bytesWords(progress.done)} of {bytesWords(progress.total)}
          </p>
        </>
      )}
      <Button onPress={onCancel}>Cancel</Button>
    </div>
  );
}

function copyWords(photographs: number, records: number): string {
  if (photographs === 0) return `${count(records, 'unsent record')}`;
  return `${photographs === 1 ? 'the unsent photograph and its' : `all ${photographs.toLocaleString('en')} unsent photographs and their`} survey`;
}

function failureWords(error: unknown): string {
  if (error instanceof ReefError) return error.message;
  return `${error instanceof Error ? error.message : String(error)}. Everything is still on this tablet. Look that the stick is in and has room, then try again.`;
}
