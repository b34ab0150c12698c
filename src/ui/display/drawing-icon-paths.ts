/** Icons of pictures and charts; separate, since the first screen does not need them. */
export const DRAWING_ICON_PATHS = {
  move: 'M12 3v18M3 12h18M9 6l3-3 3 3M9 18l3 3 3-3M6 9l-3 3 3 3M18 9l3 3-3 3',
  fill: 'M6 11l7-7 7 7-7 7zM13 4L9.5 1.5M6 11h14M4 16c-1.5 2-2 3-2 4a2 2 0 0 0 4 0c0-1-.5-2-2-4z',
  tap: 'M9 13V5.5a1.8 1.8 0 0 1 3.6 0V11l5 1.4a2 2 0 0 1 1.4 2.3L18 20h-7l-4-5.2a1.6 1.6 0 0 1 2-2.3M5.5 8a6 6 0 0 1 10.6-2.6',
  polygon: 'M6 18L4 8l9-4 7 6-3 9zM4 8v.2M13 4v.2M20 10v.2',
  edge: 'M3 17c3 1 4-2 3-5s2-6 5-5 3 4 6 3 4 1 4 4M3 17h.2M21 14h.2M12 7v.2',
  rotate: 'M20 12a8 8 0 1 1-2.5-5.8M20 3v5h-5M9.5 9.5h5v5h-5z',
  layers: 'M12 4l9 5-9 5-9-5zM4.5 13L12 17l7.5-4',
  skip: 'M5 5l9 7-9 7zM18 5v14',
  keys: 'M3 6h18v12H3zM7 10v.2M11 10v.2M15 10v.2M17 14v.2M7 14h6',
} as const;

export type DrawingIconName = keyof typeof DRAWING_ICON_PATHS;
