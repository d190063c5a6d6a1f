import { exceededBound, type JsonBounds, jsonSize } from '#domain/shared/json/json-size.js';
import { type Limit, tellingOf } from '#domain/shared/limits.js';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * The limits that docs/limits.md describes (status contract 1.11). Bytes are those of the document in an answer: one space per level, `<`, `>` and
 * `&` escaped. The original service has no such limits. They are far above what its callers send.
 */
export const STATUS_LIMITS = {
  recordSize: { value: 5 * MIB, unit: 'bytes', says: 'A record takes more than % in an answer' },
  recordsPerKind: { value: 10_000, unit: 'records', says: 'The tenant already has the maximum of % of this kind' },
  recordsSizePerKind: { value: 64 * MIB, unit: 'bytes', says: 'The records of this kind would take more than % in an answer' },
  statesPerProfile: { value: 1_000, unit: 'states', says: 'The field available_states has more than %' },
  schemaLevels: { value: 32, unit: 'levels', says: 'The topology_schema has more than %' },
  schemaSize: { value: 64 * KIB, unit: 'bytes', says: 'The topology_schema takes more than % in an answer' },
  reportSize: { value: 256 * KIB, unit: 'bytes', says: 'The report takes more than % in an answer' },
  profilesPerReport: { value: 100, unit: 'profiles', says: 'The report refers to more than %' },
  trendsPerReport: { value: 100, unit: 'names', says: 'The report has more than % of trends' },
  patternsPerFilter: { value: 100, unit: 'patterns', says: 'The filter has more than %' },
  recomputationSize: { value: 256 * KIB, unit: 'bytes', says: 'The request takes more than % in an answer' },
  requesterSize: { value: 4 * KIB, unit: 'bytes', says: 'The name and the email of the requester take more than % in an answer' },
  statusChanges: { value: 1_000, unit: 'changes', says: 'The status of the request already has the maximum of %' },
  tenantSize: { value: MIB, unit: 'bytes', says: 'The tenant takes more than % in an answer' },
  usersPerTenant: { value: 1_000, unit: 'users', says: 'The tenant would have more than %' },
  tenants: { value: 10_000, unit: 'tenants', says: 'The maximum of % is reached' },
  tenantsSize: { value: 64 * MIB, unit: 'bytes', says: 'The tenants would take more than % in an answer' },
  engineStatusSize: { value: 256 * KIB, unit: 'bytes', says: 'The status takes more than % in an answer' },
  readinessSize: { value: 64 * KIB, unit: 'bytes', says: 'The readiness takes more than % in an answer' },
  feedSize: { value: 64 * KIB, unit: 'bytes', says: 'The feed takes more than % in an answer' },
  feedTenants: { value: 100, unit: 'tenants', says: 'The feed names more than %' },
  healthSize: { value: 64 * KIB, unit: 'bytes', says: 'The event takes more than % in an answer' },
  metricListSize: { value: 4 * MIB, unit: 'bytes', says: 'The list takes more than % in an answer' },
  itemsPerDay: { value: 200_000, unit: 'items', says: 'The list has more than %' },
  itemSize: { value: 64 * KIB, unit: 'bytes', says: 'An item of the list takes more than % in an answer' },
  daySize: { value: 128 * MIB, unit: 'bytes', says: 'The list takes more than % in an answer' },
  itemsPerAnswer: { value: 1_000_000, unit: 'items', says: 'The answer would have more than %' },
  answerSize: { value: 256 * MIB, unit: 'bytes', says: 'The answer would take more than %' },
  tagsSize: { value: 16 * MIB, unit: 'bytes', says: 'The tags of the day take more than %' },
  tagValues: { value: 200_000, unit: 'values', says: 'The tags of the day have more than %' },
  notifiedReports: { value: 100, unit: 'reports', says: 'The notifications cover more than %' },
  pendingNotices: { value: 1_000, unit: 'notices', says: 'The maximum of % waiting to be published is reached' },
  resultSize: { value: 4 * MIB, unit: 'bytes', says: 'A result takes more than % in an answer' },
  daysPerAnswer: { value: 10_000, unit: 'days', says: 'The answer would combine the results of more than %' },
  metricsPerService: { value: 10_000, unit: 'names', says: 'A service has more than % of metrics in the metric profile' },
  expectedPerDay: {
    value: 1_000_000,
    unit: 'items',
    says: 'The metrics expected by the report on a day exceed %',
  },
  recomputedPerDay: { value: 20_000, unit: 'items', says: 'The recomputations in force on a day name more than %' },
  pointsPerEndpoint: { value: 1_000_000, unit: 'points', says: 'An endpoint has more than % on one day' },
  statusesPerAnswer: { value: 1_000_000, unit: 'statuses', says: 'The answer would combine more than %' },
  statusTexts: { value: 64 * MIB, unit: 'characters', says: 'The details of the statuses would take more than %' },
  reportsPerScrape: { value: 100, unit: 'reports', says: 'Measurements cover at most %: narrow them down by report' },
  seriesPerScrape: { value: 250_000, unit: 'series', says: 'The measurements would exceed %: narrow them down by report' },
  pointsSize: { value: 32 * MIB, unit: 'characters', says: 'The actual data of the points of an endpoint take more than %' },
  resultsPerAnswer: { value: 250_000, unit: 'results', says: 'The answer would have more than %' },
} as const satisfies Record<string, Limit>;

export type StatusLimitName = keyof typeof STATUS_LIMITS;

/** Texts of the limits, and the error of an exceeded limit: `OVER_LIMIT` (details `text`). */
export const { limitText, overLimit } = tellingOf(STATUS_LIMITS);

/** Depth of a record in the `data` array of an envelope. */
export const RECORD_DEPTH = 2;

/**
 * Bytes of a value in an answer, `depth` levels deep. Stops counting once the limit is exceeded.
 * @throws DomainError `OVER_LIMIT`
 */
export const sizeWithin = (name: StatusLimitName, value: unknown, depth = RECORD_DEPTH): number => {
  const bounds: JsonBounds = { laidOut: STATUS_LIMITS[name].value };
  const size = jsonSize(value, depth, bounds);
  if (exceededBound(size, bounds)) throw overLimit(name);
  return size.laidOut;
};

/** Like {@link sizeWithin}, without a limit. */
export const sizeOf = (value: unknown, depth = RECORD_DEPTH): number => jsonSize(value, depth).laidOut;

/** Snapshots of states with {@link Sizes}, which are saved as a map. */
export const sizesAsMap = <Others extends object>() => ({
  save: ({ sizes, ...state }: Others & Readonly<{ sizes: Sizes }>) => ({ ...state, sizes: sizes.all }),
  restore: (saved: unknown): Others & Readonly<{ sizes: Sizes }> => {
    const state = saved as Others & Readonly<{ sizes: ReadonlyMap<string, number> }>;
    return { ...state, sizes: new Sizes(state.sizes) };
  },
});

/** Sizes of the records of one list, and their sum. Changed in place. */
export class Sizes {
  private readonly byId = new Map<string, number>();
  total = 0;

  constructor(sizes: ReadonlyMap<string, number> = new Map()) {
    for (const [id, size] of sizes) this.set(id, size);
  }

  get count(): number {
    return this.byId.size;
  }

  get all(): ReadonlyMap<string, number> {
    return this.byId;
  }

  of(id: string): number {
    return this.byId.get(id) ?? 0;
  }

  set(id: string, size: number): void {
    this.total += size - this.of(id);
    this.byId.set(id, size);
  }

  delete(id: string): void {
    this.total -= this.of(id);
    this.byId.delete(id);
  }

  /**
   * Requires that a record may have this size: it does not grow, or there is room for it. A list that is already too long can therefore shrink.
   * @throws DomainError `OVER_LIMIT`
   */
  ensureRoom(id: string, size: number, limits: Readonly<{ count: StatusLimitName; total: StatusLimitName }>): void {
    if (!this.byId.has(id) && this.count >= STATUS_LIMITS[limits.count].value) throw overLimit(limits.count);
    const growth = size - this.of(id);
    if (growth > 0 && this.total + growth > STATUS_LIMITS[limits.total].value) throw overLimit(limits.total);
  }
}
