import { lazy, type ComponentType } from 'react';
import type { LearningProps } from './learning-host';

/** Who teaches on the screen of tracing; loaded when a picture is entered. */
export const LazyLearning: ComponentType<LearningProps> = lazy(() => import('./Learning'));
