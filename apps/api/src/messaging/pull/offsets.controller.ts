import { Inject, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { empty, json } from '#api/messaging/answers/answers.js';
import { bodyFrom } from '#api/messaging/bodies.js';
import { ModifyOffset, RaiseOffset } from '#api/messaging/cursors/commands.js';
import { SubscriptionLookup } from '#api/messaging/cursors/subscription-lookup.js';
import { isShared, type SharedCall, SharedSubscriptions } from '#api/messaging/deliveries/shared-subscriptions.js';
import * as errors from '#api/messaging/errors.js';
import { MessageLog } from '#api/messaging/messages/message-log.js';
import { withVerb } from '#api/messaging/names.js';
import { NOTHING } from '#api/messaging/openapi/components.js';
import { DONE } from '#api/messaging/openapi/done.js';
import { BodyOf, Call, type MessagingCall } from '#api/messaging/parameters.js';
import { CONSUMERS, PULLERS } from '#api/messaging/roles.js';
import { Get, MessagingController, Post } from '#api/messaging/route.js';
import type { Infer } from '#api/shared/bodies/body-shape.js';
import type { Answer } from '#api/shared/http/answer.js';
import { QueryText } from '#api/shared/http/parameters.js';
import { requiredParameter, shows } from '#api/shared/openapi/described.js';
import { READS_ONLY } from '#api/shared/tokens.js';
import { doc } from '#domain/shared/shape.js';
import { j3, jc } from '#projections/messaging/layout.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { instantIn, offsetBody, seekBody, soughtIn } from './pull-body.js';
import { PullRights } from './pull-rights.js';

type SubscriptionPath = Readonly<{ subscription: string }>;

/** Positions of subscriptions in the logs of their topics (messaging contract 4.7). */
@MessagingController('v1/projects/:project/subscriptions', 'messaging: subscriptions')
export class OffsetsController {
  constructor(
    private readonly bus: CommandBus,
    private readonly subscriptions: SubscriptionLookup,
    private readonly cursors: OffsetQueries,
    private readonly log: MessageLog,
    private readonly rights: PullRights,
    private readonly shared: SharedSubscriptions,
    @Inject(READS_ONLY) private readonly readsOnly: boolean,
  ) {}

  /** A cursor before the oldest message is moved there: the answer must still be true after the next pull. */
  @Get(withVerb('subscription', 'offsets'), {
    id: 'getSubscriptionOffsets',
    summary: 'The offset of the subscription, of the oldest message kept, and of the next one that comes',
    who: CONSUMERS,
    answers: shows(
      {
        max: doc('count', 'offset of the next message that comes'),
        min: doc('count', 'offset of the oldest message kept'),
        current: doc('count', 'offset of the subscription'),
      },
      { max: 12, min: 0, current: 7 },
    ),
  })
  async offsets(@Call() { context, caller, project }: MessagingCall, @Param() { subscription: name }: SubscriptionPath): Promise<Answer> {
    const found = await this.subscriptions.byName(project, name);
    await this.rights.requireAccess(caller, project, found.subscription);
    const { ref } = found;
    const [{ min, max }, { offset }] = await Promise.all([this.log.bounds(ref.topicId), this.cursors.cursor(ref)]);
    const readable =
      offset >= min ||
      this.readsOnly ||
      isShared(found) ||
      (await this.bus.execute(new RaiseOffset(context, { subscription: ref, min }))).readable;
    return json(j3({ max, min, current: Math.max(offset, min) }), { readable });
  }

  @Post(withVerb('subscription', 'modifyOffset'), {
    id: 'modifySubscriptionOffset',
    summary: 'Moves the subscription to an offset, back or forth; what is out cannot be acknowledged any more',
    who: CONSUMERS,
    body: offsetBody,
    example: { offset: 0 },
    errors: [errors.invalidOffset(), errors.offsetOutOfBounds()],
    answers: DONE,
  })
  async modifyOffset(
    @Call() { context, caller, project, request, reply }: MessagingCall,
    @Param() { subscription: name }: SubscriptionPath,
    @BodyOf(offsetBody, errors.invalidOffset) { offset }: Infer<typeof offsetBody>,
  ): Promise<Answer> {
    const found = await this.subscriptions.byName(project, name);
    await this.rights.requireAccess(caller, project, found.subscription);
    return this.moveTo(Number(offset), { request, reply, context, project, found }, (readable) => empty({ readable }));
  }

  @Post(withVerb('subscription', 'seek'), {
    id: 'seekSubscription',
    summary: 'Moves the subscription to the first message published at or after an instant; what is out cannot be acknowledged any more',
    who: PULLERS,
    body: seekBody,
    example: { time: '2026-03-01T12:00:00Z' },
    errors: [errors.invalidOffset(), errors.invalidTime(), errors.topicOfSubscriptionGone()],
    answers: shows(NOTHING, {}),
  })
  async seek(
    @Call() { context, caller, project, body, request, reply }: MessagingCall,
    @Param() { subscription: name }: SubscriptionPath,
  ): Promise<Answer> {
    const found = await this.rights.admit({ caller, project }, name);
    const { time } = bodyFrom(body, seekBody, errors.invalidOffset);
    const instant = soughtIn(time);
    if (instant === undefined) throw errors.invalidTime();
    const { topicId } = found.ref;
    if (topicId === null) throw errors.topicOfSubscriptionGone();
    const offset = await this.log.placeSince(topicId, instant);
    return this.moveTo(offset, { request, reply, context, project, found }, (readable) => json('{}', { readable }));
  }

  @Get(withVerb('subscription', 'timeToOffset'), {
    id: 'getOffsetByTime',
    summary: 'The offset of the first message published at or after an instant',
    who: CONSUMERS,
    query: { time: requiredParameter('instant', 'YYYY-MM-DDTHH:MM:SS.mmmZ', '2026-03-01T12:00:00.000Z') },
    errors: [errors.invalidTime(), errors.timestampOutOfBounds()],
    answers: shows({ offset: 'count' }, { offset: 12 }),
  })
  async timeToOffset(
    @Call() { caller, project }: MessagingCall,
    @Param() { subscription: name }: SubscriptionPath,
    @QueryText('time') given = '',
  ): Promise<Answer> {
    const { ref, subscription } = await this.subscriptions.byName(project, name);
    await this.rights.requireAccess(caller, project, subscription);
    const instant = instantIn(given);
    if (instant === undefined) throw errors.invalidTime();
    if (ref.topicId === null) throw errors.backendError();
    const offset = await this.log.firstSince(ref.topicId, instant);
    if (offset === undefined) throw errors.timestampOutOfBounds();
    return json(jc({ offset }));
  }

  /** @throws DomainError `OFFSET_OUT_OF_BOUNDS` */
  private async moveTo(offset: number, call: SharedCall, answer: (readable: boolean) => Answer): Promise<Answer> {
    const { context, found } = call;
    if (isShared(found)) return this.shared.seek(call, offset, answer);
    return answer((await this.bus.execute(new ModifyOffset(context, { subscription: found.ref, offset }))).readable);
  }
}
