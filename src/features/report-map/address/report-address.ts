import { ownValue } from '../../../base/own-value';
import type { LayerKey, Region } from '../../../domain/region/region';
import type { MapView } from '../../map';

/** Query of the address, as text; anything else in it is ignored. */
export interface ReportQuery {
  readonly view?: string;
  readonly tab?: string;
  readonly reef?: string;
  readonly survey?: string;
  /** Layer keys, separated by commas; `none` for none. */
  readonly layers?: string;
  /** Reference layers, written alike. */
  readonly reference?: string;
  readonly look?: string;
  /** `latitude,longitude,zoom` */
  readonly at?: string;
}

const REPORT_TABS = ['surveys', 'legends', 'settings'] as const;
export type ReportTab = (typeof REPORT_TABS)[number];

const STANDARD_VIEW = 'standard';
export const RESULTS_VIEW = 'results';

/** State of the report screen, all of it in the address, so that every view can be shared. */
export interface ReportAddress {
  /** Id of a view of the region. */
  readonly view: string;
  readonly tab: ReportTab;
  /** Feature id. */
  readonly reef: string | null;
  readonly survey: string | null;
  readonly layers: readonly LayerKey[];
  /** Reference layers that are on, in any view. */
  readonly reference: readonly ReferenceLayer[];
  /** True for a visitor who chose "See the results" without signing in. */
  readonly isLook: boolean;
  readonly place: MapView | null;
}

const PRIORITY_LAYERS = ['cotsPriority', 'censusPriority', 'deepReefs', 'hotRefugiaReefs'] as const;
export type PriorityLayer = (typeof PRIORITY_LAYERS)[number];

export function isPriority(key: LayerKey): key is PriorityLayer {
  return PRIORITY_LAYERS.some((one) => one === key);
}

export function hasPriority(layers: readonly LayerKey[]): boolean {
  return layers.some(isPriority);
}

const REFERENCE_LAYERS = ['raster', 'validation'] as const;
/** Layers to compare reefs with: pictures such as the Allen layer, and outlines as their source has them (3§3). */
export type ReferenceLayer = (typeof REFERENCE_LAYERS)[number];

/** Pictures are part of the base map, until someone turns them off. */
export const DEFAULT_REFERENCE: readonly ReferenceLayer[] = ['raster'];

/** Reference layers of a region: one without a validation layer names none in its configuration. */
export function offeredReference({ mapValidationLayer }: Region): readonly ReferenceLayer[] {
  return REFERENCE_LAYERS.filter((key) => key !== 'validation' || mapValidationLayer !== '');
}

/** Layers that a region offers for a dataset (3§2 "Settings tab"): Surveyed Reefs always. */
export function offeredLayers(region: Region, datasetId: string): readonly LayerKey[] {
  return [...new Set<LayerKey>(['surveyedReefs', ...(ownValue(region.layers.mapLayerToggles, datasetId) ?? [])])];
}

/** Layers of a view that was just chosen: "changing view clears layers and shows the Results layer or the highlight layer". */
export function layersOfView(view: string): readonly LayerKey[] {
  return view === RESULTS_VIEW ? [] : ['surveyedReefs'];
}

/**
 * Reads the address. A view that the region lacks is the standard one; a layer that the dataset lacks is left out.
 *
 * @param isPriorityRoute true for the subroute `priority`: Settings, with the priority layers on
 */
export function parseAddress(
  query: ReportQuery,
  isPriorityRoute: boolean,
  region: Region,
  datasetId: string,
): ReportAddress {
  const views = region.layers.views.map(({ id }) => id);
  const isLook = query.look === RESULTS_VIEW;
  const view =
    query.view !== undefined && views.includes(query.view) ? query.view : isLook ? RESULTS_VIEW : STANDARD_VIEW;
  const offered = offeredLayers(region, datasetId);
  const wanted =
    query.layers === undefined
      ? isPriorityRoute
        ? ['surveyedReefs', ...PRIORITY_LAYERS]
        : layersOfView(view)
      : query.layers.split(',');
  return {
    view,
    tab: REPORT_TABS.find((tab) => tab === query.tab) ?? (isPriorityRoute ? 'settings' : 'surveys'),
    reef: query.reef === undefined || query.reef === '' ? null : query.reef,
    survey: query.survey === undefined || query.survey === '' ? null : query.survey,
    layers: offered.filter((key) => wanted.includes(key)),
    reference: offeredReference(region).filter((key) =>
      (query.reference?.split(',') ?? DEFAULT_REFERENCE).some((one) => one === key),
    ),
    isLook,
    place: parsePlace(query.at),
  };
}

/**
 * Step to a reef, or back to the list. "Picking a reef shows its surveys" (3§2), also one that is picked on the map while
 * Legends or Settings is open.
 */
export function stepToReef(reef: string | null): Pick<ReportAddress, 'reef' | 'survey' | 'tab'> {
  return { reef, survey: null, tab: 'surveys' };
}

/** "Changing dataset resets the list, layers and route" (3§4). The view and the place on the map stay. */
export function stepToDataset(address: ReportAddress): ReportAddress {
  return { ...stepToView(address, address.view), reef: null };
}

/** "Changing view clears layers and shows the Results layer or the highlight layer" (3§4). The reef stays. */
export function stepToView(address: ReportAddress, view: string): ReportAddress {
  return { ...address, view, tab: 'surveys', survey: null, layers: layersOfView(view), reference: DEFAULT_REFERENCE };
}

/** Path of a view with region and dataset, so that it opens the same for anyone. */
export function sharedPath(regionId: string, datasetId: string, isPriorityRoute: boolean): string {
  return `/${regionId}/detailed-reporting/${encodeURIComponent(datasetId)}${isPriorityRoute ? '/priority' : ''}`;
}

/** Query of an address, without what is the default anyway. */
export function queryOf(address: ReportAddress, isPriorityRoute: boolean): ReportQuery {
  const { view, tab, reef, survey, layers, reference, isLook, place } = address;
  const isDefaultLayers = !isPriorityRoute && layers.join() === layersOfView(view).join();
  const defaultTab = isPriorityRoute ? 'settings' : 'surveys';
  return {
    ...(view === (isLook ? RESULTS_VIEW : STANDARD_VIEW) ? {} : { view }),
    ...(tab === defaultTab ? {} : { tab }),
    ...(reef === null ? {} : { reef }),
    ...(survey === null ? {} : { survey }),
    ...(isDefaultLayers ? {} : { layers: listText(layers) }),
    ...(reference.join() === DEFAULT_REFERENCE.join() ? {} : { reference: listText(reference) }),
    ...(isLook ? { look: RESULTS_VIEW } : {}),
    ...(place === null ? {} : { at: formatPlace(place) }),
  };
}

function listText(layers: readonly string[]): string {
  return layers.length === 0 ? 'none' : layers.join(',');
}

/** 4 decimals: 11 m, finer than a photograph's position. */
function formatPlace({ latitude, longitude, zoom }: MapView): string {
  return `${latitude.toFixed(4)},${longitude.toFixed(4)},${zoom.toFixed(1)}`;
}

function parsePlace(text: string | undefined): MapView | null {
  if (text === undefined || !/^-?[\d.]+,-?[\d.]+,[\d.]+$/.test(text)) return null;
  const [latitude = NaN, longitude = NaN, zoom = NaN] = text.split(',').map(Number);
  const isOnMap = Math.abs(latitude) <= 85 && Math.abs(longitude) <= 180 && zoom >= 0 && zoom <= 20;
  return isOnMap ? { latitude, longitude, zoom } : null;
}
