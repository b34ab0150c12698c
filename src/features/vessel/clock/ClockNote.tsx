import { formatAge } from '../../../domain/position/format-position';
import { VESSEL_LIMITS } from '../../../domain/limits/vessel';
import { Note } from '../../../ui/feedback/Note';

/** Note on differing clocks; it cannot tell which is wrong. Ms since the epoch, of one moment. */
export function ClockNote({ box, tablet }: { readonly box: number; readonly tablet: number | undefined }) {
  if (tablet === undefined || Number.isNaN(box) || Math.abs(box - tablet) < VESSEL_LIMITS.clockApartMs) return null;
  return (
    <Note
      tone="wait"
      icon="clock"
      title={`The box’s clock is ${formatAge(Math.abs(box - tablet))} ${box > tablet ? 'ahead of' : 'behind'} this tablet’s`}
      role="status"
    >
      The box says {formatDayAndTime(box)}, this tablet {formatDayAndTime(tablet)}. Photographs and receipts do not
      depend on it. Correct the wrong clock before you set cameras by the box.
    </Note>
  );
}

function formatDayAndTime(ms: number): string {
  return new Date(ms).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
}
