import { useCallback, useState } from 'react';
import type { FoundPlace, ProfilePlace, ProfileRepository } from '../../../data/repositories';
import { ANALYSIS_LIMITS } from '../../../domain/limits';
import { Combo } from '../../../ui/controls/Combo';
import { Icon } from '../../../ui/display/Icon';
import { useSearch } from './use-search';

interface Props {
  readonly profile: Pick<ProfileRepository, 'places'>;
  readonly value: ProfilePlace | null;
  readonly onChange: (place: ProfilePlace | null) => void;
}

/** Location field: searches from three letters (2§5), and accepts free text. */
export function LocationField({ profile, value, onChange }: Props) {
  const [text, setText] = useState(value?.value ?? '');
  const find = useCallback((query: string) => profile.places(query), [profile]);
  const places = useSearch<FoundPlace>(text, ANALYSIS_LIMITS.geocodingCharactersMin, find);
  return (
    <Combo
      label="Location"
      items={places.map((place) => ({ id: place.id, name: place.value }))}
      text={text}
      onText={(words) => {
        if (words === text) return;
        setText(words);
        const plain = words.trim();
        onChange(plain === '' ? null : { value: plain, name: plain });
      }}
      onPick={(id) => {
        const place = places.find((one) => one.id === id);
        if (place === undefined) return;
        setText(place.value);
        const { _geoloc: at, ...words } = place;
        onChange({ ...words, _geoloc: { latitude: at.lat, longitude: at.lng } });
      }}
      empty={
        text.trim().length < ANALYSIS_LIMITS.geocodingCharactersMin
          ? 'Enter at least three letters to search.'
          : 'No place found. Your text is saved as written.'
      }
      end={<Icon name="pin" />}
    />
  );
}
