import type { OpKind } from '../../domain/op/op';
import type { UnprojectedDocuments } from './unprojected-documents';
import type { DocumentSelector, ReadDoc, ReadModel } from './read-model';

/**
 * The read model together with what came down a moment ago and is not written into it yet. Where both have a document, the
 * fresh one is at least as new.
 */
export function withUnprojected(model: ReadModel, unprojected: UnprojectedDocuments): ReadModel {
  return {
    ...model,
    watch: (kind, selector, onDocuments, onError) => {
      let found: readonly ReadDoc[] | undefined;
      let ended = false;
      /** Written into the read model by now, which has not said so yet. */
      const leaving = new Map<string, ReadDoc>();
      const publish = (): void => {
        if (found !== undefined)
          onDocuments(merged(found, [...leaving.values(), ...unprojected.find(kind, selector)], selector));
      };
      /** What changed once more before the read model told of it (it was deleted) it never tells of: such are asked for. */
      const checkLeaving = async (): Promise<void> => {
        const asked = [...leaving];
        const there = new Set((await model.find(kind, selector)).map(({ id }) => id));
        const unreported = asked.filter(([id, document]) => !there.has(id) && leaving.get(id) === document);
        for (const [id] of unreported) leaving.delete(id);
        if (unreported.length > 0 && !ended) publish();
      };
      const stopModel = model.watch(
        kind,
        selector,
        (documents) => {
          found = documents;
          leaving.clear();
          publish();
        },
        onError,
      );
      const stopFresh = unprojected.changed.on(({ kinds, projected }) => {
        if (!kinds.has(kind)) return;
        const projectedNow = projected(kind);
        const shown = new Set(projectedNow.length === 0 ? [] : found?.map(({ id }) => id));
        for (const document of projectedNow)
          if (!shown.has(document.id) && matches(document, selector)) leaving.set(document.id, document);
        publish();
        if (leaving.size > 0) checkLeaving().catch((error: unknown) => (ended ? undefined : onError(error)));
      });
      return () => {
        ended = true;
        stopModel();
        stopFresh();
      };
    },
    find: async (kind: OpKind, selector: DocumentSelector) => {
      await unprojected.settle();
      // First these: what leaves them meanwhile is in the other.
      const unprojectedNow = unprojected.find(kind, selector);
      return merged(await model.find(kind, selector), unprojectedNow, selector);
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
