import { outlineFinder } from '../../../workers/outline/outline-finder';
import type { OutlineFinder } from '../../../workers/outline/outline.api';
import type { OfferedTool, ToolSurface } from './tool';
import type { Reach } from './corners';

/** Width in px of the picture in which outlines are searched: more costs time and finds the same. */
const SEARCH_WIDTH = 800;
/** Finger's reach, CSS px: half a target. */
const FINGER_PX = 24;
/** Reach used while the zoom is unknown; fractions of the picture. */
const DEFAULT_REACH: Reach = { x: 0.025, y: 0.035 };

const finderOf = (surface: ToolSurface): OutlineFinder => outlineFinder(() => surface.pixels(SEARCH_WIDTH));

const reachOf = (surface: ToolSurface) => (): Reach => surface.reach(FINGER_PX) ?? DEFAULT_REACH;

/** Tools beyond pen and eraser, in display order; each is loaded when first selected. */
export const AREA_TOOLS: readonly OfferedTool[] = [
  {
    id: 'tap',
    label: 'Tap to fill',
    icon: 'tap',
    key: 'f',
    hint: 'Tap a colony to fill it. Hold and drag right for more, left for less.',
    press: 'hold',
    load: async () => {
      const { createTapTool } = await import('./tap-tool');
      return (host, surface) => createTapTool(host, finderOf(surface));
    },
  },
  {
    id: 'polygon',
    label: 'Corners',
    icon: 'polygon',
    key: 'g',
    hint: 'Tap one corner after another. Tap the first corner again, or press Enter, to fill the area.',
    press: 'tap',
    load: async () => {
      const { createPolygonTool } = await import('./polygon-tool');
      return (host, surface) => createPolygonTool(host, reachOf(surface));
    },
  },
  {
    id: 'edge',
    label: 'Along edges',
    icon: 'edge',
    key: 'l',
    hint: 'Tap along the rim of a colony: between taps the line follows the edge. Tap the first corner again, or press Enter, to fill the area.',
    press: 'tap',
    load: async () => {
      const { createEdgeTool } = await import('./edge-tool');
      return (host, surface) => createEdgeTool(host, reachOf(surface), finderOf(surface));
    },
  },
];
