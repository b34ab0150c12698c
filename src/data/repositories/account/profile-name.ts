import { isObject } from '../../../domain/json';
import type { ReadDoc } from '../../db/read-model';
import { textOr } from '../repository-context';

/** Person and their first and last name, empty if they gave none. */
export interface ProfileName {
  readonly uid: string;
  readonly name: string;
}

const nameCache = new WeakMap<ReadDoc, ProfileName>();

/** Name of a profile, computed once per document state. */
export function profileName(document: ReadDoc): ProfileName {
  const known = nameCache.get(document);
  if (known !== undefined) return known;
  const name = isObject(document.doc['name']) ? document.doc['name'] : {};
  const made = {
    uid: document.id,
    name: [textOr(name['first'], ''), textOr(name['last'], '')].filter((part) => part !== '').join(' '),
  };
  nameCache.set(document, made);
  return made;
}
