import * as errors from '#api/messaging/errors.js';
import type { SUBSCRIPTION } from '#api/messaging/openapi/components.js';
import { deadLetterTopicIn, topicReference } from '#api/messaging/references.js';
import {
  described,
  dictionary,
  flag,
  type Infer,
  integer,
  limited,
  optional,
  type Shape,
  struct,
  text,
} from '#api/shared/bodies/body-shape.js';
import { FILTER_LIMITS, parseFilter } from '#domain/messaging/filters/parse-filter.js';
import { areLabels, LABEL_LIMITS, type Labels, labelsInOrder } from '#domain/messaging/resources/labels.js';
import {
  type AckMode,
  DEFAULT_OPTIONS,
  type DeadLetterPolicy,
  OPTION_LIMITS,
  type RetryPolicy,
  type SubscriptionOptions,
} from '#domain/messaging/resources/subscription-options.js';
import { doc, oneOf, type Static } from '#domain/shared/shape.js';
import type { ProjectReference } from '#projections/messaging/accounts/queries.js';
import { duration, retentionIn, secondsIn, shownDuration } from './durations.js';

const invalid = errors.invalidSubscriptionArguments;

export const labelsShape: Shape<Readonly<Record<string, string>> | undefined> = described(
  optional(dictionary(text)),
  doc(
    { '*': 'text' },
    `keys \`[a-z][a-z0-9_-]{0,62}\`, values of at most ${LABEL_LIMITS.labelValue.value} characters; lists are filtered by them`,
    { maxProperties: LABEL_LIMITS.labelsPerResource.value },
  ),
);

/** Members of the body of a new subscription that AMS does not have (messaging contract 7). */
export const optionMembers = {
  ackMode: described(optional(text), doc(oneOf('cursor', 'message'), 'default cursor')),
  filter: limited(text, { maxLength: FILTER_LIMITS.filterCharacters.value }),
  deadLetterPolicy: optional(
    struct({
      deadLetterTopic: described(text, doc('text', '`projects/{project}/topics/{topic}`, of the same project')),
      maxDeliveryAttempts: described(
        optional(integer),
        doc('integer', `default ${DEFAULT_OPTIONS.maxDeliveryAttempts}`, {
          minimum: OPTION_LIMITS.fewestDeliveryAttempts.value,
          maximum: OPTION_LIMITS.mostDeliveryAttempts.value,
        }),
      ),
    }),
  ),
  retryPolicy: optional(
    struct({
      minimumBackoff: duration(`0 to ${OPTION_LIMITS.longestBackoff.value} s; default ${DEFAULT_OPTIONS.minimumBackoffSeconds}s`),
      maximumBackoff: duration(`0 to ${OPTION_LIMITS.longestBackoff.value} s; default ${DEFAULT_OPTIONS.maximumBackoffSeconds}s`),
    }),
  ),
  messageRetentionDuration: duration('600 s to 365 days: older messages are not delivered'),
  enableMessageOrdering: optional(flag),
  labels: labelsShape,
  enableExactlyOnceDelivery: optional(flag),
  expirationPolicy: optional(struct({ ttl: duration('a day or more: deleted when nobody pulls for so long') })),
};

const optionsShape = struct(optionMembers);
type GivenOptions = Infer<typeof optionsShape>;

const ackModeIn = (given: string): AckMode => {
  if (given !== 'cursor' && given !== 'message') throw invalid();
  return given;
};

const retryPolicyIn = ({ minimumBackoff, maximumBackoff }: NonNullable<GivenOptions['retryPolicy']>): RetryPolicy => {
  const backoff = (given: string) => secondsIn(given, 0, OPTION_LIMITS.longestBackoff.value, invalid);
  const maximumSeconds = maximumBackoff === undefined ? DEFAULT_OPTIONS.maximumBackoffSeconds : backoff(maximumBackoff);
  const minimumSeconds =
    minimumBackoff === undefined ? Math.min(DEFAULT_OPTIONS.minimumBackoffSeconds, maximumSeconds) : backoff(minimumBackoff);
  if (minimumSeconds > maximumSeconds) throw invalid();
  return { minimumSeconds, maximumSeconds };
};

/** Redelivery policies, ordering by key and dead letters require messages that are acknowledged one by one. */
const requireMessageMode = ({ ackMode, deadLetterPolicy, retryPolicy, ...flags }: GivenOptions): void => {
  if (ackMode === 'message') return;
  if (deadLetterPolicy || retryPolicy || flags.enableMessageOrdering || flags.enableExactlyOnceDelivery) throw invalid();
};

const attemptsIn = (given: number = DEFAULT_OPTIONS.maxDeliveryAttempts): number => {
  const { fewestDeliveryAttempts, mostDeliveryAttempts } = OPTION_LIMITS;
  if (given < fewestDeliveryAttempts.value || given > mostDeliveryAttempts.value) throw invalid();
  return given;
};

const expirationIn = (ttl: string): number => secondsIn(ttl, OPTION_LIMITS.shortestExpiration.value, Number.MAX_SAFE_INTEGER, invalid);

/** `undefined` if there are none. @throws the error of the route */
export const labelsIn = (given: Readonly<Record<string, string>> | undefined, wrong: () => Error): Labels | undefined => {
  if (given === undefined) return undefined;
  if (!areLabels(given)) throw wrong();
  return Object.keys(given).length > 0 ? labelsInOrder(given) : undefined;
};

/** Options that can be checked without the topics. @throws MessagingError B06; DomainError `FILTER_INVALID` */
const optionsAlone = (given: GivenOptions): Omit<SubscriptionOptions, 'deadLetterPolicy'> => {
  const { ackMode, filter, retryPolicy, messageRetentionDuration, labels, expirationPolicy } = given;
  const { enableMessageOrdering, enableExactlyOnceDelivery } = given;
  requireMessageMode(given);
  if (filter !== '') parseFilter(filter);
  const known = labelsIn(labels, invalid);
  return {
    ...(ackMode === undefined ? {} : { ackMode: ackModeIn(ackMode) }),
    ...(filter === '' ? {} : { filter }),
    ...(retryPolicy ? { retryPolicy: retryPolicyIn(retryPolicy) } : {}),
    ...(messageRetentionDuration === undefined ? {} : { messageRetentionSeconds: retentionIn(messageRetentionDuration, invalid) }),
    ...(enableMessageOrdering === undefined ? {} : { enableMessageOrdering }),
    ...(known ? { labels: known } : {}),
    ...(enableExactlyOnceDelivery === undefined ? {} : { enableExactlyOnceDelivery }),
    ...(expirationPolicy?.ttl === undefined ? {} : { expiresAfterSeconds: expirationIn(expirationPolicy.ttl) }),
  };
};

const deadLetterPolicyIn = (
  { deadLetterTopic, maxDeliveryAttempts }: Readonly<{ deadLetterTopic: string; maxDeliveryAttempts: number }>,
  topic: string,
  project: ProjectReference,
): DeadLetterPolicy => {
  const deadLetters = deadLetterTopicIn(deadLetterTopic, project);
  if (deadLetters === topic) throw invalid();
  return { topic: deadLetters, maxDeliveryAttempts };
};

/** Requested options of a body; `undefined` if there are none. The second step resolves references. @throws MessagingError B06, B39 */
export const requestedOptions = (given: GivenOptions): ((topic: string, project: ProjectReference) => SubscriptionOptions | undefined) => {
  const options = optionsAlone(given);
  const { deadLetterPolicy } = given;
  const maxDeliveryAttempts = attemptsIn(deadLetterPolicy?.maxDeliveryAttempts);
  /** @throws MessagingError B03, B06 */
  return (topic, project) => {
    const { deadLetterTopic } = deadLetterPolicy ?? {};
    const all =
      deadLetterTopic === undefined
        ? options
        : { ...options, deadLetterPolicy: deadLetterPolicyIn({ deadLetterTopic, maxDeliveryAttempts }, topic, project) };
    return Object.keys(all).length > 0 ? all : undefined;
  };
};

/** Given options, in the order of responses after `createdOn`. */
export const optionsView = (project: ProjectReference, options: SubscriptionOptions = {}): Partial<Static<typeof SUBSCRIPTION>> => {
  const { deadLetterPolicy, retryPolicy, expiresAfterSeconds } = options;
  return {
    ackMode: options.ackMode,
    filter: options.filter,
    deadLetterPolicy: deadLetterPolicy && {
      deadLetterTopic: topicReference(project, deadLetterPolicy.topic),
      maxDeliveryAttempts: deadLetterPolicy.maxDeliveryAttempts,
    },
    retryPolicy: retryPolicy && {
      minimumBackoff: shownDuration(retryPolicy.minimumSeconds),
      maximumBackoff: shownDuration(retryPolicy.maximumSeconds),
    },
    messageRetentionDuration: shownDuration(options.messageRetentionSeconds),
    enableMessageOrdering: options.enableMessageOrdering,
    labels: options.labels,
    enableExactlyOnceDelivery: options.enableExactlyOnceDelivery,
    expirationPolicy: expiresAfterSeconds === undefined ? undefined : { ttl: shownDuration(expiresAfterSeconds) },
  };
};
