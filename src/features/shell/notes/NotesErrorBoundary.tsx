import { Component, type ReactNode } from 'react';

/** Notes that could not be shown leave the page they stand on as it is; the page says by itself what it cannot read. */
export class NotesErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}
