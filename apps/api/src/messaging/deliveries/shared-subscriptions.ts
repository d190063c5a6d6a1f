import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MessagingAccess } from '#api/messaging/access.js';
import { empty, json } from '#api/messaging/answers/answers.js';
import { answerOf } from '#api/messaging/answers/streamed-body.js';
import type { FoundSubscription } from '#api/messaging/cursors/subscription-lookup.js';
import * as errors from '#api/messaging/errors.js';
import { LIMITS } from '#api/messaging/limits.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { pullAnswer, type WireMessage } from '#api/messaging/messages/message-texts.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import { TopicEnds } from '#api/messaging/messages/topic-ends.js';
import type { AnswerReservation } from '#api/shared/answers/answer-room.js';
import type { Answer } from '#api/shared/http/answer.js';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import type { CommandContext } from '#domain/shared/execution.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { jc } from '#projections/messaging/layout.js';
import { deliveriesIn, deliveryId, type NamedDelivery, sinceMoves } from './ack-ids.js';
import { Redrive, type Redriven } from './dead-letters/redrive.js';
import { Deliveries } from './deliveries.js';
import type { Delivered } from './leased-messages.js';
import { PullDeliveries } from './pull-deliveries.js';
import { ordered, PulledMessages } from './pulled-messages.js';
import type { ServedSubscription } from './served-subscription.js';
import { ServedElsewhere, ServingNodes } from './serving-nodes.js';

/** A message with its attempt, from 1 (messaging contract 7.1). */
const leased = (delivered: Delivered<WireMessage>) => {
  const { message, attempt } = delivered;
  return { message, id: deliveryId(delivered), after: `,"deliveryAttempt":${attempt}` };
};

/** A call for a subscription whose messages are acknowledged one by one. */
export type SharedCall = Readonly<{
  request: FastifyRequest;
  reply: FastifyReply;
  context: CommandContext;
  project: ProjectReference;
  found: FoundSubscription;
}>;

/** `requireThere` is called after a wait without messages. It resolves with the current subscription; an error is the answer. */
type SharedPull = Readonly<{
  limit: number;
  wait: boolean;
  signal: AbortSignal;
  reservation: AnswerReservation;
  requireThere: () => Promise<FoundSubscription>;
}>;

/** Returns whether the messages of a subscription are acknowledged one by one (messaging contract 7.1). */
export const isShared = ({ subscription }: Pick<FoundSubscription, 'subscription'>): boolean => subscription.options?.ackMode === 'message';

/** Calls for subscriptions whose messages are acknowledged one by one, on any node that serves them. */
@Injectable()
export class SharedSubscriptions {
  constructor(
    private readonly deliveries: Deliveries,
    @Inject(PullDeliveries) private readonly pulls: Pick<PullDeliveries, 'pull'>,
    @Inject(ServingNodes) private readonly nodes: Pick<ServingNodes, 'answerOfOther'>,
    @Inject(SubscribedMessages) private readonly messages: Pick<SubscribedMessages, 'stored' | 'wire'>,
    @Inject(MessageLog) private readonly log: Pick<MessageLog, 'bounds'>,
    @Inject(TopicEnds) private readonly ends: Pick<TopicEnds, 'shown'>,
    @Inject(Redrive) private readonly redriving: Pick<Redrive, 'inOrder' | 'shared'>,
    @Inject(MessagingAccess) private readonly access: Pick<MessagingAccess, 'renamed'>,
  ) {}

  /** Follows the subscription if it is moved meanwhile, or recreated with its name. */
  pull(call: SharedCall, pull: SharedPull, since = performance.now()): Promise<Answer> {
    const { project, found } = call;
    const { limit, wait, signal, reservation, requireThere } = pull;
    return this.where(call, async (served) => {
      const { ref, subscription } = found;
      const messages = served.options.enableMessageOrdering ? ordered(this.messages.stored(ref)) : this.messages.wire(ref);
      const source = new PulledMessages(messages, reservation, signal);
      const { shown: asOf } = this.ends; // before the look: it shows at least as much
      const delivered = await this.pulls.pull(served, found, { limit, wait, signal, source, since, requireThere });
      if (wait && !signal.aborted && !delivered?.length) {
        const now = await requireThere();
        const isLate = performance.now() - since >= LIMITS.waitForFirstMessage.value;
        if (delivered === null && !isLate && isShared(now)) return this.pull({ ...call, found: now }, pull, since);
      }
      if (asOf !== undefined && !delivered?.length) setPosition(call.reply, asOf);
      return answerOf(pullAnswer(await this.access.renamed(project), subscription.name, (delivered ?? []).map(leased)));
    });
  }

  /** A streamed answer from the node that serves the subscription. `passOn` converts the answer of another node. */
  stream(call: SharedCall, begin: () => Answer, passOn: (answer: Answer) => Answer): Promise<Answer> {
    return this.where(call, async () => begin(), passOn);
  }

  /** @throws MessagingError B14, I02 */
  async acknowledge(call: SharedCall, ackIds: readonly string[]): Promise<Answer> {
    const named = await this.named(call, ackIds);
    return this.where(call, async (served) => {
      const { late, readable } = await served.acknowledge(sinceMoves(named, served.seeks), call.context);
      if (late.length > 0 && served.options.enableExactlyOnceDelivery) throw errors.wrongAcks(late.map(({ ackId }) => ackId));
      return json('{}', { readable });
    });
  }

  /** `seconds`: 0 returns the messages. @throws MessagingError B14 */
  async modifyAckDeadline(call: SharedCall, ackIds: readonly string[], seconds: number): Promise<Answer> {
    const named = await this.named(call, ackIds);
    return this.where(call, async (served) => {
      const deliveries = sinceMoves(named, served.seeks);
      if (seconds === 0) return empty({ readable: await served.giveBack(deliveries, call.context) });
      served.extend(deliveries, seconds);
      return empty();
    });
  }

  /** Moves the subscription to an offset. @throws DomainError `OFFSET_OUT_OF_BOUNDS` */
  seek(call: SharedCall, offset: number, answer: (readable: boolean) => Answer): Promise<Answer> {
    return this.where(call, async (served) =>
      answer(await served.seek(offset, await this.log.bounds(call.found.ref.topicId), call.context)),
    );
  }

  /** Sends dead letters back to the topics that they come from. */
  async redrive(call: SharedCall, most: number): Promise<Answer> {
    const { found, context } = call;
    const answer = ({ redriven, readable }: Redriven): Answer => json(jc({ redriven }), { readable });
    if (!isShared(found)) return answer(await this.redriving.inOrder(found, most, context));
    return this.where(call, async (served) => answer(await this.redriving.shared(served, found, most, context)));
  }

  private async named({ project, found }: SharedCall, ackIds: readonly string[]): Promise<readonly NamedDelivery[]> {
    const deliveries = await deliveriesIn(project, found.subscription.name, ackIds);
    if (!deliveries) throw errors.invalidAckId();
    return deliveries;
  }

  private async where(
    call: SharedCall,
    here: (served: ServedSubscription) => Promise<Answer>,
    there: (answer: Answer) => Answer = (answer) => answer,
  ): Promise<Answer> {
    for (;;) {
      const { request, reply, found } = call;
      const { subscriptionId } = found.ref;
      const answer = this.deliveries.isHere(subscriptionId) ? undefined : await this.nodes.answerOfOther(subscriptionId, request, reply);
      if (answer) return there(answer);
      try {
        return await here(await this.deliveries.of(found));
      } catch (error) {
        if (!(error instanceof ServedElsewhere)) throw error;
      }
    }
  }
}
