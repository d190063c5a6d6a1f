import type { Branch, BranchBody, ShownStatus } from '#api/status/answers/branches.js';
import { type Page, pageToken } from '#api/status/paging.js';
import { type CollectedItem, type CollectedTimelines, type Leaf, leavesOf, type Path } from './collected.js';
import type { StatusLine } from './status-line.js';

/** Selects the statuses that an item shows. */
type Statuses = (line: StatusLine) => Iterable<ShownStatus>;

/** A timeline: the statuses of the days, and the final element. `now`: seconds since 1970. */
export const wholeTimeline = (now: number): Statuses =>
  function* (line) {
    yield* line.part(0, line.length);
    yield line.closing(now);
  };

/** Only the end of a timeline. */
export const endOfTimeline =
  (now: number): Statuses =>
  (line) => [line.closing(now)];

const groupOf = (type: string, { name }: CollectedItem): Pick<Branch, 'tag' | 'attributes' | 'members'> => ({
  tag: 'group',
  attributes: { name, type },
  members: { name, type },
});

/** If only the metrics of an endpoint were collected, they have its `info`. */
const endpointOf = ({ name, info, below }: CollectedItem, statuses: Iterable<ShownStatus> | undefined): Branch => {
  const [metric] = below.values();
  return { tag: 'endpoint', attributes: { name }, members: { name, info: info ?? metric?.info }, statuses };
};

/** Only the statuses themselves. */
export const listedStatuses: Statuses = (line) => line.part(0, line.length);

/** Endpoint groups with services, endpoints and metrics (results contract 12.3). `type`: of the groups; `services`: name of that list. */
export const groupsBody = ({ root }: CollectedTimelines, type: string, statusesOf: Statuses, services = 'services'): BranchBody => {
  const ofItem = (item: CollectedItem) => item.line && statusesOf(item.line);
  function* servicesOf({ sorted }: CollectedItem): Generator<Branch> {
    for (const service of sorted) {
      const below = service.below.size > 0 ? { name: 'endpoints', items: endpoints(service) } : undefined;
      yield { ...groupOf('service', service), statuses: ofItem(service), below };
    }
  }
  function* endpoints({ sorted }: CollectedItem): Generator<Branch> {
    for (const endpoint of sorted) {
      const below = endpoint.below.size > 0 ? { name: 'metrics', items: metrics(endpoint) } : undefined;
      yield { ...endpointOf(endpoint, ofItem(endpoint)), below };
    }
  }
  function* metrics({ sorted }: CollectedItem): Generator<Branch> {
    for (const metric of sorted) yield { tag: 'metric', attributes: {}, members: { name: metric.name }, statuses: ofItem(metric) };
  }
  function* groups(): Generator<Branch> {
    for (const group of root.sorted) {
      const below = group.below.size > 0 ? { name: services, items: servicesOf(group) } : undefined;
      yield { ...groupOf(type, group), statuses: ofItem(group), below };
    }
  }
  return { branches: { name: 'groups', items: groups() } };
};

/** Endpoint groups with their statuses alone (status contract of 2026, 7). */
export const resultsOfGroups = ({ root }: CollectedTimelines, statusesOf: Statuses): BranchBody => {
  function* groups(): Generator<Branch> {
    for (const { name, line } of root.sorted)
      if (line) yield { tag: 'group', attributes: {}, members: { name }, statuses: statusesOf(line), statusesName: 'results' };
  }
  return { branches: { name: 'data', items: groups() } };
};

/** Groups with statuses and, in one list, their endpoints (results contract 12.5). */
export const groupsWithEndpointsBody = ({ root }: CollectedTimelines, type: string, statusesOf: Statuses): BranchBody => {
  function* endpoints(group: CollectedItem): Generator<Branch> {
    for (const {
      path: [service = '', hostname = ''],
      item: { info },
      line,
    } of leavesOf(group, 2))
      yield { tag: 'endpoint', attributes: {}, members: { hostname, service, info }, statuses: statusesOf(line) };
  }
  function* groups(): Generator<Branch> {
    for (const group of root.sorted) {
      if (!group.line) continue;
      yield { ...groupOf(type, group), statuses: statusesOf(group.line), below: { name: 'endpoints', items: endpoints(group) } };
    }
  }
  return { branches: { name: 'groups', items: groups() } };
};

/** Endpoints of a resource, by group, service and host (results contract 12.5). */
export const resourceBody = (id: string, { root }: CollectedTimelines, statusesOf: Statuses): BranchBody => {
  function* endpoints(): Generator<Branch> {
    for (const { path, item, line } of leavesOf(root, 3)) {
      const [group = '', service = '', hostname = ''] = path;
      yield { tag: 'endpoint', attributes: {}, members: { hostname, service, group, info: item.info }, statuses: statusesOf(line) };
    }
  }
  return { before: { id }, branches: { name: 'endpoints', items: endpoints() } };
};

/** Part of an item on a page: its statuses from one index up to another. */
type Part = Leaf & Readonly<{ from: number; to: number }>;

function* partsOf(leaves: Iterable<Leaf>, { offset, size = Number.POSITIVE_INFINITY }: Page): Generator<Part> {
  let begin = 0;
  for (const leaf of leaves) {
    const { length } = leaf.line;
    const [from, to] = [Math.max(offset - begin, 0), Math.min(offset + size - begin, length)];
    if (from < to) yield { ...leaf, from, to };
    begin += length;
    if (begin >= offset + size) return;
  }
}

/** Paging members of an answer. `count`: of all rows. */
const pageMembers = ({ offset, size }: Page, count: number): BranchBody['after'] => {
  if (size === undefined) return {};
  const next = offset + size;
  return { nextPageToken: next < count ? pageToken(next) : undefined, pageSize: size };
};

const namesOf = ([supergroup = '', service = '', name = '']: Path): Readonly<Record<string, string>> => ({ name, service, supergroup });

/** A page of endpoints. A cut item ends with its closing element (results contract 12.6). `now`: seconds since 1970. */
export const endpointsBody = ({ root, count }: CollectedTimelines, page: Page, now: number): BranchBody => {
  function* statuses({ line, from, to }: Part): Generator<ShownStatus> {
    yield* line.part(from, to);
    if (to === line.length) yield line.closing(now);
  }
  function* endpoints(): Generator<Branch> {
    for (const part of partsOf(leavesOf(root, 3), page)) {
      const names = namesOf(part.path);
      yield { tag: 'endpoint', attributes: names, members: { ...names, info: part.item.info }, statuses: statuses(part) };
    }
  }
  return { branches: { name: 'endpoints', items: endpoints() }, after: pageMembers(page, count) };
};

/** A page of listed points of one metric by endpoint (results contract 12.4). */
export const endpointMetricsBody = ({ root, count }: CollectedTimelines, page: Page): BranchBody => {
  function* metrics(): Generator<Branch> {
    for (const { path, item, line, from, to } of partsOf(leavesOf(root, 4), page)) {
      const names = { ...namesOf(path), metric: path[3] ?? '' };
      yield { tag: 'endpoint_metric', attributes: names, members: { ...names, info: item.info }, statuses: line.part(from, to) };
    }
  }
  return { branches: { name: 'endpoint_metrics', items: metrics() }, after: pageMembers(page, count) };
};
