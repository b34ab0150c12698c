/** The icons' strokes: a 24 box, round ends, no fills. */
export const ICON_PATHS = {
  survey: 'M7 4h10v16H7zM10 4v-1h4v1M10 9h4M10 13h4M10 17h2',
  camera: 'M4 8h3l2-3h6l2 3h3v11H4zM12 16.500a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.400z',
  photos: 'M3 7h14v12H3zM7 7V4h14v12h-4M3 16l4-4 4 4 2-2 4 4',
  box: 'M3 12h18l-3 7H6zM12 12V3M12 4l6 6h-6',
  link: 'M2.5 9.500a14 14 0 0 1 19 0M6 13a9 9 0 0 1 12 0M9.2 16.400a4.2 4.2 0 0 1 5.6 0M12 20v.2',
  offline: 'M3 3l18 18M5 12a10 10 0 0 1 4-2.500M8.5 15.500a5 5 0 0 1 5-1M14 9a10 10 0 0 1 5 3M12 19v.2',
  check: 'M4 12.500l5.5 5.500L20 6.5',
  alert: 'M12 3l10 18H2zM12 10v5M12 18v.2',
  plus: 'M12 4v16M4 12h16',
  back: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-5 4-6.5 8-6.500s7 1.5 8 6.5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  pause: 'M8 5v14M16 5v14',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v6M12 7.500v.2',
  lock: 'M6 11h12v10H6zM8.5 11V7.500a3.5 3.5 0 0 1 7 0V11',
  tablet: 'M5 3h14v18H5zM11 18h2',
  shore: 'M2 19h20M4 19l6-10 4 6 2-3 5 7M10 9V5l3 1-3 1',
  close: 'M5 5l14 14M19 5L5 19',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
} as const;

export type IconName = keyof typeof ICON_PATHS;
