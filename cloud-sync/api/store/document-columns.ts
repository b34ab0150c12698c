import type { Json, JsonObject } from '../../../src/domain/json';
import { isObject } from '../../../src/domain/json';
import { nameWords } from '../../../src/domain/user/name-words';
import type { DocumentRow } from '../../../src/server/ops/document-row';

interface DocumentColumns {
  readonly owner: string | null;
  /** `YYYY-MM-DD` */
  readonly date: string | null;
  readonly regionId: string | null;
  readonly locId: string | null;
  readonly email: string | null;
  readonly isPrivate: boolean;
  readonly imageId: string | null;
  /** Public part of a profile, as JSON: no address, no roles. */
  readonly card: string | null;
  /** Words of a profile's name; empty for none. */
  readonly name: string | null;
}

const CARD_FIELDS = ['name', 'org', 'loc'] as const;

/** Value if it fits an index and PostgreSQL's text, else null: then it cannot be found by that column. */
export function storableText(value: string | null, most = 200): string | null {
  return value === null || value.length > most || value.includes('\u0000') ? null : value;
}

/** Columns of a document, from its fold. Values of an unexpected form leave the column empty. */
export function columnsOf({ kind, docId, folded }: Pick<DocumentRow, 'kind' | 'docId' | 'folded'>): DocumentColumns {
  const { doc } = folded;
  const loc = doc['loc'];
  return {
    owner: kind === 'profile' ? docId : nonEmptyText(member(doc['user'], 'uid')),
    date: kind === 'survey' ? dayOf(doc['date']) : null,
    regionId:
      kind === 'survey' ? nonEmptyText(member(loc, 'regionId')) : nonEmptyText(member(doc['survey'], 'regionId')),
    locId: kind === 'survey' ? nonEmptyText(member(loc, 'id')) : null,
    email: kind === 'profile' ? (nonEmptyText(doc['email'])?.normalize('NFC').toLowerCase() ?? null) : null,
    isPrivate: kind === 'survey' && doc['private'] === true,
    imageId: kind === 'analysis' ? nonEmptyText(member(doc['image'], 'id')) : null,
    card:
      kind === 'profile'
        ? JSON.stringify({
            uid: docId,
            ...Object.fromEntries(
              CARD_FIELDS.filter((field) => Object.hasOwn(doc, field)).map((field) => [field, doc[field]]),
            ),
          })
        : null,
    name: kind === 'profile' ? profileNameWords(doc['name']) : null,
  };
}

/** Words of the name in a profile or its card, as in the column `name`. */
export function profileNameWords(name: Json | undefined): string {
  const parts = typeof name === 'string' ? [name] : [member(name, 'first'), member(name, 'last')];
  return nameWords(parts.filter((part) => typeof part === 'string').join(' ')).join(' ');
}

function dayOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? (/^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(value)?.[0] ?? null) : null;
}

function member(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? (value as JsonObject)[name] : undefined;
}

function nonEmptyText(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? storableText(value) : null;
}
