import type { Plan } from '#domain/status/results/plan.js';

/** Items of performance data or of a rule, character by character. */
const itemsOf = (text: string): readonly string[] => {
  const items: string[] = [''];
  [...text].forEach((character, index, all) => {
    const next = all[index + 1] ?? '';
    const isSeparator = (character === ';' || character === ' ') && next.toLowerCase() !== next.toUpperCase();
    if (isSeparator) items.push('');
    else items[items.length - 1] += character;
  });
  return items.map((item) => item.trim()).filter((item) => item.includes('='));
};

const labelOf = (item: string): string => item.slice(0, item.indexOf('='));

/** Whether a value is in a range as in a rule. */
const isIn = (value: number, text = ''): boolean => {
  const range = text.replace('@', '').trim();
  if (range === '') return false;
  const [first = '', second] = range.split(':');
  const low = second === undefined ? 0 : first === '~' ? -Infinity : Number.parseFloat(first);
  const high = second === undefined ? Number.parseFloat(first) : second === '' ? Infinity : Number.parseFloat(second);
  const between = value > low && value < high;
  return text.includes('@') ? !between : between;
};

/** What thresholds make of a status (results contract 4), with the text of the rule. */
export const naiveThreshold = (
  { thresholds }: Plan,
  place: Readonly<{ group: string; host: string; metric: string }>,
  point: Readonly<{ status: string; actualData?: string }>,
  and: (left: string, right: string) => string,
): Readonly<{ status: string; rule?: string }> => {
  const specificity = (rule: (typeof thresholds)[number]) => (rule.host ? 2 : 0) + (rule.endpoint_group ? 1 : 0);
  const matching = thresholds.filter(
    (rule) =>
      rule.metric === place.metric &&
      (!rule.host || rule.host === place.host) &&
      (!rule.endpoint_group || rule.endpoint_group === place.group),
  );
  const best = Math.max(...matching.map(specificity));
  const rule = matching.findLast((one) => specificity(one) === best);
  if (!rule || !point.actualData) return point;
  const actual = itemsOf(point.actualData).filter((item) => !/=[^a-z%]*,/i.test(item));
  const counting = actual.filter((item, index) => !actual.slice(index + 1).some((later) => labelOf(later) === labelOf(item)));
  const ruleItems = itemsOf(rule.thresholds);
  const opinions: { status: string; text: string }[] = [];
  for (const item of counting) {
    const value = Number.parseFloat(item.slice(item.indexOf('=') + 1));
    const text = ruleItems.findLast((one) => labelOf(one) === labelOf(item));
    if (Number.isNaN(value) || text === undefined) continue;
    const [, warning, critical] = text.split(';');
    if (isIn(value, warning)) opinions.push({ status: 'WARNING', text });
    else if (isIn(value, critical)) opinions.push({ status: 'CRITICAL', text });
  }
  if (opinions.length === 0) return point;
  const outcome = opinions.map(({ status }) => status).reduce((left, right) => and(left, right));
  return outcome === point.status ? point : { status: outcome, rule: opinions.map(({ text }) => text).join(' ') };
};
