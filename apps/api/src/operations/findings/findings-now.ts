import { Inject, Injectable } from '@nestjs/common';
import type { ClientAuthorities } from '#api/shared/http/tls/client-authorities.js';
import type { ServerCertificate } from '#api/shared/http/tls/server-certificate.js';
import { CERTIFICATE, CLIENT_AUTHORITIES, CLOCK } from '#api/shared/tokens.js';
import type { Measurement } from '#domain/operations/finding-kinds.js';
import { type Finding, findingsIn, type Measurements, worstFirst } from '#domain/operations/findings.js';
import { memoryMeasurements } from '#domain/operations/memory-findings.js';
import type { Clock } from '#domain/shared/clock.js';
import { Telemetry } from '#infra/edges/telemetry/telemetry.js';
import { type Installation, InstallationNow, type NodeNow, type ProjectionNow } from './installation-now.js';

/** A look is shared for this time. */
const SHARED_MS = 1_000;

const measured = (value: number | null | undefined, rest: Omit<Measurement, 'value'> = {}): readonly Measurement[] =>
  typeof value === 'number' ? [{ value, ...rest }] : [];

const trouble = (detail: string | null): readonly Measurement[] => (detail === null ? [] : [{ value: 1, detail }]);

/** A read model that is withheld is behind for that reason. */
const measurementsOf = (projections: readonly ProjectionNow[]): Measurements => {
  const served = projections.filter(({ withheld }) => withheld === null);
  return {
    withheld: projections.flatMap(({ name, withheld }) => trouble(withheld).map((one) => ({ ...one, of: name }))),
    differs: served.map(({ name, differences }) => ({ of: name, value: differences })),
    'set-aside': served.map(({ name, setAside }) => ({ of: name, value: setAside.partitions, events: setAside.events })),
    behind: served.map(({ name, lag }) => ({ of: name, value: lag.seconds, events: lag.events })),
  };
};

/** Of a node alone. */
const ofNode = ({
  auditIndex,
  history,
  chain,
  results,
  disk,
  erasuresFailed,
  deadLettersKept,
  subscriptionsFull,
}: NodeNow): Measurements => ({
  disk: measured(disk?.freeBytes),
  'erasures-failed': measured(erasuresFailed),
  'dead-letters-kept': measured(deadLettersKept),
  'subscriptions-full': measured(subscriptionsFull),
  'audit-index-stopped': measured(Number(auditIndex?.status === 'stopped')),
  'audit-index-behind': measured(auditIndex?.lagSeconds),
  'history-set-aside': Object.entries(history?.partitionsSetAside ?? {}).map(([of, value]) => ({ of, value })),
  'chain-behind': measured(chain.status === 'catching-up' ? null : chain.lagSeconds),
  'anchor-old': measured(chain.unanchoredSeconds),
  'results-stopped': measured(Number(results?.status === 'stopped')),
  'results-behind': measured(results?.lagSeconds),
});

const ofServices = ({ messaging, status }: Installation, now: number): Measurements => {
  const { waiting, oldestWaitingAt = null, deadLetters, pushFails, pushUnverified } = messaging ?? {};
  const { worst, notCounted = [] } = status ?? {};
  return {
    'push-fails': pushFails ? [pushFails] : [],
    'push-unverified': pushUnverified ? [pushUnverified] : [],
    'dead-letters': deadLetters ? [deadLetters] : [],
    backlog: measured(waiting),
    'backlog-old': measured(oldestWaitingAt === null ? null : (now - Date.parse(oldestWaitingAt)) / 1_000),
    'results-paused': measured(notCounted.filter(({ projection }) => projection !== null).length),
    'results-too-large': measured(notCounted.filter(({ report }) => report !== null).length),
    'groups-not-ok': measured(
      status?.notOk,
      worst ? { view: { path: '/status', query: { tenant: worst.tenantId, report: worst.report }, text: 'Open the list' } } : {},
    ),
  };
};

/** Findings of the installation, and those of other nodes about themselves, with their roles. */
const withOthers = (own: readonly Finding[], nodes: NonNullable<Installation['others']>['nodes']): readonly Finding[] => {
  const textOf = ({ kind, text }: Finding): string => `${kind} ${text}`;
  const known = new Set(own.map(textOf));
  const others = nodes.flatMap(({ roles, findings = [] }) =>
    findings
      .filter((finding) => !known.has(textOf(finding)))
      .map((finding) => ({ ...finding, text: `A node with the roles ${roles.join(', ')}: ${finding.text}` })),
  );
  return worstFirst([...own, ...others]);
};

/** The state of the installation, and the findings in it. */
type FoundNow = Readonly<{ installation: Installation; findings: readonly Finding[] }>;

/** Looks up the state of the installation and what is wrong in it: once a second at most, for all callers. */
@Injectable()
export class FindingsNow {
  private latest: Promise<FoundNow> | undefined;
  private until = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(InstallationNow) private readonly now: Pick<InstallationNow, 'look' | 'ofNode'>,
    private readonly telemetry: Telemetry,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CERTIFICATE) private readonly certificate: ServerCertificate | null,
    @Inject(CLIENT_AUTHORITIES) private readonly clientAuthorities: ClientAuthorities | null,
  ) {}

  /** Never throws. */
  look(): Promise<FoundNow> {
    if (this.latest && performance.now() < this.until) return this.latest;
    this.until = Number.POSITIVE_INFINITY;
    this.latest = this.find().finally(() => {
      this.until = performance.now() + SHARED_MS;
    });
    return this.latest;
  }

  /** Of this node alone, for the others. Never throws. */
  async ofNode(): Promise<readonly Finding[]> {
    return findingsIn({ metadata: await this.foreign(), ...ofNode(await this.now.ofNode()), ...this.ofTls() });
  }

  private async foreign(): Promise<readonly Measurement[]> {
    const [found] = (await this.telemetry.foreignMetadata.get()).values;
    return measured(found?.value);
  }

  private async find(): Promise<FoundNow> {
    const installation = await this.now.look();
    const { eventLog, readStore, damage, projections, memory, others } = installation;
    const own = findingsIn({
      'event-log': trouble(eventLog),
      'read-store': trouble(readStore ?? (projections ? null : 'they are slow to answer')),
      damage: damage ? [{ value: 1, detail: `index ${damage.index}, ${damage.detail}` }] : [],
      metadata: await this.foreign(),
      ...memoryMeasurements(memory),
      'role-missing': (others?.missing ?? []).map((of) => ({ value: 1, of })),
      ...measurementsOf(projections ?? []),
      ...ofNode(installation),
      ...ofServices(installation, this.clock()),
      ...this.ofTls(),
    });
    return { installation, findings: withOthers(own, others?.nodes ?? []) };
  }

  private ofTls(): Measurements {
    const { certificate, clientAuthorities } = this;
    const ends = (instant: string | null | undefined): readonly Measurement[] =>
      instant ? [{ value: (Date.parse(instant) - this.clock()) / 1_000, detail: instant }] : [];
    return {
      'certificate-ends': ends(certificate?.health.expires),
      'tls-files-refused': [...trouble(certificate?.health.trouble ?? null), ...trouble(clientAuthorities?.health.trouble ?? null)],
      'revocation-list-ends': ends(clientAuthorities?.health.crlExpires),
    };
  }
}
