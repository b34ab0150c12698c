import type { EdgeUpdate } from '../../protocol/edge-socket';
import type { LinkState } from './link-keeper';
import { Emitter } from '../../base/emitter';
import { ObservableValue, isJsonEqual } from '../../base/observable';
import type { Upstream, UpstreamLink } from './upstream';

/** Links to the box and to the cloud as one: the box if connected, else the cloud (protocol: "edge, else www"). */
export class UpstreamLinks implements UpstreamLink {
  readonly state = new ObservableValue<LinkState>({ status: 'idle' }, isJsonEqual);
  readonly updates = new Emitter<EdgeUpdate>();

  readonly #links: readonly [edge: UpstreamLink, shore: UpstreamLink];

  constructor(links: readonly [edge: UpstreamLink, shore: UpstreamLink]) {
    this.#links = links;
    for (const link of links) {
      link.state.subscribe(() => this.state.set(this.#stateNow()));
      link.updates.subscribe((update) => {
        if (this.current === link.current) this.updates.emit(update);
      });
    }
  }

  get current(): Upstream | undefined {
    const [edge, shore] = this.#links;
    return edge.current ?? shore.current;
  }

  acquire(): () => void {
    const releases = this.#links.map((link) => link.acquire());
    return () => releases.forEach((release) => release());
  }

  drop(): void {
    this.#links.find((link) => link.current !== undefined && link.current === this.current)?.drop();
  }

  #stateNow(): LinkState {
    const [edge, shore] = this.#links.map((link) => link.state.get());
    const states = [edge, shore].filter((state): state is LinkState => state !== undefined);
    return (
      states.find(({ status }) => status === 'connected') ??
      states.find(({ status }) => status !== 'idle') ?? { status: 'idle' }
    );
  }
}
