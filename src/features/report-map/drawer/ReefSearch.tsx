import { useMemo, useState } from 'react';
import type { FeatureTable } from '../../../domain/results/feature-table';
import { featureSearch } from '../../../domain/results/tables/feature-search';
import { Combo } from '../../../ui/controls/Combo';
import { reefName } from '../../../domain/reef/reef-label';
import { reefDetail, type ReportReef } from '../data/report-data';

/** Suggestions shown at once. */
const SUGGESTIONS_MAX = 20;

interface Props {
  readonly table: FeatureTable | null;
  /** Reefs to find. */
  readonly reefs: readonly ReportReef[];
  readonly onPick: (reef: ReportReef) => void;
}

/** 3§2: combobox "Search Reefs". */
export function ReefSearch({ table, reefs, onPick }: Props) {
  const [text, setText] = useState('');
  const byRow = useMemo(() => new Map(reefs.map((reef) => [reef.row, reef])), [reefs]);
  const search = useMemo(() => (table === null ? null : featureSearch(table, [...byRow.keys()])), [table, byRow]);
  const found =
    text.trim() === ''
      ? reefs.slice(0, SUGGESTIONS_MAX)
      : (search?.(text, SUGGESTIONS_MAX) ?? []).flatMap((row) => byRow.get(row) ?? []);
  return (
    <Combo
      label="Search Reefs"
      placeholder="Name or chart number"
      items={found.map((reef) => ({ id: reef.featureId, name: reefName(reef), detail: reefDetail(reef) }))}
      text={text}
      onText={setText}
      onPick={(id) => {
        const reef = reefs.find(({ featureId }) => featureId === id);
        if (reef === undefined) return;
        setText(reefName(reef));
        onPick(reef);
      }}
      empty="No reef of this list has that name."
    />
  );
}
