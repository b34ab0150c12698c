import type { Json, JsonObject } from '../../../../src/domain/json';
import type { Op, OpKind } from '../../../../src/domain/op/op';

interface Write {
  readonly opId: string;
  readonly lc: number;
  readonly value: Json;
}

interface ModelDocument {
  readonly opIds: Set<string>;
  readonly writes: Map<string, Write[]>;
  /** Writes that others replace, by field. */
  readonly replaced: Map<string, Set<string>>;
  /** Greatest `lc` at or below its ceiling. */
  lc: number;
}

interface Measures {
  readonly chars: number;
  readonly members: number;
  readonly awaited: number;
  readonly live: (field: string) => number;
}

interface AcceptedWrite {
  readonly op: Op;
  readonly author: string | null;
}

/** Newest schema of the records that the fuzz writes. */
const SCHEMA = 1;
/** Ceilings of the protocol page. */
const CEILINGS = { lc: 2 ** 31 - 1, leap: 10_000, live: 64, chars: 2 * 1024 * 1024, members: 20_000, awaited: 10_000 };

/** Documents as the protocol page folds them, as far as the rules of writing ask for them. */
export class ModelDocuments {
  readonly #documents = new Map<string, ModelDocument>();
  readonly #held = new Set<string>();
  readonly #byTopic = new Map<string, AcceptedWrite[]>();
  /** Photographs that accepted records of an image name. */
  readonly #photographs = new Map<string, Set<string>>();

  accept(op: Op, author: string | null): void {
    const key = `${op.kind} ${op.docId}`;
    const document = this.#documents.get(key) ?? emptyDocument();
    this.#documents.set(key, document);
    write(document, op);
    const topic = topicOf(op);
    if (topic !== null) append(this.#byTopic, topic, { op, author });
    if (op.kind === 'image')
      this.#photographs.set(op.docId, (this.#photographs.get(op.docId) ?? new Set()).add(String(op.body['sha256'])));
  }

  hold({ kind, docId }: Op): void {
    this.#held.add(`${kind} ${docId}`);
  }

  statusOf(kind: OpKind, id: string): 'there' | 'held' | 'none' {
    const key = `${kind} ${id}`;
    return this.#documents.has(key) ? 'there' : this.#held.has(key) ? 'held' : 'none';
  }

  /** Value that a document shows. */
  value(kind: OpKind, id: string, field: string): Json | undefined {
    if (kind === 'analysis') return objectOf(this.#shown(`analysis ${id}`, '*'))?.[field];
    return this.#shown(`${kind} ${id}`, field);
  }

  owner(kind: OpKind, id: string): string | null {
    return idIn(this.value(kind, id, 'user'), 'uid');
  }

  topicOf(kind: OpKind, id: string): string | null {
    if (kind === 'profile') return `profile:${id}`;
    return kind === 'survey' ? id : idIn(this.value(kind, id, 'survey'), 'id');
  }

  /**
   * True if an accepted operation of the topic was written under the device's id by such an author, unsigned or signed
   * with the same key. An analysis gives access to
   * itself alone.
   */
  wrote(topic: string, to: Op, device: string, isAuthor: (author: string | null) => boolean): boolean {
    return (this.#byTopic.get(topic) ?? []).some(
      ({ op, author }) =>
        op.opId.startsWith(`${device}-`) &&
        isAuthor(author) &&
        (op.sig === undefined || op.sig.key === to.sig?.key) &&
        (op.kind !== 'analysis' || (to.kind === 'analysis' && to.docId === op.docId)),
    );
  }

  /** True if the record names the bytes of a photograph. */
  namesPhotograph({ body }: Op): boolean {
    const bytes = body['bytes'];
    return /^[0-9a-f]{64}$/.test(String(body['sha256'])) && typeof bytes === 'number' && bytes >= 1;
  }

  /** True if the content is not acceptable. */
  contentProblem(op: Op): boolean {
    if (op.schema > SCHEMA) return true;
    if (op.kind !== 'image') return false;
    if (!this.namesPhotograph(op) || topicOf(op) === null) return true;
    const recorded = this.#photographs.get(op.docId);
    return recorded !== undefined && !recorded.has(String(op.body['sha256']));
  }

  /** True if the operation would bring its document above a ceiling. */
  breaksCeiling(op: Op): boolean {
    const document = this.#documents.get(`${op.kind} ${op.docId}`) ?? emptyDocument();
    const lc = op.lc ?? 1;
    if (lc > CEILINGS.lc || lc > document.lc + CEILINGS.leap) return true;
    const before = measure(document);
    if (before.chars > 2 * CEILINGS.chars) return true;
    const copy: ModelDocument = {
      opIds: new Set(document.opIds),
      writes: new Map([...document.writes].map(([field, writes]) => [field, [...writes]])),
      replaced: new Map([...document.replaced].map(([field, opIds]) => [field, new Set(opIds)])),
      lc: document.lc,
    };
    write(copy, op);
    const after = measure(copy);
    const breaks = (ceiling: number, of: (measures: Measures) => number): boolean =>
      of(after) > ceiling && of(after) > of(before);
    return (
      breaks(CEILINGS.chars, ({ chars }) => chars) ||
      breaks(CEILINGS.members, ({ members }) => members) ||
      breaks(CEILINGS.awaited, ({ awaited }) => awaited) ||
      writesOf(op).some(([field]) => breaks(CEILINGS.live, ({ live }) => live(field)))
    );
  }

  #shown(key: string, field: string): Json | undefined {
    const document = this.#documents.get(key);
    const replaced = document?.replaced.get(field);
    let shown: Write | undefined;
    for (const write of document?.writes.get(field) ?? [])
      if (replaced?.has(write.opId) !== true && (shown === undefined || isLater(write, shown))) shown = write;
    return shown?.value;
  }
}

/** Survey or profile that an operation concerns; null if it names none. */
export function topicOf({ kind, docId, body }: Pick<Op, 'kind' | 'docId' | 'body'>): string | null {
  if (kind === 'profile') return `profile:${docId}`;
  return kind === 'survey' ? docId : idIn(body['survey'], 'id');
}

/** Id in a member of a body; null for anything else. */
export function idIn(of: Json | undefined, member: string): string | null {
  const value = objectOf(of)?.[member];
  return typeof value === 'string' && /^[0-9A-Za-z]{12,19}$/.test(value) ? value : null;
}

export function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function emptyDocument(): ModelDocument {
  return { opIds: new Set(), writes: new Map(), replaced: new Map(), lc: 0 };
}

function write(document: ModelDocument, op: Op): void {
  document.opIds.add(op.opId);
  const lc = op.lc ?? 1;
  if (lc <= CEILINGS.lc) document.lc = Math.max(document.lc, lc);
  for (const [field, value] of writesOf(op)) append(document.writes, field, { opId: op.opId, lc, value });
  for (const [field, opIds] of Object.entries(op.over ?? {}))
    document.replaced.set(field, new Set([...(document.replaced.get(field) ?? []), ...opIds]));
}

function measure({ opIds, writes, replaced }: ModelDocument): Measures {
  const live = new Map(
    [...writes].map(([field, all]) => [field, all.filter(({ opId }) => replaced.get(field)?.has(opId) !== true)]),
  );
  const values = [...live].flatMap(([field, all]) => all.map(({ value }) => ({ field, value })));
  return {
    chars: values.reduce((sum, { field, value }) => sum + JSON.stringify(value).length + field.length, 0),
    members: values.reduce((sum, { value }) => sum + 4 + membersOf(value), 0),
    awaited: [...replaced.values()].reduce(
      (sum, names) => sum + [...names].filter((opId) => !opIds.has(opId)).length,
      0,
    ),
    live: (field) => live.get(field)?.length ?? 0,
  };
}

/** Members of all objects in a value, and lists and objects in lists. */
function membersOf(value: Json): number {
  if (Array.isArray(value))
    return (value as Json[]).reduce<number>(
      (sum, item) => sum + (typeof item === 'object' && item !== null ? 1 : 0) + membersOf(item),
      0,
    );
  const object = objectOf(value);
  if (object === undefined) return 0;
  return Object.values(object).reduce<number>((sum, member) => sum + 1 + membersOf(member as Json), 0);
}

/** Fields that an operation writes; an analysis is one field. */
function writesOf({ kind, body, over }: Op): [string, Json][] {
  const fields = (Object.entries(body) as [string, Json][]).filter(([field]) => !['id', 'uid'].includes(field));
  const written: [string, Json][] = kind === 'analysis' ? [['*', Object.fromEntries(fields)]] : fields;
  return written.filter(([field]) => over === undefined || Object.hasOwn(over, field));
}

function isLater(a: Write, b: Write): boolean {
  return a.lc > b.lc || (a.lc === b.lc && a.opId > b.opId);
}

function append<Key, Value>(index: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [value]);
  else list.push(value);
}
