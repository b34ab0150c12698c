import type { ComponentType } from 'react';
import type { LearningProps } from './seams';

/** Who teaches on the screen of tracing, loaded when a picture is entered; null: nobody does. */
export const LEARNING: ComponentType<LearningProps> | null = null;
