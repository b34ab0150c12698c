import { Component, type ReactNode } from 'react';
import { ANALYSIS_MESSAGES } from '../../domain/messages';
import { notify } from '../../ui/feedback/notices';
import { overlay } from './overlay-state';

/**
 * Around the overlay, which is loaded when it opens: where that fails, or a screen of it breaks, the person is told so (2§8 "Auth service
 * initialisation failure"), and the page under it stays as it is.
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
