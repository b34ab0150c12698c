import { useCallback, useState } from 'react';
import type { FoundOrganisation, ProfileFacts, ProfileRepository } from '../../../data/repositories';
import { Combo } from '../../../ui/controls/Combo';
import { useSearch } from './use-search';

interface Props {
  readonly profile: Pick<ProfileRepository, 'organisations'>;
  readonly value: ProfileFacts['org'];
  readonly onChange: (organisation: ProfileFacts['org']) => void;
}

/** Organisation field, searched by handle prefix. Only existing ones can be chosen: admins add them. */
export function OrganisationField({ profile, value, onChange }: Props) {
  const [text, setText] = useState(value?.name ?? value?.handle ?? '');
  const find = useCallback((query: string) => profile.organisations(query.toLowerCase()), [profile]);
  const found = useSearch<FoundOrganisation>(text, 1, find);
  return (
    <Combo
      label="Organisation (optional)"
      items={found.map(({ handle, name }) => ({ id: handle, name, ...(name === handle ? {} : { detail: handle }) }))}
      text={text}
      onText={(words) => {
        if (words === text) return;
        setText(words);
        const exact = found.find(({ handle, name }) =>
          [handle, name].some((word) => word.toLowerCase() === words.trim().toLowerCase()),
        );
        onChange(exact ?? null);
      }}
      onPick={(handle) => {
        const organisation = found.find((one) => one.handle === handle);
        if (organisation === undefined) return;
        setText(organisation.name);
        onChange(organisation);
      }}
      empty="No organisation’s handle starts like this. You can leave this empty."
    />
  );
}
