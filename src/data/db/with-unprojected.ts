import type { OpKind } from '../../domain/op/op';
import type { UnprojectedDocuments } from './unprojected-documents';
import type { DocumentSelector, ReadDoc, ReadModel } from './read-model';

/**
 * Adds documents that are not projected yet to the read model. If both have a document, the unprojected one is at least
 * as new.
 */
export function withUnprojected(model: ReadModel, unprojected: UnprojectedDocuments): ReadModel {
  return {
    ...model,
    watch: (kind, selector, onDocuments, onError) => {
      let found: readonly ReadDoc[] | undefined;
      let ended = false;
      /** Documents projected by now that the read model has not reported yet. */
      const leaving = new Map<string, ReadDoc>();
      const publish = (): void => {
        if (found !== undefined)
          onDocuments(merged(found, [...leaving.values(), ...unprojected.find(kind, selector)], selector));
      };
      /**
       * The read model never reports a document that changed again before its report (it was deleted): such documents
       * are queried.
       */
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
      const stopFresh = unprojected.changed.subscribe(({ kinds, projected }) => {
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
      // These first: a document that is projected in between is then in the other result.
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
