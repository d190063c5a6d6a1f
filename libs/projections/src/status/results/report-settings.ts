import { sha256 } from '#domain/shared/bytes/sha256.js';
import type { ReportDocument } from '#projections/status/reports/queries.js';

/** Types of profiles that need a snapshot for the day (results contract 1). */
export const NEEDED_PROFILES = ['metric', 'operations', 'aggregation'] as const;
/** Types of profiles used by computations. */
export const PROFILE_TYPES = [...NEEDED_PROFILES, 'thresholds', 'weights'] as const;
export type ProfileType = (typeof PROFILE_TYPES)[number];

/** Members of a report that determine its results. */
export type ReportSettings = Readonly<{
  tenantId: string;
  id: string;
  name: string;
  types: readonly string[];
  filterTags: ReportDocument['filter_tags'];
  /** Whether any day can be computed: the report has two levels, is not disabled, and refers to the three required profiles. */
  computable: boolean;
  /** As {@link profileIds} returns them. */
  profiles: ReadonlyMap<string, string>;
  /** Changes with types and filter tags, which select from the topology. */
  filterStamp: string;
  /** Changes with all inputs of plans in the report except the profiles. */
  stamp: string;
}>;

/** Ids of a report's profiles by type. Of several profiles with one type, the last one counts. */
export const profileIds = ({ profiles }: Pick<ReportDocument, 'profiles'>): ReadonlyMap<string, string> =>
  new Map(profiles.map(({ type, id }) => [type, id]));

export const settingsOf = (tenantId: string, name: string, document: ReportDocument): ReportSettings => {
  const { id, types, filter_tags, disabled } = document;
  const profiles = profileIds(document);
  const named = NEEDED_PROFILES.every((type) => profiles.has(type));
  const filterStamp = sha256(JSON.stringify([types, filter_tags]));
  return {
    tenantId,
    id,
    name,
    types,
    filterTags: filter_tags,
    computable: types.length === 2 && !disabled && named,
    profiles,
    filterStamp,
    stamp: sha256(JSON.stringify([id, filterStamp])),
  };
};
