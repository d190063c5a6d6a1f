import type { ResourceReference } from '#domain/shared/resource-change.js';
import type { RecordHistory } from '#infra/engine/audit-index/record-history.js';
import { KINDS_BY_ID, kindOf } from './kinds.js';

/** The record with an id, or the newest that had the name; likewise its project. `undefined` if there never was one. */
export const recordNamed = async (
  history: Pick<RecordHistory, 'find'>,
  record: ResourceReference,
): Promise<ResourceReference | undefined> => {
  const kind = kindOf(record.service, record.kind);
  if (kind?.scope !== 'project') return history.find(record, kind?.named === true);
  const project = await history.find({ service: 'messaging', kind: 'project', id: record.scope ?? '' }, true);
  return project && history.find({ ...record, scope: project.id }, true);
};

/** Records that have or had this id, of all kinds whose ids need no owner. */
export const recordsOfId = async (history: Pick<RecordHistory, 'find'>, id: string): Promise<readonly ResourceReference[]> => {
  const found = await Promise.all(KINDS_BY_ID.map(([service, kind]) => history.find({ service, kind, id }, false)));
  return found.filter((record) => record !== undefined);
};

/** `status/report/<id>`; of kinds whose ids need an owner `messaging/topic/<id of the project>/<id>`. */
export const recordText = ({ service, kind, scope, id }: ResourceReference): string =>
  [service, kind, ...(scope === undefined ? [] : [scope]), id].join('/');

/** The record of such a text; `undefined` if it has another form, or there is no such kind. */
export const recordIn = (text: string): ResourceReference | undefined => {
  const [service = '', kind = '', ...rest] = text.split('/');
  const found = kindOf(service, kind);
  const scope = found?.scope && rest.shift();
  const id = rest.join('/');
  return !found || id === '' || scope === '' ? undefined : { service, kind, id, ...(scope !== undefined && { scope }) };
};
