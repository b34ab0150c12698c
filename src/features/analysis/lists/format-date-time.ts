/** Formats a time for people; empty if it is not one. @param at ISO 8601 */
export function formatDateTime(at: string): string {
  const time = new Date(at);
  return Number.isNaN(time.getTime())
    ? ''
    : time.toLocaleString('en-GB', {
        day: 'numeric',
        month: 'long',
        year: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
      });
}
