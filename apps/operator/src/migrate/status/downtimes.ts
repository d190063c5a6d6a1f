import { hash } from 'node:crypto';
import { downtimes } from '#domain/status/downtimes/downtimes.js';
import { LeftOut } from '../migration.js';
import { fieldsListIn } from '../read/fields.js';
import { countedDays, DayListWriter, queriesOfList } from './day-lists.js';
import { dayOfList, madeAt } from './documents/members.js';
import { downtime } from './documents/topology-items.js';
import { newestDocuments } from './newest.js';
import { Findings, type TenantRow } from './row.js';

const AT_ONCE = 4;

/** The downtimes of each day with some. They are valid on that day only, so equal days are kept. */
export const downtimeRow: TenantRow = {
  collection: downtimes.kind,
  twice: true,
  take: async (migration, tenant, file) => {
    const writer = new DayListWriter(migration, downtimes, tenant);
    const newest = await newestDocuments(migration, file, dayOfList);
    migration.found.days.set(Findings.key(downtimes.kind, tenant), new Set(newest.keys()));
    return {
      parallel: AT_ONCE,
      each: async ({ fields, origin, place }) => {
        const day = dayOfList(fields);
        if (newest.get(day) !== origin.id) throw new LeftOut('there is a newer document of the same day');
        try {
          const items = fieldsListIn(fields, 'endpoints').map(downtime);
          return await writer.write({ day, items, version: hash('sha256', JSON.stringify(items), 'hex'), time: madeAt(fields), place });
        } catch (error) {
          migration.found.refusedLists.add(Findings.listKey(downtimes.kind, tenant, day));
          throw error;
        }
      },
    };
  },
  compared: {
    whole: true,
    expected: ({ fields }) => fieldsListIn(fields, 'endpoints').map(downtime),
    found: async ({ fields }, { queries, scope }) => {
      const list = await queriesOfList(queries, downtimes).of(scope.tenantId, dayOfList(fields));
      if (!list) return undefined;
      const found: object[] = [];
      for await (const { items } of list.items<object>()) found.push(...items.map(({ item }) => item));
      return found;
    },
  },
  counted: countedDays(downtimes),
};
