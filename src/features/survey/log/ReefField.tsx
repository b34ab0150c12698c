import { useMemo, useState } from 'react';
import type { StoredReefTable, ReefRepository } from '../../../data/repositories';
import { distanceKm, type GeoPoint } from '../../../domain/position/geo-point';
import { formatDistance } from '../../../domain/reef/nearest';
import type { Reef } from '../../../domain/reef/reef';
import { reefLabel } from '../../../domain/reef/reef-label';
import { labelledReef, NEAR_KM, reefIndex, searchReefs, type ReefIndex } from '../../../domain/reef/search';
import type { RegionId } from '../../../domain/region/region-id';
import type { ReefEntry } from '../../../domain/survey/log';
import { Combo, type ComboItem } from '../../../ui/controls/Combo';
import { useObservable } from '../../shell';

/** Number of suggestions: enough to choose from, few enough for a phone. */
const SHOWN = 20;

interface Props {
  readonly reefs: ReefRepository;
  readonly label: string;
  readonly regionId: RegionId;
  /** Saved value, or a faulty entry. */
  readonly value: string;
  readonly onEnter: (entry: ReefEntry) => void;
  readonly onLeave?: () => void;
  /** Position of the vessel if known: nearer reefs come first. */
  readonly near: GeoPoint | null;
  readonly error?: string | undefined;
}

/** Reef or place field: searches the region's table by name, number or distance, and accepts free text. */
export function ReefField({ reefs, label, regionId, value, onEnter, onLeave, near, error }: Props) {
  const table = useReefs(reefs, regionId);
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? value;
  // Not deferred: the keys would choose from the suggestions of an earlier text.
  const query = typed ?? '';
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
        // Moving through suggestions also fires a blur while the field keeps the focus.
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
          onEnter({ text: words, picked: table === undefined ? null : labelledReef(reefIndexOf(table), words) });
        }}
        onPick={(id) => {
          const reef = byId.get(id);
          if (reef !== undefined) pick(reef);
        }}
        empty={
          table === undefined
            ? 'There is no table of reefs here. Your text is saved as written.'
            : 'No reef by that name. Your text is saved as written.'
        }
        help={
          table === undefined || table.attribution === ''
            ? undefined
            : `Reefs: ${table.attribution.split(':')[0] ?? ''}`
        }
        error={error}
      />
    </div>
  );
}

/** Reef table of a region; undefined while loading or absent. */
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

function itemOf(reef: Reef, near: GeoPoint | null): ComboItem {
  const km = near === null ? null : distanceKm(near, reef.position);
  const details = [
    reef.kind === 'Reef' ? '' : reef.kind,
    km === null ? '' : km <= NEAR_KM ? `Near you: ${formatDistance(km)}` : formatDistance(km),
  ].filter((word) => word !== '');
  return { id: reef.id, name: reefLabel(reef), ...(details.length === 0 ? {} : { detail: details.join(', ') }) };
}
