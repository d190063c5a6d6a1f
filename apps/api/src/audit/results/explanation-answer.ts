import type { Answered } from '#api/shared/openapi/described.js';
import { resourceTerm } from '#domain/audit/resources/resources-of.js';
import type { Day } from '#domain/shared/time.js';
import { kindOfDated } from '#domain/status/dated-records/dated-records.js';
import { streamOfDay } from '#domain/status/day-lists/day-lists.js';
import { downtimes } from '#domain/status/downtimes/downtimes.js';
import { streamOfRecomputation } from '#domain/status/recomputations/recomputations.js';
import { profileKind, streamOfReports } from '#domain/status/reports/reports.js';
import { numberText } from '#domain/status/results/figures/number-text.js';
import type { Figures } from '#domain/status/results/results.js';
import type { Timeline } from '#domain/status/results/timeline.js';
import { topologyEndpoints, topologyGroups } from '#domain/status/topology/topology.js';
import type {
  ExplainedDay,
  ExplainedEndpoint,
  ExplainedMetric,
  ExplainedPoint,
  Explanation,
} from '#projections/status/explanations/explainer.js';
import type { ListRef } from '#projections/status/results/configuration.js';
import { PROFILE_TYPES } from '#projections/status/results/report-settings.js';
import type { EXPLANATION } from './documentation.js';
import type { EventPlaces } from './event-places.js';

/** Maximum numbers: of shown recomputations, of their newest events, and characters of their lists. */
const [MOST_RECOMPUTATIONS, MOST_OF_RECOMPUTATION, LONGEST_LISTS] = [200, 20, 8_192];
/** Maximum number of shown steps in the timelines of all services, and in those of all functions. */
const MOST_STEPS = 20_000;

type Answer = Answered<typeof EXPLANATION>;
type Endpoint = Answer['endpoints'][number];

const instant = (day: Day, second: number): string => new Date(Date.parse(day) + second * 1_000).toISOString();

const figuresText = ({ availability, reliability, unknown, uptime, downtime }: Figures) => ({
  availability: numberText(availability),
  reliability: numberText(reliability),
  unknown: numberText(unknown),
  uptime: numberText(uptime),
  downtime: numberText(downtime),
});

/** Converts an explanation to its answer form: instants for seconds, and the places of events in the log. */
export class ExplanationAnswer {
  constructor(
    private readonly question: ExplainedDay,
    private readonly places: EventPlaces,
  ) {}

  async of(explanation: Explanation): Promise<Omit<Answer, 'asOf'>> {
    const { settings, configuration, group, seconds, supergroups, weight, next } = explanation;
    const { tenantId, day } = this.question;
    const { groups, endpoints, downtimes: down } = configuration;
    const [groupType = '', type = ''] = settings.types;
    const reportTerm = resourceTerm({ service: 'status', kind: 'report', id: settings.id });
    return {
      tenant: tenantId,
      report: { id: settings.id, name: settings.name, event: await this.newest(streamOfReports(tenantId), reportTerm) },
      group: group.name,
      type,
      day,
      until: instant(day, seconds),
      figures: figuresText(group.figures),
      affectedByThresholdRule: group.flagged,
      timeline: this.timeline(group.timeline),
      defaults: explanation.defaults,
      supergroups: { type: groupType, names: supergroups, weight },
      profiles: await this.profiles(explanation),
      topology: {
        groups: await this.list(streamOfDay(topologyGroups, tenantId, groups.day), groups),
        endpoints: endpoints ? await this.list(streamOfDay(topologyEndpoints, tenantId, endpoints.day), endpoints) : null,
      },
      downtimes: down ? await this.list(streamOfDay(downtimes, tenantId, down.day), down) : null,
      recomputationCount: configuration.recomputations.length,
      recomputations: await this.recomputations(explanation),
      services: this.services(explanation),
      functions: this.functions(explanation),
      endpoints: await inOrder(explanation.endpoints, (endpoint) => this.endpoint(endpoint)),
      next: next && `${next.endpoint}.${next.row}`,
    };
  }

  private timeline(timeline: Timeline): Answer['timeline'] {
    return timeline.map(({ at, status }) => ({ from: instant(this.question.day, at), status }));
  }

  private async newest(stream: string, resource?: string) {
    const [place = null] = await this.places.newest({ stream, resource });
    return place;
  }

  private async list(stream: string, { day }: ListRef): Promise<Answer['downtimes']> {
    return { day, event: await this.newest(stream) };
  }

  private profiles({ settings, configuration }: Explanation): Promise<Answer['profiles']> {
    const { tenantId } = this.question;
    return inOrder(
      PROFILE_TYPES.flatMap((type) => {
        const version = configuration.profiles[type];
        const resource = profileKind(type);
        return settings.profiles.has(type) && version && resource ? [{ type, resource, ...version }] : [];
      }),
      async ({ type, resource, id, date }) => {
        const event = await this.places.snapshot(resource, kindOfDated(resource), { tenantId, id, date });
        return { type, id, day: date, event };
      },
    );
  }

  private recomputations({ configuration, group }: Explanation): Promise<Answer['recomputations']> {
    const { day } = this.question;
    const touches = (place: Readonly<{ group?: string }>): boolean => place.group === undefined || place.group === group.name;
    return inOrder(configuration.recomputations.slice(0, MOST_RECOMPUTATIONS), async ({ id, window, exclude, ...lists }) => {
      const shown = {
        excludeMetrics: lists.exclude_metrics.filter(touches),
        excludeMonitoringSource: lists.exclude_monitoring_source,
        appliedStatusChanges: lists.applied_status_changes.filter(touches),
      };
      return {
        id,
        from: instant(day, window.from),
        to: instant(day, window.to),
        excludesGroup: exclude.includes(group.name),
        ...(JSON.stringify(shown).length > LONGEST_LISTS ? {} : shown),
        events: (await this.places.newest({ stream: streamOfRecomputation(id) }, MOST_OF_RECOMPUTATION)).toReversed(),
      };
    });
  }

  private services({ group }: Explanation): Answer['services'] {
    const timelines = this.timelines(group.services);
    return group.services.map(({ service, figures, flagged }, at) => ({
      service,
      figures: figuresText(figures),
      affectedByThresholdRule: flagged,
      timeline: timelines[at] ?? null,
    }));
  }

  private functions({ functions }: Explanation): Answer['functions'] {
    const timelines = this.timelines(functions);
    return functions.map(({ name, services }, at) => ({ name, services, timeline: timelines[at] ?? null }));
  }

  /** `null`: beyond the steps that are shown. */
  private timelines(rows: readonly Readonly<{ timeline: Timeline }>[]) {
    let steps = 0;
    return rows.map(({ timeline }) => {
      steps += timeline.length;
      return steps > MOST_STEPS ? null : this.timeline(timeline);
    });
  }

  private async endpoint({ service, day: result, downtimes: windows, metrics }: ExplainedEndpoint): Promise<Endpoint> {
    const { day } = this.question;
    return {
      service,
      host: result.host,
      figures: figuresText(result.figures),
      affectedByThresholdRule: result.flagged,
      timeline: this.timeline(result.timeline),
      downtimes: windows.map(({ from, to }) => ({ from: instant(day, from), to: instant(day, to) })),
      metrics: await inOrder(metrics, (metric) => this.metric(metric)),
    };
  }

  private async metric({ metric, previous, points }: ExplainedMetric): Promise<Endpoint['metrics'][number]> {
    return {
      metric,
      previous: { at: previous.timestamp.replace('Z', '.000Z'), status: previous.status },
      points: await inOrder(points, (point) => this.point(point)),
    };
  }

  private async point({ point, use, day, listed }: ExplainedPoint): Promise<Endpoint['metrics'][number]['points'][number]> {
    const { at, status, position, index, origin, actualData } = point;
    const { report, group, monitoringHost } = origin;
    return {
      at: instant(this.question.day, day === 'before' ? at - 86_400 : at),
      status,
      use,
      ...(listed && { shown: listed.status }),
      ...(listed?.thresholdRule !== undefined && { thresholdRule: listed.thresholdRule }),
      ...(actualData !== undefined && { actualData }),
      ...(report !== undefined && { report }),
      ...(group !== undefined && { endpointGroup: group }),
      ...(monitoringHost !== undefined && { monitoringHost }),
      event: await this.places.at(BigInt(position)),
      item: index,
    };
  }
}

/** Runs one after another, because each performs lookups. */
const inOrder = async <Item, Made>(items: readonly Item[], make: (item: Item) => Promise<Made>): Promise<readonly Made[]> => {
  const made: Made[] = [];
  for (const item of items) made.push(await make(item));
  return made;
};
