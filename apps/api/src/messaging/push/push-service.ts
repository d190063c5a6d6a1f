import { ChangeCounter } from '#infra/push/change-counter.js';
import { PushEngine } from '#infra/push/push-engine.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import type { PushAvailability } from './push-availability.js';
import { PushedSubscriptions, type PushSourceParts } from './push-source.js';

type Parts = PushSourceParts & Readonly<{ store: ReadStore; availability: PushAvailability }>;

/** Delivers the messages of push subscriptions from this node, from `start` until the server ends. */
export class PushService {
  private engine: PushEngine | undefined;
  private readonly listening: (() => void)[] = [];

  constructor(private readonly parts: Parts) {}

  /** To be called once. Resolves when it is known which node pushes. @param node name of this node for others, `<host>:<port>` */
  async start(node: string): Promise<void> {
    const { store, clock, logger, offsets, resources, availability } = this.parts;
    const [targetChanges, messageChanges] = [new ChangeCounter(), new ChangeCounter()];
    this.listening.push(
      resources.onCommit(targetChanges.announce),
      resources.onCommit(messageChanges.announce),
      offsets.onCommit(messageChanges.announce),
    );
    const subscriptions = new PushedSubscriptions(this.parts);
    this.engine = new PushEngine({
      store,
      subscriptions,
      sender: availability.sender,
      targetChanges,
      messageChanges,
      log: logger,
      now: clock,
    });
    await this.engine.start(node);
  }

  /** Called by Nest when the server ends, before it waits for requests under way. */
  async onModuleDestroy(): Promise<void> {
    await this.engine?.stop();
    for (const stop of this.listening.splice(0)) stop();
  }
}
