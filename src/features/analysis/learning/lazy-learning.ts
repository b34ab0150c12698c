import { lazy, type ComponentType } from 'react';
import type { LearningProps } from './learning-host';

export const LazyLearning: ComponentType<LearningProps> = lazy(() => import('./Learning'));
