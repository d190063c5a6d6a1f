import { FILTER_LIMITS } from '#domain/messaging/filters/parse-filter.js';
import { LABEL_LIMITS } from '#domain/messaging/resources/labels.js';
import { RESOURCE_LIMITS } from '#domain/messaging/resources/resource-limits.js';
import { OPTION_LIMITS, RETENTION_LIMITS } from '#domain/messaging/resources/subscription-options.js';

const MIB = 1024 * 1024;

/** A limit of the service (docs/limits.md). */
export type Limit = Readonly<{ value: number; unit: string }>;

/** Limits described in docs/limits.md (messaging contract 4.3, 4.5; design 8, O5, O12). */
export const LIMITS = {
  /** Of `data` in one message, as base64 text. */
  messageData: { value: 10 * MIB, unit: 'bytes' },
  /** Of `data` plus the keys and values of attributes. */
  messageBytes: { value: 16 * MIB, unit: 'bytes' },
  attributesPerMessage: { value: 10_000, unit: 'attributes' },
  orderingKey: { value: 1_024, unit: 'bytes' },
  deduplicationId: { value: 128, unit: 'bytes' },
  messagesPerPublish: { value: 10_000, unit: 'messages' },
  /** Of names in bodies; names in paths are limited by the path. */
  nameInBody: { value: 1_024, unit: 'characters' },
  /** Of names, address and organization of a person, and the component of a user. */
  personText: { value: 1_024, unit: 'characters' },
  /** Of descriptions of users, registrations and projects, and comments to registrations. */
  description: { value: 4_096, unit: 'characters' },
  messagesPerPull: { value: 10_000, unit: 'messages' },
  /** Of `data`: a pull ends with the message that reaches it. */
  dataPerPull: { value: 16 * MIB, unit: 'bytes' },
  outstandingPerStream: { value: 1_000, unit: 'messages' },
  /** In one process. */
  streamsPerProject: { value: 2_000, unit: 'streams' },
  waitForFirstMessage: { value: 30_000, unit: 'milliseconds' },
  waitForMoreMessages: { value: 3_000, unit: 'milliseconds' },
  /** Changes of a cursor that are kept. The last one carries the whole state; the others show whether an append was written. */
  cursorChanges: { value: 16, unit: 'changes' },
  /** The same once a call had an `Idempotency-Key`, because the changes hold the keys: enough for 48 hours with nearly six a second. */
  keyedCursorChanges: { value: 1_000_000, unit: 'changes' },
  /** Changes of deliveries that are kept: more than can come before the whole state is recorded again. */
  deliveryChanges: { value: 1_000, unit: 'changes' },
  messagesPerRedrive: { value: 1_000, unit: 'messages' },
  ...RESOURCE_LIMITS,
  ...RETENTION_LIMITS,
  ...LABEL_LIMITS,
  ...FILTER_LIMITS,
  ...OPTION_LIMITS,
} as const satisfies Record<string, Limit>;
