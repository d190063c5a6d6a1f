import { DEFINITIONS_STREAM, type MetricDefinition } from '#domain/accounting/definitions/definition-events.js';
import { definitions, type TypeKind } from '#domain/accounting/definitions/definition-rules.js';
import { SHIPPED_METRIC_TYPES, SHIPPED_UNIT_TYPES } from '#domain/accounting/definitions/shipped-types.js';
import { DocumentRefused, type ExportedDocument, type Migration, madeAt } from '../migration.js';
import { type Fields, nameIn, textIn, textOrNull } from '../read/fields.js';
import type { WriteResult } from '../write/log-writer.js';
import { recordId } from './ids.js';

const stream = DEFINITIONS_STREAM;
const decider = definitions;

/** Member of a document that holds the value of a type. */
export const TYPE_VALUE = { unit: 'unit', metric: 'metricType' } as const;

/** Types that come with Logbook. */
export const SHIPPED = { unit: SHIPPED_UNIT_TYPES, metric: SHIPPED_METRIC_TYPES } as const;
const CREATED = { unit: 'UnitTypeCreated', metric: 'MetricTypeCreated' } as const;

/** A type included in both services keeps the id known to clients of the original, unless clients of Logbook may know Logbook's own. */
const takeType =
  ({ writer, report }: Migration, kind: TypeKind) =>
  async ({ fields, origin, place }: ExportedDocument): Promise<WriteResult> => {
    const typeId = recordId(fields);
    const [value, description] = [nameIn(fields, TYPE_VALUE[kind]), textIn(fields, 'description')];
    const to = { origin, stream, decider };
    const time = madeAt(fields, 'registered_on');
    const own = SHIPPED[kind].find((one) => one.value.toLowerCase() === value.toLowerCase());
    if (!own) {
      const command = { type: 'CreateType', kind, typeId, creatorId: textIn(fields, 'creatorId'), value, description } as const;
      return writer.decide({ ...to, steps: [{ command, time }] });
    }
    const { definitions: inUse, vocabularies } = await writer.state(stream, decider);
    const { types, values } = vocabularies[kind];
    const isTaken = ![own.typeId, typeId].includes(values.get(value.toLowerCase()) ?? '');
    if (isTaken || (types.get(typeId)?.value ?? value).toLowerCase() !== value.toLowerCase())
      throw new DocumentRefused('another type has its value or its id');
    if (inUse.size > 0 && types.has(own.typeId)) {
      report.changed(place, `definitions of metrics were there before it: the type keeps the id of Logbook, ${own.typeId}`);
      return 'present';
    }
    const data = { typeId, creatorId: '', value, description, replaces: own.typeId };
    return writer.decide({ ...to, steps: [{ event: { type: CREATED[kind], data }, time }] });
  };

export const definitionOf = (fields: Fields): MetricDefinition => ({
  metric_name: nameIn(fields, 'metric_name'),
  metric_description: textOrNull(fields, 'metric_description'),
  unit_type: nameIn(fields, 'unit_type'),
  metric_type: nameIn(fields, 'metric_type'),
});

/** Takes over unit types and metric types, then the definitions that refer to them. */
export const takeDefinitions = async (migration: Migration): Promise<void> => {
  await migration.each(migration.file('UnitType'), takeType(migration, 'unit'));
  await migration.each(migration.file('MetricType'), takeType(migration, 'metric'));
  await migration.decideEach(
    'MetricDefinition',
    { stream, decider },
    (fields) =>
      ({
        type: 'CreateMetricDefinition',
        definition: definitionOf(fields),
        definitionId: recordId(fields),
        creatorId: textIn(fields, 'creatorId'),
      }) as const,
  );
};
