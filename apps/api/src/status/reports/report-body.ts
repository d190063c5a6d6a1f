import { flag, type Infer, list, number, optional, type Shape, struct, text } from '#api/shared/bodies/body-shape.js';
import { freeObject } from '#api/shared/bodies/free-object.js';
import { MalformedJson } from '#api/shared/json/json-reader.js';
import type { Json, JsonObject } from '#domain/shared/events.js';
import type { SubmittedReport } from './commands.js';

const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether `group` is an object and the `type` in it a text, level by level; both may be missing. Anything else is free. */
const isTopologySchema = (schema: JsonObject): boolean => {
  for (let level = schema.group ?? null; level !== null; level = level.group ?? null) {
    if (!isObject(level) || typeof (level.type ?? '') !== 'string') return false;
  }
  return true;
};

/** Echoed as it came, whatever it holds; only the types of the members that we know count. */
const topologySchema: Shape<string> = {
  ...freeObject,
  read: (reader) => {
    const schema = freeObject.read(reader);
    if (!isTopologySchema(JSON.parse(schema) as JsonObject)) throw new MalformedJson('found no levels of groups and types');
    return schema;
  },
};

/** `id`, `tenant`, times and the names of profiles are checked for their type and otherwise ignored. */
export const reportBody = struct({
  id: text,
  tenant: text,
  weight: text,
  disabled: flag,
  info: struct({ name: text, description: text, created: text, updated: text }),
  computations: optional(struct({ ar: flag, status: flag, trends: list(text) })),
  thresholds: optional(struct({ availability: number, reliability: number, uptime: number, unknown: number, downtime: number })),
  topology_schema: topologySchema,
  profiles: list(struct({ id: text, name: text, type: text })),
  filter_tags: list(struct({ name: text, value: text, context: text })),
  public: flag,
});

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
