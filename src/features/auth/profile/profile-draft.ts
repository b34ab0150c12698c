import type { Person, ProfileFacts, ProfileField, ProfileView } from '../../../data/repositories';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { isBlank } from '../../../domain/user/rules';
import { ANONYMOUS_FIRST_NAME } from '../../../domain/user/user';

export interface ProfileDraft extends Omit<ProfileFacts, 'additionalInfo'> {
  readonly extra: Readonly<Record<string, string>>;
}

/** Initial form: the profile, or the known facts. The placeholder name counts as empty. */
export function draftFromProfile(person: Person, mine: ProfileView | undefined): ProfileDraft {
  const name = mine?.name ?? person.name;
  return {
    name: name.first === ANONYMOUS_FIRST_NAME ? { first: '', last: '' } : { first: name.first, last: name.last },
    loc: mine?.loc ?? null,
    org: mine?.org ?? person.org,
    optin: mine?.optin ?? true,
    extra: Object.fromEntries(Object.values(mine?.additionalInfo ?? {}).map(({ fieldId, value }) => [fieldId, value])),
  };
}

/** Problems by field (2§5); empty if valid. */
export function draftProblems(
  { name, extra }: ProfileDraft,
  fields: readonly ProfileField[],
): Readonly<Record<string, string>> {
  return {
    ...(isBlank(name.first) ? { name: ANALYSIS_MESSAGES.nameRequired } : {}),
    ...Object.fromEntries(
      fields
        .filter(({ id, required }) => required && (extra[id] ?? '').trim() === '')
        .map(({ id }) => [`extra.${id}`, ANALYSIS_MESSAGES.valueRequired]),
    ),
  };
}

/** Facts to save. Values of removed extra fields are retained. */
export function factsFromDraft(
  { extra, ...draft }: ProfileDraft,
  fields: readonly ProfileField[],
  mine: ProfileView | undefined,
): ProfileFacts {
  const asked = fields
    .map(({ id, label }) => [id, { fieldId: id, fieldLabel: label, value: (extra[id] ?? '').trim() }] as const)
    .filter(([, { value }]) => value !== '');
  const unasked = Object.entries(mine?.additionalInfo ?? {}).filter(([id]) => fields.every((field) => field.id !== id));
  return { ...draft, additionalInfo: Object.fromEntries([...unasked, ...asked]) };
}
