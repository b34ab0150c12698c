/**
 * Page of a carousel from typed text: 1 to `count`; null for anything else, which is ignored (3§5: "Carousel page
 * number must be between 1 and image count, else ignored").
 */
export function parsePageNumber(text: string, count: number): number | null {
  if (!/^\s*\d{1,6}\s*$/.test(text)) return null;
  const page = Number(text);
  return page >= 1 && page <= count ? page : null;
}
