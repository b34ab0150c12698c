import type { Json, Position, TraceCollection, TraceFeature, TraceGeometry } from '../../geobuf/geojson';
import { isObject } from '../../json';

/**
 * Parses the GeoJSON text of an older record (version 1); returns the traces, or the reason why they are unreadable.
 */
export function parseTraces(text: string): TraceCollection | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return 'its traces are not JSON';
    throw error;
  }
  if (!isObject(value) || value['type'] !== 'FeatureCollection' || !Array.isArray(value['features']))
    return 'its traces are not a feature collection';
  const features: TraceFeature[] = [];
  for (const each of value['features'] as unknown[]) {
    const feature = featureOf(each);
    if (feature === undefined) return 'one of its traces is neither a line nor an area';
    features.push(feature);
  }
  const { properties } = value;
  return {
    ...(value as object),
    type: 'FeatureCollection',
    features,
    properties: isObject(properties) ? (properties as { readonly [key: string]: Json }) : {},
  };
}

function featureOf(value: unknown): TraceFeature | undefined {
  if (!isObject(value) || value['type'] !== 'Feature' || !isObject(value['geometry'])) return undefined;
  const geometry = geometryOf(value['geometry']);
  if (geometry === undefined) return undefined;
  const { properties } = value;
  return {
    ...(value as object),
    type: 'Feature',
    geometry,
    properties: isObject(properties) ? (properties as TraceFeature['properties']) : {},
  };
}

function geometryOf({ type, coordinates }: { readonly [key: string]: unknown }): TraceGeometry | undefined {
  if (type === 'LineString') return isLine(coordinates) ? { type, coordinates } : undefined;
  if (type !== 'Polygon' || !Array.isArray(coordinates)) return undefined;
  const rings = coordinates as unknown[];
  return rings.every(isLine) ? { type, coordinates: rings } : undefined;
}

function isLine(value: unknown): value is readonly Position[] {
  return (
    Array.isArray(value) &&
    (value as unknown[]).every(
      (place) => Array.isArray(place) && place.length === 2 && (place as unknown[]).every(Number.isFinite),
    )
  );
}
