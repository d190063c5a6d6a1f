import { Param } from '@nestjs/common';
import { type DeadLetter, DeadLetterLog, type LettersOf } from '#api/messaging/deliveries/dead-letters/dead-letter-log.js';
import { Redrive } from '#api/messaging/deliveries/dead-letters/redrive.js';
import { MessagingError } from '#api/messaging/errors.js';
import { LIMITS } from '#api/messaging/limits.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { AUDITOR, Get, OPERATOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody, StrictQuery } from '#api/ops-kit/strict-input.js';
import { match, membersOf, optional, pageSize, repeatable } from '#api/ops-kit/strict-members.js';
import { withoutKey } from '#api/shared/commands/context-now.js';
import { setPosition } from '#api/shared/http/headers/position-header.js';
import { noteReadability } from '#api/shared/http/headers/read-model-header.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { AUDIT_STREAM, auditTrail } from '#domain/operations/audit-events.js';
import { StreamProcessor } from '#infra/engine/stream-processor/stream-processor.js';
import { AccountQueries, type ProjectReference } from '#projections/messaging/accounts/queries.js';
import { ResourceQueries, type TopicDocument } from '#projections/messaging/resources/queries.js';
import { DEAD_LETTERS, MESSAGE, REDRIVEN } from './dead-letters-documentation.js';
import { MetricSources } from './metric-sources.js';
import { projectNamed } from './project-named.js';
import { deadLetterTopicOf } from './subscription-rows.js';

const MOST = 100;
const OFFSET = /^(0|[1-9]\d{0,14})$/;
/** Offset to continue at, and the end of the topic when the redrive began: messages that fail again meanwhile are not redriven again. */
const PLACE = /^(0|[1-9]\d{0,14})-(0|[1-9]\d{0,14})$/;
const MOST_AT_ONCE = LIMITS.messagesPerRedrive.value;
/** Prefix of attributes whose values are shown: those of this service. */
const OWN = 'logbook-';

class LettersQuery extends membersOf({
  after: optional(match(OFFSET, 'be `next` of another page', { description: '`next` of the page before' })),
  limit: pageSize(MOST),
}) {}

class RedriveBody extends membersOf({
  messages: optional(repeatable(MOST_AT_ONCE, 16, { description: 'ids of dead letters; default: all', example: ['0'] })),
  after: optional(match(PLACE, 'be `next` of another call', { description: '`next` of the call before, with the same `messages`' })),
}) {}

type OfTopic = Readonly<{ project: string; topic: string }>;
type OfSubscription = Readonly<{ project: string; subscription: string }>;

/** Topic or subscription of dead letters. `topic`: `undefined` if there is none. */
type Place = Readonly<{ project: ProjectReference; topic: TopicDocument | undefined; name: string | null; from?: string }>;

/** Dead letters that were not redriven and are still in their topic (console contract 7). */
@OpsController('ops/messaging', 'operations')
export class DeadLettersController {
  constructor(
    private readonly accounts: AccountQueries,
    private readonly resources: ResourceQueries,
    private readonly sources: MetricSources,
    private readonly letters: DeadLetterLog,
    private readonly redriving: Redrive,
    private readonly processor: StreamProcessor,
  ) {}

  @Get(':project/topics/:topic/dead-letters', {
    id: 'listDeadLettersOfTopic',
    summary: 'Dead letters in a topic that no redrive has taken, the newest first, without their data',
    answers: { 200: DEAD_LETTERS },
  })
  async ofTopic(@Param() named: OfTopic, @StrictQuery(LettersQuery) query: LettersQuery): Promise<Answered<typeof DEAD_LETTERS>> {
    return this.list(await this.topicNamed(named), query);
  }

  @Get(':project/subscriptions/:subscription/dead-letters', {
    id: 'listDeadLettersOfSubscription',
    summary: 'Dead letters of a subscription that no redrive has taken, the newest first, without their data',
    answers: { 200: DEAD_LETTERS },
  })
  async ofSubscription(
    @Param() named: OfSubscription,
    @StrictQuery(LettersQuery) query: LettersQuery,
  ): Promise<Answered<typeof DEAD_LETTERS>> {
    return this.list(await this.subscriptionNamed(named), query);
  }

  @Post(':project/topics/:topic/dead-letters/redrive', {
    id: 'redriveDeadLettersOfTopic',
    summary: 'Publishes dead letters of a topic to the topics that they come from, the oldest first',
    description: `${MOST_AT_ONCE} at a time, or for 5 s: go on with \`next\`. A repeat sends nothing twice.`,
    who: OPERATOR,
    limit: 'entry',
    answers: { 200: REDRIVEN },
  })
  async redriveTopic(
    @Call() call: OpsCall,
    @Param() named: OfTopic,
    @StrictBody(RedriveBody) body: RedriveBody,
  ): Promise<Answered<typeof REDRIVEN>> {
    return this.redrive(call, await this.topicNamed(named), body);
  }

  @Post(':project/subscriptions/:subscription/dead-letters/redrive', {
    id: 'redriveDeadLettersOfSubscription',
    summary: 'Publishes dead letters of a subscription to its topic, the oldest first',
    description: `${MOST_AT_ONCE} at a time, or for 5 s: go on with \`next\`. A repeat sends nothing twice.`,
    who: OPERATOR,
    limit: 'entry',
    answers: { 200: REDRIVEN },
  })
  async redriveSubscription(
    @Call() call: OpsCall,
    @Param() named: OfSubscription,
    @StrictBody(RedriveBody) body: RedriveBody,
  ): Promise<Answered<typeof REDRIVEN>> {
    return this.redrive(call, await this.subscriptionNamed(named), body);
  }

  @Get(':project/topics/:topic/dead-letters/:message', {
    id: 'readDeadLetter',
    summary: 'Data and attributes of a dead letter; each such read is an event',
    who: AUDITOR,
    answers: { 200: MESSAGE },
  })
  async show(
    @Call() { context, reply, request }: OpsCall,
    @Param() { message: id, ...named }: OfTopic & Readonly<{ message: string }>,
  ): Promise<Answered<typeof MESSAGE>> {
    const { project, topic } = await this.topicNamed(named);
    const found = topic && OFFSET.test(id) ? await this.letters.letter(lettersOf(project, topic), Number(id)) : undefined;
    if (!topic || !found) throw new Problem(404, 'the topic has no dead letter with this id');
    const data = { projectId: project.projectId, topicId: topic.topicId, messageId: id, requestId: request.id };
    const command = { type: 'RecordRead', event: { type: 'MessageDataRead', data } } as const;
    const { position } = await this.processor.execute({ stream: AUDIT_STREAM, decider: auditTrail, command, context: withoutKey(context) });
    setPosition(reply, position);
    return { id, data: found.message.data, attributes: found.message.attributes ?? {} };
  }

  private async list({ project, topic, name, from }: Place, { after, limit }: LettersQuery): Promise<Letters> {
    if (!topic) return { topic: name, exists: false, items: [], next: null, total: { count: 0, exact: true } };
    const of = lettersOf(project, topic, from);
    const [{ letters, next }, count] = await Promise.all([
      this.letters.newestFirst(of, limit, after === undefined ? undefined : Number(after)),
      this.letters.count(of),
    ]);
    return { topic: name, exists: true, items: letters.map(letterView), next: next === null ? null : `${next}`, total: count(from) };
  }

  private async redrive({ context, reply }: OpsCall, place: Place, { messages, after }: RedriveBody): Promise<Answered<typeof REDRIVEN>> {
    const { project, topic, from } = place;
    if (!topic) return { redriven: 0, kept: 0, next: null };
    const of = lettersOf(project, topic, from);
    const [at = 0, end = await this.letters.end(of)] = after?.split('-').map(Number) ?? [];
    const wanted = messages
      ? { letters: this.named(of, messages, at), next: null }
      : await this.letters.oldestFirst(of, MOST_AT_ONCE, at, end);
    try {
      const { redriven, kept, readable, next = wanted.next } = await this.redriving.letters(project, topic, wanted.letters, context);
      noteReadability(reply, readable);
      return { redriven, kept, next: next === null ? null : `${next}-${end}` };
    } catch (error) {
      if (error instanceof MessagingError) throw new Problem(error.statusCode < 500 ? 409 : 503, error.message);
      throw error;
    }
  }

  /** Those that exist, oldest first, from an offset on; read one by one, because messages may be large. */
  private async *named(of: LettersOf, ids: readonly string[], from: number): AsyncGenerator<DeadLetter> {
    const offsets = [...new Set(ids.filter((id) => OFFSET.test(id)).map(Number))].sort((one, other) => one - other);
    for (const offset of offsets) {
      const letter = offset < from ? undefined : await this.letters.letter(of, offset);
      if (letter) yield letter;
    }
  }

  /** @throws Problem 404 */
  private async topicNamed({ project: projectName, topic: name }: OfTopic): Promise<Place> {
    const project = await projectNamed(this.accounts, projectName);
    const topic = await this.resources.topic(project.projectId, name);
    if (!topic) throw new Problem(404, 'the project has no topic of this name');
    return { project, topic, name };
  }

  /** @throws Problem 404 */
  private async subscriptionNamed({ project: projectName, subscription }: OfSubscription): Promise<Place> {
    const project = await projectNamed(this.accounts, projectName);
    const { projectId } = project;
    const found = await this.resources.subscription(projectId, subscription);
    if (!found) throw new Problem(404, 'the project has no subscription of this name');
    const name = deadLetterTopicOf(found, await this.sources.of(projectId));
    return { project, topic: name === null ? undefined : await this.resources.topic(projectId, name), name, from: subscription };
  }
}

type Letters = Answered<typeof DEAD_LETTERS>;

const lettersOf = ({ projectId }: ProjectReference, { topicId }: TopicDocument, from?: string): LettersOf => ({ projectId, topicId, from });

/** Without data. For attributes of other publishers only the names. */
const letterView = ({ message, from, reason, attempts }: DeadLetter): Letters['items'][number] => {
  const attributes = Object.entries(message.attributes ?? {});
  return {
    id: `${message.offset}`,
    from,
    attributes: Object.fromEntries(attributes.filter(([name]) => name.startsWith(OWN))),
    otherAttributes: attributes.flatMap(([name]) => (name.startsWith(OWN) ? [] : name)),
    bytes: Buffer.byteLength(message.data, 'base64'),
    reason,
    attempts,
    at: message.publishTime,
  };
};
