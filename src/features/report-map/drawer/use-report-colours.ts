import { useEffect, useState } from 'react';
import { reportColours, type ReportColours } from '../../map';

/** Colours of the map in the theme that is shown. */
export function useReportColours(): ReportColours {
  const [colours, setColours] = useState(() => reportColours());
  useEffect(() => {
    const observer = new MutationObserver(() => setColours(reportColours()));
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return colours;
}
