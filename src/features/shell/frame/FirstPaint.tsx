import { ICON_PATHS, type IconName } from '../../../ui/display/icon-paths';
import { Isobaths, Logo } from './Logo';
import { NAV_ITEMS, pathOf } from './nav-items';

/**
 * Markup before any script runs: the build writes it into `index.html` (vite.config.ts) for an instant first picture.
 * Shell and opening page share its classes (`first-paint.css`) and components, so that nothing moves. It must not
 * import a CSS Module or a control.
 */
export function FirstPaint() {
  return (
    <div className="shell">
      <nav className="rail" aria-label="Main">
        <Isobaths />
        <Logo />
        {NAV_ITEMS.map(({ to, icon, word }) => (
          <a key={to} href={pathOf(to)} className="place">
            <NavIcon name={icon} />
            {word}
          </a>
        ))}
      </nav>
      <div className="page">
        <Opening />
      </div>
    </div>
  );
}

export function NavIcon({ name }: { readonly name: IconName }) {
  return (
    <svg className="place-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}

export function Opening() {
  return (
    <main className="opening">
      <h1>Great Reef Census</h1>
      <svg className="opening-water" viewBox="0 0 240 12" preserveAspectRatio="none" aria-hidden="true">
        <path d="M0 6c10-6 20-6 30 0s20 6 30 0 20-6 30 0 20 6 30 0 20-6 30 0 20 6 30 0 20-6 30 0 20 6 30 0" />
      </svg>
      <p role="status">Loading from this tablet.</p>
    </main>
  );
}
