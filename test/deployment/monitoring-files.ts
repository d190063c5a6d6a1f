import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

export const RULES = 'deploy/monitoring/logbook.rules.yaml';
export const RULES_TEST = 'deploy/monitoring/logbook.rules.test.yaml';
export const DASHBOARD = 'deploy/monitoring/grafana-dashboard.json';

type Rule = Readonly<{ alert: string; expr: string; for?: string; labels: Readonly<{ severity: string }> }>;
type Panel = Readonly<{ id: number; title: string; targets?: readonly Readonly<{ expr: string }>[] }>;

export const alertRules = (): readonly Rule[] =>
  (load(readFileSync(RULES, 'utf8')) as { groups: readonly Readonly<{ rules: readonly Rule[] }>[] }).groups.flatMap(({ rules }) => rules);

export const panels = (): readonly Panel[] => (JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { panels: readonly Panel[] }).panels;

export const expressions = (): readonly string[] => [
  ...alertRules().map(({ expr }) => expr),
  ...panels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
];

/** Names of metrics in a text, without the endings that a histogram adds. */
export const metricsIn = (text: string): readonly string[] => [
  ...new Set(
    Array.from(text.matchAll(/\b(?:logbook|nodejs|process)_[a-z0-9_]+/g), ([name]) =>
      name.replace(/(?<=_seconds)_(?:bucket|count|sum)$/, ''),
    ),
  ),
];
