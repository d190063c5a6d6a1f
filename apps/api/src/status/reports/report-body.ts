import {
  described,
  due,
  flag,
  type Infer,
  limited,
  list,
  named,
  number,
  optional,
  type Shape,
  struct,
  text,
  unsaid,
} from '#api/shared/bodies/body-shape.js';
import { freeObject } from '#api/shared/bodies/free-object.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import { dueText, worded } from '#api/status/bodies.js';
import type { Json, JsonObject } from '#domain/shared/events.js';
import { component, doc, nullable, oneOf, schema } from '#domain/shared/shape.js';
import type { SubmittedReport } from './commands.js';

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether `group` is an object with a text `type`, level by level; both may be missing. Other members are not checked. */
const isTopologySchema = (schema: JsonObject): boolean => {
  for (let level = schema.group ?? null; level !== null; level = level.group ?? null) {
    if (!isObject(level) || typeof (level.type ?? '') !== 'string') return false;
  }
  return true;
};

/** Returned unchanged in answers; only the types of known members are checked. */
const topologySchema: Shape<string> = {
  ...freeObject,
  read: (reader) => {
    const schema = freeObject.read(reader);
    if (!isTopologySchema(JSON.parse(schema) as JsonObject)) throw new MalformedJson('found no levels of groups and types');
    return schema;
  },
};

const LEVEL_BELOW = nullable(schema({ $ref: '#/components/schemas/StatusTopologyLevel' }));
const LEVEL = component('StatusTopologyLevel', {
  'type?': doc(nullable('text'), 'of the groups of this level'),
  'group?': LEVEL_BELOW,
  '*': 'any',
});
export const TOPOLOGY_SCHEMA = component(
  'StatusTopologySchema',
  { 'group?': nullable(LEVEL), '*': 'any' },
  'Types of groups, from the outermost to that of the endpoint groups; 32 levels at most',
);
export const NAME = doc('text', 'unique in the tenant');
export const PROFILE_TYPE = oneOf('metric', 'operations', 'aggregation', 'thresholds', 'weights');

export const trends = limited(list(described(text, oneOf('flapping', 'status', 'tags'))), { maxItems: 100 });
export const thresholds = struct({ availability: number, reliability: number, uptime: number, unknown: number, downtime: number });

/** `id`, `tenant`, times and the names of profiles are checked for their type and otherwise ignored. */
export const reportBody = named(
  'StatusReportRequest',
  struct({
    id: unsaid(text),
    tenant: unsaid(text),
    weight: text,
    disabled: flag,
    public: worded(flag, 'of a new report'),
    info: due(struct({ name: due(text, NAME), description: text, created: unsaid(text), updated: unsaid(text) })),
    computations: optional(struct({ ar: flag, status: flag, trends })),
    thresholds: optional(worded(thresholds, 'default of a new report: 80, 85, 80, 10, 10; a member that is left out is 0')),
    topology_schema: due(topologySchema, TOPOLOGY_SCHEMA),
    profiles: due(
      limited(list(struct({ id: dueText('id of a profile of the tenant'), type: due(text, PROFILE_TYPE), name: text })), { maxItems: 100 }),
    ),
    filter_tags: list(struct({ name: due(text), value: due(text), context: text })),
  }),
);

export const reportIn = ({
  info: { name, description },
  weight,
  disabled,
  computations,
  thresholds,
  topology_schema,
  profiles,
  filter_tags,
  public: isPublic,
}: Infer<typeof reportBody>): SubmittedReport => ({
  name,
  description,
  weight,
  disabled,
  computations,
  thresholds,
  topology_schema,
  profiles: profiles.map(({ id, type }) => ({ id, type })),
  filter_tags,
  ...(isPublic && { public: true }),
});
