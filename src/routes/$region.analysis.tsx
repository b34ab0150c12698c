import { createFileRoute } from '@tanstack/react-router';
import { Analyse } from './-analyse';

/** 3§2: the start page of analysis is "also /:region/analysis". */
export const Route = createFileRoute('/$region/analysis')({ component: Analyse });
