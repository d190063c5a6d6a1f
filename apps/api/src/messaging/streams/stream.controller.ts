import { Readable } from 'node:stream';
import { Inject, Param } from '@nestjs/common';
import { MessagingAccess } from '#api/messaging/access.js';
import { chunksOfEach, streamedBody } from '#api/messaging/answers/streamed-body.js';
import { CursorGateway } from '#api/messaging/cursors/cursor-gateway.js';
import { ReservedMessages } from '#api/messaging/cursors/reserved-messages.js';
import { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import { PullDeliveries } from '#api/messaging/deliveries/pull-deliveries.js';
import { isShared, SharedSubscriptions } from '#api/messaging/deliveries/shared-subscriptions.js';
import * as errors from '#api/messaging/errors.js';
import { LIMITS } from '#api/messaging/limits.js';
import { MessageArrivals } from '#api/messaging/messages/message-arrivals.js';
import { SubscribedMessages } from '#api/messaging/messages/selection/selected-messages.js';
import { withVerb } from '#api/messaging/names.js';
import { Call, type MessagingCall } from '#api/messaging/parameters.js';
import { PullRights, requireTopic } from '#api/messaging/pull/pull-rights.js';
import { PULLERS } from '#api/messaging/roles.js';
import { Get, MessagingController } from '#api/messaging/route.js';
import type { AnswerReservation } from '#api/shared/answers/answer-room.js';
import { Answer } from '#api/shared/http/answer.js';
import { untilGone } from '#api/shared/http/connections/until-gone.js';
import { memoryFor } from '#api/shared/http/reserved-answers.js';
import { parameter } from '#api/shared/openapi/described.js';
import { LOGGER, READS_ONLY } from '#api/shared/tokens.js';
import type { Logger } from '#infra/platform/logging/logger.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { OffsetQueries } from '#projections/messaging/traffic/queries.js';
import { CursorStream } from './cursor-stream.js';
import { LeasedStream } from './leased-stream.js';
import { OpenStreams } from './open-streams.js';
import { passedOn } from './passed-stream.js';
import { cursorEvent, leaseEvent } from './stream-events.js';
import { eventsOf, type StreamedSubscription, type StreamLoop } from './stream-loop.js';

const DEFAULT_OUTSTANDING = 100;

/** A value that is not a number counts as omitted, as in pulls. */
const outstandingIn = (given: string | undefined): number => {
  const wanted = given !== undefined && /^[+-]?\d+$/.test(given) ? Number(given) : DEFAULT_OUTSTANDING;
  return Math.min(Math.max(wanted, 1), LIMITS.outstandingPerStream.value);
};

/** Streams messages to consumers (messaging contract 7.5). */
@MessagingController('v1/projects/:project/subscriptions', 'messaging: messages')
export class StreamController {
  constructor(
    private readonly access: MessagingAccess,
    private readonly rights: PullRights,
    private readonly messages: SubscribedMessages,
    private readonly cursors: CursorGateway,
    private readonly offsets: OffsetQueries,
    private readonly arrivals: MessageArrivals,
    private readonly shared: SharedSubscriptions,
    private readonly deliveries: Deliveries,
    private readonly pulls: PullDeliveries,
    private readonly streams: OpenStreams,
    @Inject(READS_ONLY) private readonly readsOnly: boolean,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  @Get(withVerb('subscription', 'stream'), {
    id: 'streamMessages',
    summary: 'The messages of the subscription as they come, as server-sent events',
    description:
      'Events of type `message` have the id to acknowledge it with as `id`, and as `data` one item of `receivedMessages`; `end` says that the server ends the stream, `error` that it cannot go on. Acknowledgements go by `:acknowledge`.',
    who: PULLERS,
    query: {
      maxOutstandingMessages: parameter(
        'integer',
        `How many are sent and not acknowledged: 1 to ${LIMITS.outstandingPerStream.value}; default 100`,
      ),
    },
    answers: { 200: { type: 'text/event-stream', description: 'events, until one of the two ends closes' } },
  })
  async stream(@Call() streamed: MessagingCall, @Param() { subscription: name }: Readonly<{ subscription: string }>): Promise<Answer> {
    if (this.readsOnly) throw errors.limitExceeded('A stream shows the present only');
    const { context, project, request, queryText, reply } = streamed;
    const first = await this.readable(streamed, name);
    const current = async () => {
      const now = await this.readable(streamed, name);
      if (isShared(now) !== isShared(first)) throw errors.subscriptionNotFound(); // another one of the name, whose messages go another way
      return now;
    };
    const most = outstandingIn(queryText('maxOutstandingMessages'));
    const taken = this.streams.open(project.projectId, reply.raw, first.ref.subscriptionId);
    if (isShared(first)) {
      const call = { request, reply, context, project, found: first };
      const begin = () =>
        this.answer(streamed, name, taken, (signal, reservation) => {
          const { deliveries, pulls, messages } = this;
          const begin = (found: StreamedSubscription) => {
            const stream = new LeasedStream({ deliveries, pulls, messages, reservation }, { found, most, signal });
            return { take: () => this.events(project, stream.take(), (named, delivered) => leaseEvent(named, name, delivered)) };
          };
          return { first, current, begin };
        });
      return this.shared.stream(call, begin, (answer) => this.passOn(answer, taken));
    }
    await this.cursors.retain(first.ref, context, await this.offsets.cursor(first.ref));
    return this.answer(streamed, name, taken, (signal, reservation) => {
      const { cursors, offsets, arrivals } = this;
      const begin = ({ ref, subscription: { ackDeadlineSeconds } }: StreamedSubscription) => {
        const source = new ReservedMessages(this.messages.wire(ref), reservation);
        const parts = { cursors, offsets, arrivals, source, context };
        const stream = new CursorStream(parts, { subscription: ref, ackDeadlineSeconds, most, signal });
        return { take: () => this.events(project, stream.take(), (named, message) => cursorEvent(named, name, message)) };
      };
      return { first, current, begin };
    });
  }

  /** The answer of another node: a stream or a refusal. */
  private passOn({ body, options }: Answer, taken: () => void): Answer {
    if (!(body instanceof Readable) || options.status !== 200) return new Answer(body, options);
    return new Answer(Readable.from(passedOn(body, this.streams.ended, taken), { objectMode: false }), options);
  }

  /** The events of messages, with ids that name the project as it is named now. */
  private async events<Message>(
    project: ProjectReference,
    taking: Promise<readonly Message[]>,
    event: (named: ProjectReference, message: Message) => string,
  ): Promise<readonly string[]> {
    const messages = await taking;
    if (messages.length === 0) return [];
    const named = await this.access.renamed(project);
    return messages.map((message) => event(named, message));
  }

  /** Sends the stream until its connection or the server ends, or the caller may not pull any more. */
  private answer(
    streamed: MessagingCall,
    name: string,
    taken: () => void,
    streamOf: (signal: AbortSignal, reservation: AnswerReservation) => Pick<StreamLoop, 'first' | 'current' | 'begin'>,
  ): Answer {
    const { request, reply } = streamed;
    const refused = request.server.longCalls.follow(request, reply, this.rights.again(streamed, name));
    const signal = AbortSignal.any([untilGone(reply), this.streams.ended, refused]);
    const reservation = memoryFor(reply, signal);
    const events = eventsOf({
      ...streamOf(signal, reservation),
      signal,
      refused,
      logger: this.logger,
      taken,
      takenAll: () => reservation.release(),
    });
    const body = streamedBody(chunksOfEach(events));
    const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
    return new Answer(body, { type: 'text/event-stream; charset=utf-8', headers });
  }

  /** The subscription and its topic, if the caller may pull from it now. @throws MessagingError N04, C07, F01, C06 */
  private async readable(streamed: MessagingCall, name: string): Promise<StreamedSubscription> {
    const found = await this.rights.admit(streamed, name);
    return { ...found, ref: requireTopic(found.ref) };
  }
}
