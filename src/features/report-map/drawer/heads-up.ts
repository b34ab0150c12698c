import { REPORT_LIMITS } from '../../../domain/limits';
import { LocalSetting } from '../../../platform/local-settings';
import { notify } from '../../../ui/feedback/notices';
import { HEADS_UP } from './layer-text';

const shown = new LocalSetting<boolean>('report.heads-up', (stored) => stored === 'true');

/** Shows the warning of the priority layers, once on this tablet, for 15 s (3§2, 3§9). */
export function showHeadsUp(): void {
  if (shown.get()) return;
  shown.set(true);
  notify({
    title: HEADS_UP.title,
    text: HEADS_UP.text,
    icon: 'alert',
    durationMs: REPORT_LIMITS.layerWarningMs,
    action: { label: HEADS_UP.action, onPress: () => undefined },
  });
}
