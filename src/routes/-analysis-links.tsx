import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TraceImage } from '../data/repositories';

/** Links of every screen that analyses a photograph. */
export const ANALYSIS_LINKS = {
  back: (content: ReactNode, className: string, name: string) => (
    <Link to="/analysis" className={className} aria-label={name}>
      {content}
    </Link>
  ),
  leave: (words: string) => <Link to="/analysis">{words}</Link>,
  signUp: (words: string, className: string) => (
    <Link to="/signup" className={className}>
      {words}
    </Link>
  ),
  dashboard: (words: string) => <Link to="/dashboard">{words}</Link>,
  library: (image: TraceImage, words: string) => (
    <Link to="/analysis/library/$survey" params={{ survey: image.survey.id }}>
      {words}
    </Link>
  ),
};
