import type { FeatureTable } from '../../../domain/results/feature-table';
import type { RegionMeta } from '../../../domain/results/region-meta';
import type { RubbleFacts } from '../../../domain/results/tables/rubble-file';
import type { LayerKey } from '../../../domain/region/region';

/**
 * Layers that the caller switches on. `results` paints reefs by their cover, `raster` is pictures such as the Allen layer,
 * `validation` outlines as their source has them; the others are those of the Settings tab (3§2). Base map, 200 m line and
 * reef outlines are always drawn.
 */
export type ReportLayer = LayerKey | 'results' | 'validation' | 'raster';

/** Place of an archive: a downloaded file, or an address that answers byte ranges. */
export type ArchiveLocation =
  | {
      readonly kind: 'file';
      readonly file: File;
      /** Version of the file; absent or null if unknown. */
      readonly sha256?: string | null;
    }
  | { readonly kind: 'url'; readonly url: string };

/** Figures of reefs by row of the feature table; all arrays have the table's length. */
export interface ReefPaint {
  /** Total coral cover, percent 0..100; NaN without a result. Drawn with layer `results`. */
  readonly covers: Float32Array;
  /** 1 for a reef with public surveys in the dataset. Drawn with layer `surveyedReefs`. */
  readonly surveyed: Uint8Array;
}

/** Sites of the rubble layer; the position in the arrays is the numeric id in the tiles (column `n` of `rubble.csv`). */
export interface RubbleTable {
  /** Degrees. */
  readonly longitudes: readonly number[];
  /** Degrees. */
  readonly latitudes: readonly number[];
  readonly photographs: readonly number[];
  /** Mean rubble probability, percent 0..100. */
  readonly probabilities: readonly number[];
  readonly sources: readonly RubbleFacts[];
}

/** Survey of the selected reef, shown as a numbered pin. */
export interface SurveyMarker {
  readonly surveyId: string;
  readonly longitude: number;
  readonly latitude: number;
  /** Accessible name, such as "Survey of 12 January 2025, 40 images". */
  readonly name: string;
}

/** Position of the map. */
export interface MapView {
  readonly longitude: number;
  readonly latitude: number;
  readonly zoom: number;
}

/** Parts of the map that panels cover, px: places are centred in what is left. */
export interface MapInsets {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/**
 * Props of `ReportMap` (3§2 "Map behaviour"). Plain data: arrays and objects are compared by identity, so a caller keeps
 * them (`useMemo`) while they are unchanged. A new `paint` changes colours alone and loads no tile.
 */
export interface ReportMapProps {
  readonly region: {
    readonly regionId: string;
    readonly regionName: string;
    /** West, south, east, north, degrees: the first view, as of the first picture. */
    readonly mapBounds: readonly [number, number, number, number];
    /** Layer id below which the Allen layer (rasters) is drawn; '' draws it below the reefs. */
    readonly mapAllenCoralBeforeId: string;
  };
  /** Null while it is read: the first picture is shown until the archives can be opened. */
  readonly meta: RegionMeta | null;
  /** Null while it is read: reefs are drawn without figures. */
  readonly table: FeatureTable | null;
  readonly paint: ReefPaint | null;
  readonly layers: ReadonlySet<ReportLayer>;
  readonly rubble: RubbleTable | null;
  /** Finds an archive of `meta.layers`: `repositories.edge.packs.locate`. Null if none is in reach. */
  readonly locate: (name: string, sha256?: string) => Promise<ArchiveLocation | null>;
  /** View of the address; null starts at the region's bounds, or at the selected reef. */
  readonly startView: MapView | null;
  readonly insets: MapInsets;
  /** Row of the reef whose card is open: the map moves to its bounds. */
  readonly selected: number | null;
  /** Row of the reef whose card is hovered or focused: highlighted, with a pin. */
  readonly hovered: number | null;
  /** Surveys of the selected reef. */
  readonly markers: readonly SurveyMarker[];
  /** Survey that is open: the map flies there in 5 s to zoom 15, at once under reduced motion. */
  readonly flight: { readonly surveyId: string; readonly longitude: number; readonly latitude: number } | null;
  /** Pointer over a reef of the map; null when it leaves. */
  readonly onHover: (row: number | null) => void;
  readonly onPick: (row: number) => void;
  readonly onPickSurvey: (surveyId: string) => void;
  /** After each move, for the address. */
  readonly onView: (view: MapView) => void;
}
