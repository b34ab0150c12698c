import { useRef, useState } from 'react';
import { formatBytes } from '../../base/format-bytes';
import { formatCount } from '../../base/plural';
import type { RescueFile, RescueProgress, Repositories } from '../../data/repositories';
import { ReefError } from '../../domain/errors';
import { holdBusy } from '../../platform/busy';
import { chooseSaveTarget } from '../../platform/save-file';
import { importedText } from './RescueContentsView';

type RescueState =
  | { readonly status: 'rest' }
  | { readonly status: 'work'; readonly text: string; readonly progress: RescueProgress | null }
  | { readonly status: 'made'; readonly text: string; readonly detail: string }
  /** A chosen file was opened; its contents are shown before the import. */
  | { readonly status: 'found'; readonly file: RescueFile; readonly name: string }
  | { readonly status: 'failed'; readonly text: string };

/** Makes and imports rescue copies, one work at a time. */
export function useRescueCopy(rescue: Repositories['custody']['rescue']) {
  const [state, setState] = useState<RescueState>({ status: 'rest' });
  const work = useRef<AbortController | undefined>(undefined);

  async function runWork(
    text: string,
    does: (watching: { signal: AbortSignal; onProgress: (progress: RescueProgress) => void }) => Promise<RescueState>,
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

  return {
    state,
    make: () => void make(),
    open,
    importCopy: (file: RescueFile) =>
      void runWork('Importing the rescue copy', async (watching) => ({
        status: 'made',
        ...importedText(await file.importCopy(watching)),
      })),
    cancel: () => work.current?.abort(new DOMException('Cancelled by the user.', 'AbortError')),
    dismiss: () => setState({ status: 'rest' }),
  };
}

function rescueErrorText(error: unknown): string {
  if (error instanceof ReefError) return error.message;
  return `${error instanceof Error ? error.message : String(error)}. Everything is still on this tablet. Check that the stick is plugged in and has space, then try again.`;
}
