import { describe, expect, it } from '@jest/globals';
import { decimal } from '#domain/accounting/decimal.js';
import { definitionDocument } from '#projections/accounting/definitions/queries.js';
import { reportCsv } from './report-csv.js';
import type { InstallationUsage } from './usage-types.js';

const usage = (installation: string, description: string): InstallationUsage => ({
  installation: {
    id: 'i',
    project: 'p',
    organisation: 'o',
    infrastructure: 'cloud',
    installation,
    resource: null,
    external_id: '',
    unit_of_access: null,
    generation: 0,
    projectOrder: '',
    order: '',
    creator_id: '',
  },
  data: [
    {
      definition: definitionDocument('d', {
        metric_name: 'cpu',
        metric_description: description,
        unit_type: 'count',
        metric_type: 'aggregated',
      }),
      periods: [{ from: '2031-03-01T00:00:00.000Z', to: '2031-04-01T00:00:00.000Z', total: decimal('-5') }],
    },
  ],
});

const cellsOf = async (exact: boolean, installation: string, description = ''): Promise<string> => {
  const lines: string[] = [];
  const usages = async function* () {
    yield [usage(installation, description)];
  };
  for await (const piece of reportCsv(usages, exact)) lines.push(...piece.map(String));
  return lines[1] ?? '';
};

describe('a report as CSV', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+30 210', "'+30 210"],
    ['-x', "'-x"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\r=1', '"\'\r=1"'],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['-5.25', '-5.25'],
    ['+7', '+7'],
    ["'=1", "'=1"],
    ['a=b', 'a=b'],
    ['a,"b"', '"a,""b"""'],
  ])('shows %j as %s', async (given, shown) => {
    expect(await cellsOf(false, given)).toBe(
      `p,o,i,${shown},cloud,,,d,cpu,,count,aggregated,2031-03-01T00:00:00Z,2031-04-01T00:00:00Z,-5.0,,\r\n`,
    );
    expect(await cellsOf(false, 'n', given)).toContain(`,cpu,${shown},count,`);
  });

  it('has cells as stored if configured', async () => {
    expect(await cellsOf(true, '=1+1')).toContain(',=1+1,cloud,');
  });
});
