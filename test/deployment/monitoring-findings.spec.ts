import { describe, expect, it } from '@jest/globals';
import { FINDINGS, type FindingKind } from '#domain/operations/finding-kinds.js';
import { expressionOf } from '#domain/operations/findings.js';
import { alertRules } from './monitoring-files.js';

/** Alerts without a finding, each with the reason. */
const WITHOUT_FINDING: Readonly<Record<string, string>> = {
  LogbookDown: 'a server that is down finds nothing',
  LogbookRestarts: 'counts over an hour',
  LogbookBegunAnew: 'counts over an hour',
  LogbookErrors: 'a rate',
  LogbookSlow: 'a quantile of a rate',
  LogbookEventLoopBlocked: 'a quantile of the last time, which one look would change',
  LogbookBodiesRefused: 'a share of a budget that changes with every call',
  LogbookAppendsFail: 'counts over five minutes; a log that takes no events at all is the finding event-log',
  LogbookAppendsSlow: 'a quantile of a rate',
  LogbookCommitsSlow: 'a quantile of a rate',
  LogbookDiskFilling: 'a prediction from six hours',
  LogbookCredentialsRefused: 'a rate',
};

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
const secondsOf = (duration = '0s'): number => Number(duration.slice(0, -1)) * (SECONDS[duration.slice(-1)] ?? Number.NaN);

const kinds = Object.keys(FINDINGS) as readonly FindingKind[];
const rules = alertRules();

describe('alert rules and findings', () => {
  it.each(kinds.flatMap((kind) => FINDINGS[kind].alert ?? []).map(({ name }) => name))('%s asks what the finding asks', (name) => {
    const [kind] = kinds.filter((one) => FINDINGS[one].alert?.name === name);
    const [rule] = rules.filter(({ alert }) => alert === name);
    expect(rule && { expr: rule.expr.trim(), forSeconds: secondsOf(rule.for), severity: rule.labels.severity }).toEqual({
      expr: kind && expressionOf(kind),
      forSeconds: kind && FINDINGS[kind].alert?.forSeconds,
      severity: kind && FINDINGS[kind].severity,
    });
  });

  it('every other rule has a reason to be without a finding', () => {
    const bound = kinds.flatMap((kind) => FINDINGS[kind].alert?.name ?? []);
    expect([...bound, ...Object.keys(WITHOUT_FINDING)].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });
});
