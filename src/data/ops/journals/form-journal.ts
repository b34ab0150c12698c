import type { FormDraft } from '../../../domain/analysis/free-draw/expert-categories';
import { isObject } from '../../../domain/json';
import type { JournalBegin, JournalCodec } from './journal-rows';

/** Change of typed percentages: members that changed; a text is removed by null. */
export interface FormEdit {
  readonly texts?: Readonly<Record<string, string | null>>;
  readonly dominantCoral?: string;
  readonly isBadImage?: boolean;
}

/** Typed percentages: a row per pause in typing, so that a kill costs the last keys at most. */
export const FORM_JOURNAL: JournalCodec<JournalBegin, FormEdit, FormEdit> = {
  kind: 'form',
  pack: (edit) => ({ do: 'type', ...edit }),
  parse: (entry) => {
    const { texts = {}, dominantCoral, isBadImage } = entry;
    if (
      entry['do'] !== 'type' ||
      !isObject(texts) ||
      !Object.values(texts).every((text) => text === null || typeof text === 'string') ||
      !(dominantCoral === undefined || typeof dominantCoral === 'string') ||
      !(isBadImage === undefined || typeof isBadImage === 'boolean')
    )
      return undefined;
    return {
      texts: texts as Readonly<Record<string, string | null>>,
      ...(dominantCoral === undefined ? {} : { dominantCoral }),
      ...(isBadImage === undefined ? {} : { isBadImage }),
    };
  },
  packBegin: (begin) => begin,
  parseBegin: (begin) => begin,
};

export function replayForm(edits: readonly FormEdit[], first: FormDraft): FormDraft {
  const texts = new Map(Object.entries(first.texts));
  let { dominantCoral, isBadImage } = first;
  for (const edit of edits) {
    for (const [name, text] of Object.entries(edit.texts ?? {})) {
      if (text === null) texts.delete(name);
      else texts.set(name, text);
    }
    dominantCoral = edit.dominantCoral ?? dominantCoral;
    isBadImage = edit.isBadImage ?? isBadImage;
  }
  return { texts: Object.fromEntries(texts), dominantCoral, isBadImage };
}

/** Edit that turns a draft into another; null if they are equal. */
export function formEditBetween(before: FormDraft, after: FormDraft): FormEdit | null {
  const names = new Set([...Object.keys(before.texts), ...Object.keys(after.texts)]);
  const texts = [...names].flatMap((name): [string, string | null][] =>
    before.texts[name] === after.texts[name] ? [] : [[name, after.texts[name] ?? null]],
  );
  const edit: FormEdit = {
    ...(texts.length === 0 ? {} : { texts: Object.fromEntries(texts) }),
    ...(before.dominantCoral === after.dominantCoral ? {} : { dominantCoral: after.dominantCoral }),
    ...(before.isBadImage === after.isBadImage ? {} : { isBadImage: after.isBadImage }),
  };
  return Object.keys(edit).length === 0 ? null : edit;
}
