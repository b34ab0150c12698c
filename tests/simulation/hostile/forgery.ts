import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../src/domain/canonical';
import type { OpId, PersonId, Sha256 } from '../../../src/domain/ids';
import { makeId, splitOpId } from '../../../src/domain/ids';
import type { Json, JsonObject } from '../../../src/domain/json';
import type { Op, OpKind } from '../../../src/domain/op/op';
import type { Seeded } from '../../support/seed';
import { EXPERT, HOSTILE_PERSON, HOSTILE_TABLET, coveredText, partyKey } from './identities';
import { withoutMarks } from './privacy';

/** Ways to make a hostile operation. */
export const FORGERIES = [
  'edit',
  'delete',
  'photograph',
  'analysis',
  'profile',
  'begin',
  'new',
  'alter',
  'take id',
] as const;
export type Forgery = (typeof FORGERIES)[number];

const COUNTS = [undefined, 2, 3, 10_001, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1] as const;
const ROLES = ['isExpert', 'verified', 'admin', 'staff'] as const;

type Draft = Omit<Op, 'v' | 'opId' | 'madeAt' | 'schema' | 'sha256' | 'by' | 'sig'>;

/** Makes operations from what the party knows. */
export class Forger {
  #made = 0;

  /** @param people honest people */
  constructor(
    readonly random: Seeded,
    readonly people: readonly PersonId[],
  ) {}

  /** @param known operations that the party has read */
  make(how: Forgery, known: readonly Op[]): Op | undefined {
    const target = this.#targetOf(how, known);
    const draft = target === undefined && how !== 'new' ? undefined : this.#draft(how, target, known);
    if (draft === undefined) return undefined;
    this.#made += 1;
    const by = this.#author();
    const op = {
      v: 1,
      opId: this.#opId(how, known),
      ...draft,
      ...(by === undefined ? {} : { by }),
      // No honest write has such a time: what the party made differs from all others.
      madeAt: new Date(Date.parse('2025-01-01T00:00:00.000Z') + this.#made).toISOString(),
      schema: 1,
      sha256: createHash('sha256').update(canonicalJson(draft.body)).digest('hex') as Sha256,
    } as Op;
    return this.#signed(op, known, how === 'alter' ? target : undefined);
  }

  #targetOf(how: Forgery, known: readonly Op[]): Op | undefined {
    const kinds: Partial<Record<Forgery, readonly OpKind[]>> = {
      photograph: ['image'],
      analysis: ['image', 'survey'],
      begin: ['survey', 'image', 'analysis'],
    };
    const fitting = known.filter(({ kind }) => kinds[how]?.includes(kind) ?? kind !== 'profile');
    return fitting.length === 0 ? undefined : this.random.pick(fitting);
  }

  #draft(how: Forgery, target: Op | undefined, known: readonly Op[]): Draft | undefined {
    const { random } = this;
    if (how === 'profile') return this.#profile();
    if (how === 'new' || target === undefined) return this.#survey(this.#id());
    const body = withoutMarks(target.body);
    const surveyId = target.kind === 'survey' ? target.docId : ((body['survey'] ?? {}) as JsonObject)['id'];
    switch (how) {
      case 'photograph':
        return this.#as(this.#id(), 'image', { ...body, user: { uid: this.#anyone() } });
      case 'analysis':
        return this.#analysis(target, surveyId ?? null);
      case 'begin':
        return random.below(3) === 0 && target.kind !== 'survey'
          ? this.#as(target.docId, target.kind, body)
          : this.#survey(String(surveyId ?? target.docId));
      default:
        return this.#edit(how, target, known, body);
    }
  }

  #edit(how: Forgery, target: Op, known: readonly Op[], body: JsonObject): Draft {
    const { random } = this;
    const field = target.kind === 'analysis' ? '*' : random.pick(['name', 'private', 'user', 'keptAsIs']);
    const values: Readonly<Record<string, Json>> = {
      name: 'Taken',
      private: false,
      user: { uid: HOSTILE_PERSON },
      keptAsIs: true,
      '*': null,
    };
    const changes: JsonObject =
      how === 'delete'
        ? { isDeleted: true, deletedAt: '2025-01-01T00:00:00.000Z' }
        : target.kind === 'analysis'
          ? { areas: 1000 + this.#made }
          : { [field]: values[field] ?? null };
    const others = known.filter(({ kind, docId }) => kind === target.kind && docId === target.docId);
    const replaced = random.pick([others.map(({ opId }) => opId), [], [`${this.#id()}-1` as OpId]]);
    const names = target.kind === 'analysis' ? ['*'] : Object.keys(changes);
    const lc = random.pick(COUNTS);
    return {
      kind: target.kind,
      docId: target.docId,
      body: { ...body, ...changes },
      over: Object.fromEntries(names.map((name) => [name, replaced])),
      ...(lc === undefined ? {} : { lc }),
    };
  }

  #analysis(target: Op, surveyId: Json): Draft {
    const id = this.#id();
    const person = this.#anyone();
    const roles = Object.fromEntries(ROLES.filter(() => this.random.below(2) === 0).map((role) => [role, true]));
    return this.#as(id, 'analysis', {
      id,
      version: 2.4,
      image: { id: target.docId },
      survey: { id: surveyId },
      user: { uid: person, ...roles },
      ...roles,
      areas: 1,
    });
  }

  #profile(): Draft {
    const uid = this.random.pick([...this.people, HOSTILE_PERSON]);
    return {
      kind: 'profile',
      docId: uid,
      body: { uid, name: { first: 'Staff', last: 'Support' }, admin: true, staff: true, isExpert: true },
    };
  }

  #survey(id: string): Draft {
    const uid = this.#anyone();
    return this.#as(id, 'survey', {
      id,
      name: 'Begun',
      date: '2026-11-20',
      user: { uid, admin: true },
      private: false,
    });
  }

  #as(docId: string, kind: OpKind, body: JsonObject): Draft {
    return { kind, docId, body: { ...body, id: docId } };
  }

  #anyone(): PersonId {
    return this.random.pick([HOSTILE_PERSON, EXPERT, ...this.people]);
  }

  #author(): PersonId | undefined {
    const drawn = this.random.below(8);
    if (drawn === 0) return undefined;
    return drawn === 1 ? this.#id<PersonId>() : drawn < 5 ? HOSTILE_PERSON : this.#anyone();
  }

  /** Own numbers, those of a new device, of an honest one, or the next one that an honest one will use. */
  #opId(how: Forgery, known: readonly Op[]): OpId {
    const { random } = this;
    const honest = known.filter(({ opId }) => !opId.startsWith(HOSTILE_TABLET));
    if (honest.length > 0 && (how === 'take id' || random.below(5) === 0)) {
      const { deviceId } = splitOpId(random.pick(honest).opId);
      const last = Math.max(...honest.map(({ opId }) => (opId.startsWith(`${deviceId}-`) ? splitOpId(opId).n : 0)));
      return `${deviceId}-${last + 1 + random.below(how === 'take id' ? 3 : 100)}` as OpId;
    }
    return `${random.below(3) === 0 ? this.#id() : HOSTILE_TABLET}-${this.#made}` as OpId;
  }

  /** Its own signature, another's, that of another operation, one of an unknown key, or none. */
  #signed(op: Op, known: readonly Op[], altered: Op | undefined): Op {
    const { random } = this;
    const taken = altered?.sig ?? known.find(({ sig }) => sig !== undefined)?.sig;
    const by = (name: string): Op => {
      const key = partyKey(name);
      return { ...op, sig: { key: key.x, value: key.sign(coveredText(op)) } };
    };
    if (altered !== undefined && taken !== undefined) return { ...op, sig: taken };
    switch (random.below(6)) {
      case 0:
        return taken === undefined ? op : { ...op, sig: taken };
      case 1:
        return taken === undefined
          ? op
          : { ...op, sig: { key: taken.key, value: partyKey('device').sign(coveredText(op)) } };
      case 2:
        return by('unknown');
      case 3:
      case 4:
        return by('device');
      default:
        return op;
    }
  }

  #id<Id extends string>(): Id {
    return makeId<Id>((n) => this.random.bytes(n));
  }
}
