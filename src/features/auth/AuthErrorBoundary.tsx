import { Component, type ReactNode } from 'react';
import { ANALYSIS_MESSAGES } from '../../domain/messages';
import { notify } from '../../ui/feedback/notices';
import { overlay } from './overlay-state';

/**
 * Error boundary of the lazily loaded overlay: reports a failure (2§8 "Auth service initialisation failure") and leaves
 * the page below intact.
 */
export class AuthErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override componentDidCatch(): void {
    notify({ title: ANALYSIS_MESSAGES.authUnavailable, icon: 'alert' });
    overlay.close();
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}
