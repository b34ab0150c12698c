import type { ComponentProps } from 'react';
import { ViewedPage } from '../analysis';
import { ViewedLabels } from './ViewedLabels';

/** Analysis of someone else, of any kind, view only. */
export function ViewedAnalysisPage(props: Omit<ComponentProps<typeof ViewedPage>, 'labelsView'>) {
  return <ViewedPage {...props} labelsView={ViewedLabels} />;
}
