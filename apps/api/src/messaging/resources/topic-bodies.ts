import { bodyFrom } from '#api/messaging/bodies.js';
import * as errors from '#api/messaging/errors.js';
import { SCHEMA_REFERENCE } from '#api/messaging/openapi/components.js';
import { referencedSchema } from '#api/messaging/references.js';
import {
  described,
  dictionary,
  due,
  type Infer,
  named,
  optional,
  type ReceivedBody,
  type Shape,
  struct,
  text,
} from '#api/shared/bodies/body-shape.js';
import { mismatch } from '#api/shared/bodies/scalar-shapes.js';
import { changedSettings, type TopicChanges, type TopicSettings } from '#domain/messaging/resources/topic-settings.js';
import { doc } from '#domain/shared/shape.js';
import { duration, retentionIn } from './durations.js';
import { labelsIn, labelsShape } from './subscription-options.js';

const texts = dictionary(text);

/** An object of texts, as in the original, except for labels. */
const textsAndLabels: Shape<null> = {
  zero: () => null,
  read: (reader) => {
    if (reader.kind() !== 'object') return mismatch(reader, 'an object');
    for (reader.open(); !reader.closes('}'); ) {
      const shape: Shape<unknown> = reader.key().toLowerCase() === 'labels' ? labelsShape : text;
      if (reader.kind() === 'null') reader.null();
      else shape.read(reader);
    }
    return null;
  },
  schema: texts.schema,
};

const settingMembers = {
  messageRetentionDuration: duration('how long messages are kept, 600 s to 365 days; default: as long as the service keeps them'),
  labels: labelsShape,
};
const settingsShape = struct(settingMembers);
export const newTopicBody = named(
  'MessagingNewTopic',
  struct({ schema: described(text, doc(SCHEMA_REFERENCE, 'empty or left out: none')), ...settingMembers }),
);
export const schemaOfTopicBody = named(
  'MessagingAttachSchemaRequest',
  struct({ schema: described(text, doc(SCHEMA_REFERENCE, 'empty or left out: none')) }),
);
export const topicChangeBody = named(
  'MessagingTopicChange',
  struct({
    topic: optional(settingsShape),
    updateMask: due(text, doc('text', 'names of the members to change, `messageRetentionDuration` and `labels`, with commas between them')),
  }),
);

type GivenSettings = Infer<typeof settingsShape>;

/** Settings in a body; `null` for an omitted member. @throws MessagingError B01 */
const settingsIn = ({ messageRetentionDuration, labels }: GivenSettings): Required<TopicChanges> => ({
  messageRetentionSeconds: messageRetentionDuration === undefined ? null : retentionIn(messageRetentionDuration, errors.invalidBody),
  labels: labelsIn(labels, errors.invalidBody) ?? null,
});

type RequestedTopic = Readonly<{ schema: string; settings?: TopicSettings }>;

/** Requested properties of a new topic; the body may be empty. `schema`: a reference, empty if there is none. @throws MessagingError B01 */
export const requestedTopic = (body: ReceivedBody | undefined): RequestedTopic => {
  if (!body?.bytes.length) return { schema: '' };
  bodyFrom(body, textsAndLabels, errors.invalidBody);
  const { schema, ...given } = bodyFrom(body, newTopicBody, errors.invalidBody);
  const settings = changedSettings({}, settingsIn(given));
  return { schema, ...(Object.keys(settings).length > 0 && { settings }) };
};

/** Name of the schema that a body of texts refers to; `null` if there is none, as in an empty body. @throws MessagingError B01, B21 */
export const schemaOfTopic = (body: ReceivedBody | undefined): string | null => {
  if (!body?.bytes.length) return null;
  bodyFrom(body, texts, errors.invalidBody);
  const { schema } = bodyFrom(body, schemaOfTopicBody, errors.invalidBody);
  return schema === '' ? null : referencedSchema(schema);
};

/** Settings by their name in a mask. */
const MASKED: Readonly<Record<string, keyof TopicSettings>> = { messageRetentionDuration: 'messageRetentionSeconds', labels: 'labels' };

/** The members in the mask of a body. Members that the body omits are reset to their default. @throws MessagingError B01 */
export const requestedChanges = (body: ReceivedBody | undefined): TopicChanges => {
  const { topic, updateMask } = bodyFrom(body, topicChangeBody, errors.invalidBody);
  const given = settingsIn(topic ?? { messageRetentionDuration: undefined, labels: undefined });
  const changes = updateMask.split(',').map((path) => {
    const name = path.trim();
    const member = Object.hasOwn(MASKED, name) ? MASKED[name] : undefined;
    if (member === undefined) throw errors.invalidBody();
    return [member, given[member]] as const;
  });
  return Object.fromEntries(changes);
};
