import { Component, type ReactNode } from 'react';

/** Error boundary around notes: if they fail, the page stays, and reports itself what it cannot read. */
export class NotesErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}
