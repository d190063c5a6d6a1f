import { hash } from 'node:crypto';
import { downtimes } from '#domain/status/downtimes/downtimes.js';
import { LeftOut, type TakeDocument } from '../migration.js';
import { fieldsListIn } from '../read/fields.js';
import { DayListWriter } from './day-lists.js';
import { dayOfList, madeAt } from './documents/members.js';
import { downtime } from './documents/topology-items.js';
import { newestDocuments } from './newest.js';
import type { StatusMigration } from './options.js';
import { Findings, fileOf, type TenantScope } from './tenant-scope.js';

const AT_ONCE = 4;

/** Takes over the downtimes of each day with some. They are valid on that day only, so equal days are kept. */
export const takeDowntimes = async (migration: StatusMigration, tenant: TenantScope, findings: Findings): Promise<void> => {
  const file = fileOf(migration, tenant, downtimes.kind);
  if (!file) return;
  const writer = new DayListWriter(migration, downtimes, tenant);
  const newest = await newestDocuments(migration, file, dayOfList);
  findings.days.set(Findings.key(downtimes.kind, tenant), new Set(newest.keys()));
  const take: TakeDocument = async ({ fields, origin }) => {
    const day = dayOfList(fields);
    if (newest.get(day) !== origin.id) throw new LeftOut('there is a newer document of the same day');
    const items = fieldsListIn(fields, 'endpoints').map(downtime);
    return writer.write({ day, items, version: hash('sha256', JSON.stringify(items), 'hex'), time: madeAt(fields) });
  };
  await migration.each(file, take, { parallel: AT_ONCE });
};
