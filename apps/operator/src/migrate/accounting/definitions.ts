import { DEFINITIONS_STREAM } from '#domain/accounting/definitions/definition-events.js';
import { definitions, type TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { type ExportedDocument, type Migration, madeAt } from '../migration.js';
import { has, nameIn, textIn } from '../read/fields.js';
import type { WriteResult } from '../write/log-writer.js';
import { recordId } from './ids.js';

const stream = DEFINITIONS_STREAM;
const decider = definitions;

/** The member of a document that holds the value of a type. */
export const TYPE_VALUE = { unit: 'unit', metric: 'metricType' } as const;

/** Types are named by their value, so the shipped ones are those of Logbook, whatever their id was. */
const takeType =
  (migration: Migration, kind: TypeKind) =>
  async ({ fields, origin, place }: ExportedDocument): Promise<WriteResult> => {
    const value = nameIn(fields, TYPE_VALUE[kind]);
    const { vocabularies } = await migration.writer.state(stream, decider);
    const holder = vocabularies[kind].values.get(value.toLowerCase());
    if (holder !== undefined && vocabularies[kind].types.get(holder)?.shipped) {
      migration.report.changed(place, `the type comes with Logbook: its id is ${holder}`);
      return 'present';
    }
    const command = {
      type: 'CreateType',
      kind,
      typeId: recordId(fields),
      creatorId: textIn(fields, 'creatorId'),
      value,
      description: textIn(fields, 'description'),
    } as const;
    return migration.writer.decide({ origin, stream, decider, steps: [{ command, time: madeAt(fields, 'registered_on') }] });
  };

const takeDefinition =
  (migration: Migration) =>
  ({ fields, origin }: ExportedDocument): Promise<WriteResult> => {
    const definition = {
      metric_name: nameIn(fields, 'metric_name'),
      metric_description: has(fields, 'metric_description') ? textIn(fields, 'metric_description') : null,
      unit_type: nameIn(fields, 'unit_type'),
      metric_type: nameIn(fields, 'metric_type'),
    };
    const command = {
      type: 'CreateMetricDefinition',
      definitionId: recordId(fields),
      creatorId: textIn(fields, 'creatorId'),
      definition,
    } as const;
    return migration.writer.decide({ origin, stream, decider, steps: [{ command, time: madeAt(fields, 'registered_on') }] });
  };

/** Unit types, metric types, then the definitions that name them. */
export const takeDefinitions = async (migration: Migration): Promise<void> => {
  await migration.each(migration.file('UnitType'), takeType(migration, 'unit'));
  await migration.each(migration.file('MetricType'), takeType(migration, 'metric'));
  await migration.each(migration.file('MetricDefinition'), takeDefinition(migration));
};
