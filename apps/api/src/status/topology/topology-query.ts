import { firstOf } from '#api/shared/http/request-context.js';
import { Conditions, type TopologyFilter } from '#domain/status/topology/topology-filter.js';

/** Filter of a list call: repeatable members, and `tags` as `key:value,key:value`. Empty values filter nothing. */
export const filterOfQuery = (query: Readonly<Record<string, unknown>>, fields: readonly string[]): TopologyFilter => {
  const [members, tags] = [new Conditions(), new Conditions()];
  for (const field of fields) {
    const values: readonly unknown[] = [query[field]].flat();
    members.add(
      field,
      values.filter((value) => typeof value === 'string').filter((value) => value !== ''),
    );
  }
  for (const pair of firstOf(query.tags)?.split(',') ?? []) {
    const [key, value, ...more] = pair.split(':');
    if (key !== undefined && value !== undefined && more.length === 0) tags.add(key, [value]);
  }
  return { fields: members.all(), tags: tags.all() };
};
