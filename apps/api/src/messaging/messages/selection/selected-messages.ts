import { Inject, Injectable } from '@nestjs/common';
import { MessageLog, type MessageSource } from '#api/messaging/messages/message-log.js';
import { type WireMessage, wireMessage } from '#api/messaging/messages/message-texts.js';
import { WireMessageCache } from '#api/messaging/messages/wire-message-cache.js';
import type { Deliverable, StoredMessage } from '#api/shared/messaging-client.js';
import type { Selection, SubscriptionRef } from '#domain/messaging/cursors/cursor.js';
import { MessageScanner } from './message-scanner.js';

/** The messages of a topic that match a subscription's selection. */
class Selected<Message extends Deliverable> implements MessageSource<Message> {
  /** Gap found by the last look. The cache that all share may have dropped it. */
  private without = { topicId: '', from: 0, to: 0 };

  constructor(
    private readonly scanner: MessageScanner,
    private readonly selection: Selection,
    private readonly form: (message: StoredMessage) => Message,
  ) {}

  async page(topicId: string, from: number, limit: number, maxBytes?: number): Promise<readonly Message[]> {
    const { found, looked } = await this.scanner.scan({ topicId, selection: this.selection, from, limit, maxBytes });
    this.without = { topicId, from: (found.at(-1)?.offset ?? from - 1) + 1, to: looked };
    return found.map(this.form);
  }

  passed(topicId: string, offset: number): number {
    const { without } = this;
    const isWithin = topicId === without.topicId && offset >= without.from && offset < without.to;
    return this.scanner.passed(topicId, this.selection, isWithin ? without.to : offset);
  }
}

/** Source of a subscription's messages: all of its topic, or those that it selects. */
@Injectable()
export class SubscribedMessages {
  constructor(
    private readonly scanner: MessageScanner,
    @Inject(MessageLog) private readonly log: MessageSource<StoredMessage>,
    @Inject(WireMessageCache) private readonly cache: MessageSource<WireMessage>,
  ) {}

  /** In their stored form. */
  stored({ selection }: SubscriptionRef): MessageSource<StoredMessage> {
    return selection ? new Selected(this.scanner, selection, (message) => message) : this.log;
  }

  /** In the form for consumers. */
  wire({ selection }: SubscriptionRef): MessageSource<WireMessage> {
    return selection ? new Selected(this.scanner, selection, wireMessage) : this.cache;
  }

  /** Position of a cursor after an acknowledged message. It includes the known gap before the next selected one. */
  behind({ selection, topicId }: SubscriptionRef, acknowledged: number): number {
    const next = acknowledged + 1;
    return selection && topicId !== null ? this.scanner.passed(topicId, selection, next) : next;
  }
}
