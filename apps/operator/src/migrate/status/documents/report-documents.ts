import type { ReportComputations, ReportDraft, ReportThresholds } from '#domain/status/reports/reports.js';
import { type Fields, fieldsIn, fieldsListIn, flagIn, floatIn, textIn, textsIn } from '#operator/migrate/read/fields.js';
import { idIn, instantIn, madeAt } from './members.js';

export type ExportedReport = Readonly<{ id: string; report: ReportDraft; created: string; updated: string }>;

const NONE: Fields = {};

const computationsIn = (fields: Fields): ReportComputations | undefined => {
  const found = fieldsIn(fields, 'computations');
  return found && { ar: flagIn(found, 'ar'), status: flagIn(found, 'status'), trends: textsIn(found, 'trends') };
};

const thresholdsIn = (fields: Fields): ReportThresholds | undefined => {
  const found = fieldsIn(fields, 'thresholds');
  return (
    found && {
      availability: floatIn(found, 'availability', 0),
      reliability: floatIn(found, 'reliability', 0),
      uptime: floatIn(found, 'uptime', 0),
      unknown: floatIn(found, 'unknown', 0),
      downtime: floatIn(found, 'downtime', 0),
    }
  );
};

/** `xmlname` is noise of the original's encoder. */
const filterTag = (fields: Fields): ReportDraft['filter_tags'][number] => ({
  name: textIn(fields, 'name'),
  value: textIn(fields, 'value'),
  context: textIn(fields, 'context'),
});

/** Whether everybody may read the report. A missing or false member says that it is private. */
const isPublic = (fields: Fields): boolean => flagIn(fields, 'public');

/**
 * A report with the names of its profiles as they were written. Without `computations` all are on, as in the original; missing `thresholds` stay
 * missing. @throws Refused, WrongField
 */
export const reportDocument = (fields: Fields): ExportedReport => {
  const info = fieldsIn(fields, 'info') ?? NONE;
  const created = instantIn(textIn(info, 'created')) ?? madeAt(fields);
  return {
    id: idIn(fields),
    report: {
      name: textIn(info, 'name'),
      description: textIn(info, 'description'),
      weight: textIn(fields, 'weight'),
      disabled: flagIn(fields, 'disabled'),
      computations: computationsIn(fields),
      thresholds: thresholdsIn(fields),
      topology_schema: JSON.stringify(fieldsIn(fields, 'topology_schema') ?? {}),
      profiles: fieldsListIn(fields, 'profiles').map((profile) => ({
        id: textIn(profile, 'id'),
        type: textIn(profile, 'type'),
        name: textIn(profile, 'name'),
      })),
      filter_tags: fieldsListIn(fields, 'filter_tags').map(filterTag),
      ...(isPublic(fields) ? { public: true } : {}),
    },
    created,
    updated: instantIn(textIn(info, 'updated')) ?? created,
  };
};

/** Whether the report is marked as the one of its tenant as a node. @throws WrongField */
export const isNodeReport = (fields: Fields): boolean => flagIn(fields, 'node_report');
