import { ChangeCounter } from '#infra/push/change-counter.js';
import { PushEngine } from '#infra/push/push-engine.js';
import { RESOURCES_PROJECTION } from '#projections/messaging/resources/resource-documents.js';
import type { PushAvailability } from './push-availability.js';
import { PushedSubscriptions, type PushSourceParts } from './push-source.js';

type Parts = PushSourceParts & Readonly<{ availability: PushAvailability }>;

/** Delivers the messages of push subscriptions from this node, from `start` until the server ends. */
export class PushService {
  private engine: PushEngine | undefined;
  private readonly listening: (() => void)[] = [];

  constructor(private readonly parts: Parts) {}

  /** Once. Resolves when it is known who pushes. `node`: how others are told of this one, `<host>:<port>`. */
  async start(node: string): Promise<void> {
    const { store, clock, logger, offsets, availability } = this.parts;
    const [changes, messages] = [new ChangeCounter(), new ChangeCounter()];
    this.listening.push(
      store.onCommit(RESOURCES_PROJECTION, changes.announce),
      store.onCommit(RESOURCES_PROJECTION, messages.announce),
      offsets.onCommit(messages.announce),
    );
    const subscriptions = new PushedSubscriptions(this.parts);
    this.engine = new PushEngine({ store, subscriptions, sender: availability.sender, changes, messages, log: logger, now: clock });
    await this.engine.start(node);
  }

  /** Called by Nest when the server ends, before it waits for requests under way. */
  async onModuleDestroy(): Promise<void> {
    await this.engine?.stop();
    for (const stop of this.listening.splice(0)) stop();
  }
}
