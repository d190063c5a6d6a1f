import { DEFINITIONS_STREAM, type MetricDefinition } from '#domain/accounting/definitions/definition-events.js';
import { definitions } from '#domain/accounting/definitions/definition-rules.js';
import { SHIPPED_METRIC_TYPES, SHIPPED_UNIT_TYPES } from '#domain/accounting/definitions/shipped-types.js';
import type { TypeKind } from '#domain/accounting/definitions/type-vocabulary.js';
import { DocumentRefused, madeAt, type TakeDocument } from '../migration.js';
import { type Fields, nameIn, textIn, textOrNull } from '../read/fields.js';
import { recordId } from './ids.js';
import { type AccountingMigration, type AccountingRow, NOTHING } from './row.js';
import { takeAnyway } from './take-anyway.js';

const to = { stream: DEFINITIONS_STREAM, decider: definitions };

/** Member of a document that holds the value of a type. */
const TYPE_VALUE = { unit: 'unit', metric: 'metricType' } as const;

/** Types that come with Logbook. */
const SHIPPED = { unit: SHIPPED_UNIT_TYPES, metric: SHIPPED_METRIC_TYPES } as const;
const CREATED = { unit: 'UnitTypeCreated', metric: 'MetricTypeCreated' } as const;

/** Originals have types that differ in letter case only. A type included in both services keeps the id known to clients of the original, unless clients of Logbook may know Logbook's own. */
const takeType =
  (kind: TypeKind) =>
  (migration: AccountingMigration): TakeDocument =>
  async ({ fields, origin, place }) => {
    const { writer, report } = migration;
    const typeId = recordId(fields);
    const [value, description] = [nameIn(fields, TYPE_VALUE[kind]), textOrNull(fields, 'description')];
    const time = madeAt(fields, 'registered_on');
    const own = SHIPPED[kind].find((one) => one.value.toLowerCase() === value.toLowerCase());
    const { definitions: inUse, vocabularies } = await writer.state(to.stream, to.decider);
    const { types, values } = vocabularies[kind];
    if (!own || !values.get(value.toLowerCase())?.some((id) => id === own.typeId || id === typeId)) {
      const added = { typeId, creatorId: textIn(fields, 'creatorId'), value, description };
      return takeAnyway(migration, {
        origin,
        ...to,
        command: { type: 'CreateType', kind, ...added },
        event: { type: CREATED[kind], data: added },
        time,
        rule: 'TYPE_TAKEN',
        place,
        what: 'it',
      });
    }
    if ((types.get(typeId)?.value ?? value).toLowerCase() !== value.toLowerCase()) throw new DocumentRefused('another type has its id');
    if (inUse.size > 0 && types.has(own.typeId)) {
      report.changed(place, `definitions of metrics were there before it: the type keeps the id of Logbook, ${own.typeId}`);
      return 'present';
    }
    const data = { typeId, creatorId: '', value, description, replaces: own.typeId };
    return writer.decide({ origin, ...to, steps: [{ event: { type: CREATED[kind], data }, time }] });
  };

const definitionOf = (fields: Fields): MetricDefinition => ({
  metric_name: nameIn(fields, 'metric_name'),
  metric_description: textOrNull(fields, 'metric_description'),
  unit_type: nameIn(fields, 'unit_type'),
  metric_type: nameIn(fields, 'metric_type'),
});

/** Originals compare the names of revised definitions by letter case. */
const takeDefinition =
  (migration: AccountingMigration): TakeDocument =>
  async ({ fields, origin, place }) => {
    const [definition, definitionId, creatorId] = [definitionOf(fields), recordId(fields), textIn(fields, 'creatorId')];
    return takeAnyway(migration, {
      origin,
      ...to,
      command: { type: 'CreateMetricDefinition', definition, definitionId, creatorId },
      event: { type: 'MetricDefinitionCreated', data: { definitionId, creatorId, ...definition } },
      time: madeAt(fields, 'registered_on'),
      rule: 'DEFINITION_TAKEN',
      place,
      what: 'it',
    });
  };

const typeRow = (kind: TypeKind, collection: string): AccountingRow => ({
  collection,
  take: takeType(kind),
  compared: {
    // A type included in Logbook is not compared if it keeps Logbook's id.
    expected: ({ fields, place }, { migration }) =>
      migration.report.isChanged(place)
        ? undefined
        : { value: nameIn(fields, TYPE_VALUE[kind]), description: textOrNull(fields, 'description') },
    found: async ({ fields }, { queries }) => {
      const typeId = recordId(fields);
      const broughtOver = () =>
        queries.definitions.broughtOver(
          kind,
          SHIPPED[kind].map((own) => own.typeId),
        );
      return (await queries.definitions.type(kind, typeId)) ?? (await broughtOver()).find((type) => type?.typeId === typeId);
    },
  },
});

/** Types come before the definitions that refer to them. */
export const definitionRows: readonly AccountingRow[] = [
  typeRow('unit', 'UnitType'),
  typeRow('metric', 'MetricType'),
  {
    collection: 'MetricDefinition',
    take: takeDefinition,
    compared: {
      expected: ({ fields }) => ({ metric_definition_id: recordId(fields), ...definitionOf(fields) }),
      found: async ({ fields }, { queries }) => (await queries.definitions.definition(recordId(fields)))?.document,
    },
    counted: async ({ queries }) => (await queries.definitions.definitionList(NOTHING)).total,
  },
];
