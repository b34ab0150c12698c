import { createFileRoute } from '@tanstack/react-router';
import { Analyse } from '../-analyse';

export const Route = createFileRoute('/analysis/')({ component: Analyse });
