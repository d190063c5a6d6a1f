import type { ReportComputations, ReportDraft, ReportThresholds } from '#domain/status/reports/reports.js';
import {
  allTextsIn,
  type Fields,
  fieldsIn,
  fieldsListIn,
  flagIn,
  floatIn,
  partIn,
  textIn,
  textsIn,
} from '#operator/migrate/read/fields.js';
import { idIn, instantIn, madeAt } from './members.js';

export type ExportedReport = Readonly<{ id: string; report: ReportDraft; created: string; updated: string }>;

const computationsIn = (fields: Fields): ReportComputations | undefined => {
  const found = fieldsIn(fields, 'computations');
  return found && { ar: flagIn(found, 'ar'), status: flagIn(found, 'status'), trends: textsIn(found, 'trends') };
};

const thresholdsIn = (fields: Fields): ReportThresholds | undefined => {
  const found = fieldsIn(fields, 'thresholds');
  const names = ['availability', 'reliability', 'uptime', 'unknown', 'downtime'] as const;
  return found && (Object.fromEntries(names.map((name) => [name, floatIn(found, name, 0)])) as ReportThresholds);
};

/**
 * A report with the original names of its profiles. Without `computations` all are on, as in the original; missing `thresholds` stay
 * missing. @throws Refused, WrongField
 */
export const reportDocument = (fields: Fields): ExportedReport => {
  const info = partIn(fields, 'info');
  const created = instantIn(textIn(info, 'created')) ?? madeAt(fields);
  return {
    id: idIn(fields),
    report: {
      ...allTextsIn(info, 'name', 'description'),
      weight: textIn(fields, 'weight'),
      disabled: flagIn(fields, 'disabled'),
      computations: computationsIn(fields),
      thresholds: thresholdsIn(fields),
      topology_schema: JSON.stringify(partIn(fields, 'topology_schema')),
      profiles: fieldsListIn(fields, 'profiles').map((profile) => allTextsIn(profile, 'id', 'type', 'name')),
      // Drops `xmlname`, an artefact of the original's encoder.
      filter_tags: fieldsListIn(fields, 'filter_tags').map((tag) => allTextsIn(tag, 'name', 'value', 'context')),
      ...(flagIn(fields, 'public') ? { public: true } : {}), // a missing or false member means private
    },
    created,
    updated: instantIn(textIn(info, 'updated')) ?? created,
  };
};

/** Returns whether the report is marked as that of its tenant as a node. @throws WrongField */
export const isNodeReport = (fields: Fields): boolean => flagIn(fields, 'node_report');
