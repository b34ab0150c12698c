import { useDeferredValue, useMemo, useState } from 'react';
import type { StoredReefTable, ReefRepository } from '../../../data/repositories';
import { distanceKm, type GeoPoint } from '../../../domain/position/geo-point';
import { formatDistance } from '../../../domain/reef/nearest';
import { reefLabel, type Reef } from '../../../domain/reef/reef';
import { plainText } from '../../../domain/reef/plain-text';
import { reefIndex, searchReefs, type ReefIndex } from '../../../domain/reef/search';
import type { RegionId } from '../../../domain/region/region-id';
import type { ReefEntry } from '../../../domain/survey/log';
import { Combo, type ComboItem } from '../../../ui/controls/Combo';
import { Icon } from '../../../ui/display/Icon';
import { useObservable } from '../../shell';

/** Suggestions at a time: more than a person reads, few enough for a phone. */
const SHOWN = 20;

interface Props {
  readonly reefs: ReefRepository;
  readonly label: string;
  readonly regionId: RegionId;
  /** As it is written, or entered and faulty. */
  readonly value: string;
  readonly onEnter: (entry: ReefEntry) => void;
  readonly onLeave?: () => void;
  /** Where the boat is, where that is known: the nearer reefs come first. */
  readonly near: GeoPoint | null;
  readonly error?: string | undefined;
}

/** A reef or another place: searched in the region's table by name, number or nearness; words of one's own are taken too. */
export function ReefField({ reefs, label, regionId, value, onEnter, onLeave, near, error }: Props) {
  const table = useReefs(reefs, regionId);
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? value;
  const query = useDeferredValue(typed === null ? '' : typed);
  const found = useMemo(
    () =>
      table === undefined ? [] : searchReefs(reefIndexOf(table), { query, near: near ?? undefined, limit: SHOWN }),
    [table, query, near],
  );
  const byId = useMemo(() => new Map(found.map((reef) => [reef.id, reef])), [found]);
  const pick = (reef: Reef) => {
    setTyped(reefLabel(reef));
    onEnter({ text: reefLabel(reef), picked: reef });
  };
  return (
    <div
      onBlur={(event) => {
        // Going through the suggestions is told as a blur too; the focus itself stays in the field.
        if (event.currentTarget.contains(document.activeElement)) return;
        setTyped(null);
        onLeave?.();
      }}
    >
      <Combo
        label={label}
        items={found.map((reef) => itemOf(reef, near))}
        text={text}
        onText={(words) => {
          if (words === text) return;
          setTyped(words);
          onEnter({ text: words, picked: table === undefined ? null : exactMatch(table, words) });
        }}
        onPick={(id) => {
          const reef = byId.get(id);
          if (reef !== undefined) pick(reef);
        }}
        empty={
          table === undefined
            ? 'There is no table of reefs here. The words are kept as you write them.'
            : 'None in the table goes by that name. The words are kept as you write them.'
        }
        help={
          table === undefined || table.attribution === ''
            ? undefined
            : `Reefs: ${table.attribution.split(':')[0] ?? ''}`
        }
        error={error}
        end={<Icon name="pin" />}
      />
    </div>
  );
}

/** The table of a region; undefined while it is read, or where there is none. */
export function useReefs(reefs: ReefRepository, regionId: RegionId): StoredReefTable | undefined {
  return useObservable(reefs.table(regionId)).items[0];
}

const indexes = new WeakMap<object, ReefIndex>();

function reefIndexOf(table: StoredReefTable): ReefIndex {
  const cached = indexes.get(table);
  if (cached !== undefined) return cached;
  const made = reefIndex(table.reefs);
  indexes.set(table, made);
  return made;
}

/** The one reef that these words name in full, by name, number or both; null where they name none or several. */
function exactMatch(table: StoredReefTable, text: string): Reef | null {
  const plain = plainText(text);
  if (plain === '') return null;
  const named = reefIndexOf(table).entries.filter(
    (entry) =>
      entry.plain === plain || plainText(reefLabel(entry.reef)) === plain || plainText(entry.reef.gid) === plain,
  );
  return named.length === 1 ? (named[0]?.reef ?? null) : null;
}

function itemOf(reef: Reef, near: GeoPoint | null): ComboItem {
  const details = [
    reef.kind === 'Reef' ? '' : reef.kind,
    near === null ? '' : formatDistance(distanceKm(near, reef.position)),
  ].filter((word) => word !== '');
  return { id: reef.id, name: reefLabel(reef), ...(details.length === 0 ? {} : { detail: details.join(', ') }) };
}
