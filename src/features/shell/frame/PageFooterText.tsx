import { Link } from '@tanstack/react-router';
import type { ReefRepository } from '../../../data/repositories';
import { sourcesText } from './footer-text';
import { useRegion } from '../persisted-state';
import styles from './PageFooter.module.css';
import { useObservable } from '../use-observable';
import { APP_VERSION } from '../version';

/** Content of the footer. The links that 3§2 names for it have no pages yet; they join with them. */
export default function PageFooterText({ reefs }: { readonly reefs: ReefRepository }) {
  const table = useObservable(reefs.table(useRegion())).items[0];
  return (
    <footer className={styles.foot}>
      <p>
        <b>Great Reef Census {APP_VERSION}.</b> We are a charity based in Cairns, Australia. Gifts over $2 are tax
        deductible.
      </p>
      <p>{sourcesText(table?.attribution ?? '')}</p>
      <nav className={styles.links} aria-label="More pages">
        <Link to="/box/clock">The box’s clock</Link>
        <Link to="/you" hash="storage">
          Space on this tablet
        </Link>
        <Link to="/you" hash="screen">
          Themes
        </Link>
        <Link to="/you" hash="about">
          This app
        </Link>
      </nav>
    </footer>
  );
}
