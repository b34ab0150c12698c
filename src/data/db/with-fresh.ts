import type { OpKind } from '../../domain/op/op';
import type { FreshDocuments } from '../ops/fresh-documents';
import type { DocumentSelector, ReadDoc, ReadModel } from './read-model';

/**
 * The read model together with what came down a moment ago and is not written into it yet. Where both have a document, the
 * fresh one is at least as new.
 */
export function withFresh(model: ReadModel, fresh: FreshDocuments): ReadModel {
  return {
    ...model,
    watch: (kind, selector, onDocuments, onError) => {
      let found: readonly ReadDoc[] | undefined;
      let ended = false;
      /** Written into the read model by now, which has not said so yet. */
      const leaving = new Map<string, ReadDoc>();
      const show = (): void => {
        if (found !== undefined)
          onDocuments(merged(found, [...leaving.values(), ...fresh.of(kind, selector)], selector));
      };
      /** What changed once more before the read model told of it (it was deleted) it never tells of: such are asked for. */
      const checkLeaving = async (): Promise<void> => {
        const asked = [...leaving];
        const there = new Set((await model.find(kind, selector)).map(({ id }) => id));
        const untold = asked.filter(([id, document]) => !there.has(id) && leaving.get(id) === document);
        for (const [id] of untold) leaving.delete(id);
        if (untold.length > 0 && !ended) show();
      };
      const stopModel = model.watch(
        kind,
        selector,
        (documents) => {
          found = documents;
          leaving.clear();
          show();
        },
        onError,
      );
      const stopFresh = fresh.changed.on(({ kinds, gone }) => {
        if (!kinds.has(kind)) return;
        const left = gone(kind);
        const shown = new Set(left.length === 0 ? [] : found?.map(({ id }) => id));
        for (const document of left)
          if (!shown.has(document.id) && matches(document, selector)) leaving.set(document.id, document);
        show();
        if (leaving.size > 0) checkLeaving().catch((error: unknown) => (ended ? undefined : onError(error)));
      });
      return () => {
        ended = true;
        stopModel();
        stopFresh();
      };
    },
    find: async (kind: OpKind, selector: DocumentSelector) => {
      await fresh.settle();
      // First these: what leaves them meanwhile is in the other.
      const few = fresh.of(kind, selector);
      return merged(await model.find(kind, selector), few, selector);
    },
  };
}

function merged(found: readonly ReadDoc[], fresh: readonly ReadDoc[], selector: DocumentSelector): readonly ReadDoc[] {
  if (fresh.length === 0) return found;
  const newer = new Map(fresh.map((document) => [document.id, document]));
  const all = found.filter(({ id }) => !newer.has(id));
  for (const document of newer.values()) if (matches(document, selector)) all.push(document);
  return all.sort((a, b) => (a.id < b.id ? -1 : 1));
}

function matches(document: ReadDoc, selector: DocumentSelector): boolean {
  const { id = document.id, surveyId = document.surveyId, isDeleted = false } = selector;
  return document.id === id && document.surveyId === surveyId && document.isDeleted === isDeleted;
}
