import { coverBand } from '../../../domain/results/bands';
import { mercatorX, mercatorY } from '../../../geo/mercator';
import { fitView, worldSize, type MapBounds, type MapSize } from '../report/fit-view';
import type { ReportColours } from '../report/report-colours';
import type { MapInsets, MapView } from '../report/report-map-props';

/** Content of a region's first picture, as its decoder yields it. Degrees; rings are longitude, latitude, longitude, … */
export interface PictureOfReefs {
  readonly bounds: MapBounds;
  readonly rows: ArrayLike<number>;
  readonly longitudes: ArrayLike<number>;
  readonly latitudes: ArrayLike<number>;
  readonly results: readonly {
    readonly row: number;
    /** Percent; null if it is not available. */
    readonly cover: { readonly value: number } | null;
  }[];
  readonly outlines: readonly { readonly row: number; readonly ring: ArrayLike<number> }[];
  readonly land: readonly ArrayLike<number>[];
}

interface PictureOptions {
  readonly size: MapSize;
  readonly insets: MapInsets;
  /** Bounds of the region that the map starts with. */
  readonly bounds: MapBounds;
  /** View of the address, if it has one. */
  readonly startView: MapView | null;
  readonly colours: ReportColours;
}

type Draw = Pick<
  CanvasRenderingContext2D,
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'fillRect'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'closePath'
  | 'fill'
  | 'stroke'
  | 'arc'
>;

/** Sizes of points on the map near the zoom of a region, px; plain ones are squares. */
const RADIUS_PX = { plain: 1, result: 2.8 } as const;

/**
 * Paints reefs and covers in the projection, view and colours of the report map, which takes the picture's place.
 * @param draw scaled so that one unit is a CSS px
 */
export function paintFirstPicture(draw: Draw, picture: PictureOfReefs, options: PictureOptions): void {
  const { size, colours } = options;
  const project = projection(options.startView ?? fitView(options.bounds, size, options.insets), size);
  draw.fillStyle = colours.sea;
  draw.fillRect(0, 0, size.width, size.height);
  draw.lineWidth = 0.8;
  draw.fillStyle = colours.land;
  draw.strokeStyle = colours.coast;
  for (const ring of picture.land) tracePath(draw, ring, project);

  const covers = new Map(picture.results.map(({ row, cover }) => [row, cover?.value ?? null]));
  const colourOf = (row: number): string => {
    const cover = covers.get(row);
    if (cover === undefined) return colours.reef;
    return cover === null ? colours.halo : (colours.bands[coverBand(cover)] ?? colours.reef);
  };
  const outlined = new Set<number>();
  for (const { row, ring } of picture.outlines) {
    outlined.add(row);
    draw.fillStyle = colourOf(row);
    draw.strokeStyle = covers.has(row) ? colours.edge : colours.reefLine;
    tracePath(draw, ring, project);
  }
  // Reefs with a result above all others.
  for (const hasResult of [false, true])
    for (let n = 0; n < picture.rows.length; n++) {
      const row = picture.rows[n] ?? 0;
      if (outlined.has(row) || covers.has(row) !== hasResult) continue;
      const { x, y } = project(picture.longitudes[n] ?? 0, picture.latitudes[n] ?? 0);
      draw.fillStyle = colourOf(row);
      if (!hasResult) {
        // A square: at this size it looks like a circle, and costs less.
        draw.fillRect(x - RADIUS_PX.plain, y - RADIUS_PX.plain, 2 * RADIUS_PX.plain, 2 * RADIUS_PX.plain);
        continue;
      }
      draw.strokeStyle = colours.edge;
      draw.lineWidth = 0.4;
      draw.beginPath();
      draw.arc(x, y, RADIUS_PX.result, 0, 2 * Math.PI);
      draw.fill();
      draw.stroke();
    }
}

type Project = (longitude: number, latitude: number) => { readonly x: number; readonly y: number };

function projection({ longitude, latitude, zoom }: MapView, { width, height }: MapSize): Project {
  const world = worldSize(zoom);
  const [x0, y0] = [mercatorX(longitude) * world - width / 2, mercatorY(latitude) * world - height / 2];
  return (lng, lat) => ({ x: mercatorX(lng) * world - x0, y: mercatorY(lat) * world - y0 });
}

function tracePath(draw: Draw, ring: ArrayLike<number>, project: Project): void {
  draw.beginPath();
  for (let at = 0; at + 1 < ring.length; at += 2) {
    const { x, y } = project(ring[at] ?? 0, ring[at + 1] ?? 0);
    if (at === 0) draw.moveTo(x, y);
    else draw.lineTo(x, y);
  }
  draw.closePath();
  draw.fill();
  draw.stroke();
}
