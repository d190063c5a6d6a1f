import type { Pieces } from '#api/shared/answers/pieces.js';
import { decimalText, doubleText } from '#domain/accounting/decimal.js';
import { wireInstant } from '#domain/accounting/metrics/instants.js';
import { csvLine, inertCell } from '#domain/shared/text/csv-line.js';
import type { Usages } from './provider-usage.js';
import type { InstallationUsage } from './usage-types.js';

const COLUMNS = [
  'project',
  'provider',
  'installation_id',
  'installation',
  'infrastructure',
  'resource',
  'external_id',
  'metric_definition_id',
  'metric_name',
  'metric_description',
  'unit_type',
  'metric_type',
  'from',
  'to',
  'total_value',
  'capacity_value',
  'usage_percentage',
] as const;
type Row = Readonly<Record<(typeof COLUMNS)[number], string>>;

const rowsOf = ({ installation: document, data }: InstallationUsage): readonly Row[] => {
  const { id, project, organisation, installation, infrastructure, resource, external_id } = document;
  const place = {
    project,
    provider: organisation,
    installation_id: id,
    installation,
    infrastructure: infrastructure ?? '',
    resource: resource ?? '',
    external_id,
  };
  return data.flatMap(({ definition, periods }) =>
    periods.map(({ from, to, total, capacity, percentage }) => ({
      ...place,
      ...definition,
      metric_description: definition.metric_description ?? '',
      from: wireInstant(from),
      to: wireInstant(to),
      total_value: doubleText(total),
      capacity_value: capacity ? decimalText(capacity) : '',
      usage_percentage: percentage ? doubleText(percentage) : '',
    })),
  );
};

/**
 * A report as CSV (RFC 4180): a line with the names of the columns, then a line for each period; absent values are empty.
 * @param exact whether texts that a spreadsheet would evaluate are left as they are (accounting contract 6.8)
 */
export async function* reportCsv(usages: Usages, exact: boolean): Pieces {
  const lineOf = (row: Row): string => csvLine(COLUMNS.map((column) => (exact ? row[column] : inertCell(row[column]))));
  yield [csvLine(COLUMNS)];
  for await (const some of usages()) for (const usage of some) yield rowsOf(usage).map(lineOf);
}
