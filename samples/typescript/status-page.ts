/**
 * Writes a page with the status of each group of a report, and its availability of the last seven days:
 * `node status-page.ts <report> > status.new && mv status.new status.html`, from cron, in the folder of any web server: so the page is never half there, nor
 * empty after a failure. The key stays where this runs.
 * Environment: LOGBOOK_URL, STATUS_KEY (the api key of a user of the tenant; the role viewer is enough).
 */
import { call } from './logbook.ts';

const DAYS = 7;
const DAY_MS = 86_400_000;

type Results = Readonly<{
  results: readonly Readonly<{
    name: string;
    groups: readonly Readonly<{ name: string; results: readonly Readonly<{ date: string; availability: string }>[] }>[];
  }>[];
}>;
type Statuses = Readonly<{
  groups: readonly Readonly<{ name: string; statuses: readonly Readonly<{ timestamp: string; value: string }>[] }>[];
}>;

const { STATUS_KEY = '' } = process.env;
const [report] = process.argv.slice(2);
if (!report) {
  console.error('usage: status-page.ts <report>');
  process.exit(1);
}
const headers = { 'x-api-key': STATUS_KEY };

const now = new Date();
const days = Array.from({ length: DAYS }, (_, index) => new Date(now.getTime() - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10));
const range = new URLSearchParams({ start_time: `${days[0]}T00:00:00Z`, end_time: `${days.at(-1)}T23:59:59Z`, granularity: 'daily' });

const [{ results }, { groups }] = await Promise.all([
  call<Results>(`/api/v3/results/${encodeURIComponent(report)}?${range}`, { headers }),
  call<Statuses>(`/api/v3/status/${encodeURIComponent(report)}?view=latest`, { headers }),
]);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');

const statusOf = new Map(groups.map(({ name, statuses }) => [name, statuses.at(-1)?.value ?? '']));

/** `-1` says that nothing is known of the day; without a figure there was no such group. */
const cell = (availability: string | undefined): string => {
  if (availability === undefined) return '<td></td>';
  if (availability === '-1') return '<td class="unknown">unknown</td>';
  const percent = Number(availability);
  return `<td class="${percent >= 99 ? 'good' : percent >= 90 ? 'fair' : 'poor'}">${percent.toFixed(2)} %</td>`;
};

const rows = results.flatMap(({ name: project, groups }) =>
  groups.map(({ name, results }) => {
    const byDay = new Map(results.map(({ date, availability }) => [date, availability]));
    const cells = days.map((day) => cell(byDay.get(day))).join('');
    return `<tr><th scope="row">${escaped(name)}<small>${escaped(project)}</small></th><td>${escaped(statusOf.get(name) ?? '')}</td>${cells}</tr>`;
  }),
);

console.log(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="60">
<meta name="viewport" content="width=device-width">
<title>Status of ${escaped(report)}</title>
<style>
body { font: 1rem/1.4 system-ui, sans-serif; margin: 2rem; }
table { border-collapse: collapse; }
th, td { padding: 0.3rem 0.7rem; border: 1px solid #ccc; text-align: right; }
th[scope='row'] { text-align: left; }
small { display: block; font-weight: normal; }
.good { background: #d8f0d8; } .fair { background: #fbeec0; } .poor { background: #f6d0cc; } .unknown { color: #555; }
</style>
<h1>Status of ${escaped(report)}</h1>
<table>
<thead><tr><th scope="col">Group</th><th scope="col">Now</th>${days.map((day) => `<th scope="col">${day}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
<p>Availability by day (UTC), as of ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC.</p>
</html>`);
