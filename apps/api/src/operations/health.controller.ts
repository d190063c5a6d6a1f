import { Controller, Inject, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ExternalProviderCatalogue } from '#api/accounting/catalogue/external-provider-catalogue.js';
import { Deliveries } from '#api/messaging/deliveries/deliveries.js';
import { askedSoon } from '#api/ops-kit/asked-soon.js';
import { open } from '#api/ops-kit/route.js';
import { NEEDED } from '#api/runtime/vocabulary.js';
import { Drain } from '#api/shared/http/connections/drain.js';
import type { ClientAuthorities } from '#api/shared/http/tls/client-authorities.js';
import type { ServerCertificate } from '#api/shared/http/tls/server-certificate.js';
import type { Answered } from '#api/shared/openapi/described.js';
import { quarkusHealth, readinessCheck } from '#api/shared/quarkus-health.js';
import { CERTIFICATE, CLIENT_AUTHORITIES, CONFIGURATION, EVENT_STORE, READ_STORE, READS_ONLY } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { Eraser } from '#infra/engine/erasure/eraser.js';
import { shownState } from '#infra/engine/projection-runner/projection-status.js';
import { ReadModels } from '#infra/engine/projection-runner/read-models.js';
import type { Configuration } from '#infra/platform/config/configuration.js';
import { within } from '#infra/platform/scheduling/within.js';
import type { StoreMemory } from '#infra/stores/read-store/store-memory.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { FindingsNow } from './findings/findings-now.js';
import { HEALTH_ANSWERS, LIVE_ANSWERS, QUARKUS_ANSWERS, QUARKUS_LIVE_ANSWERS, READY_ANSWERS } from './health-description.js';

type Part = Readonly<{ status: 'up' | 'down'; detail?: string }>;

const PROBE_MS = 2_000;

/** For load balancers and people. `live`: the process answers. `ready`: it can serve requests. */
@ApiTags('health')
@Controller()
export class HealthController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(READ_STORE) private readonly readStore: ReadStore,
    private readonly readModels: ReadModels,
    private readonly eraser: Eraser,
    private readonly providerCatalogue: ExternalProviderCatalogue,
    @Inject(READS_ONLY) private readonly readsOnly: boolean,
    private readonly deliveries: Deliveries,
    private readonly findings: FindingsNow,
    private readonly drain: Drain,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(CERTIFICATE) private readonly certificate: ServerCertificate | null,
    @Inject(CLIENT_AUTHORITIES) private readonly clientAuthorities: ClientAuthorities | null,
  ) {}

  @open.Get('health/live', { id: 'getLiveness', summary: '200 as long as the process answers', answers: LIVE_ANSWERS })
  live(): Answered<(typeof LIVE_ANSWERS)[200]> {
    return { status: 'up' };
  }

  @open.Get('health/ready', {
    id: 'getReadiness',
    summary:
      '200 when both stores work, the server does not end, and the read models that most calls need are up to date, after a start all of them; else 503 with the reason',
    answers: READY_ANSWERS,
  })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const reason = await this.unreadiness();
    if (reason === null) reply.send({ status: 'up' });
    else reply.code(503).send({ status: 'down', reason });
  }

  @open.Get('q/health/live', { id: 'getQuarkusLiveness', summary: 'Liveness in the form of Quarkus', answers: QUARKUS_LIVE_ANSWERS })
  quarkusLive(): Answered<(typeof QUARKUS_LIVE_ANSWERS)[200]> {
    return quarkusHealth([]).body;
  }

  @open.Get('q/health/ready', { id: 'getQuarkusReadiness', summary: 'Readiness in the form of Quarkus', answers: QUARKUS_ANSWERS })
  quarkusReady(@Res() reply: FastifyReply): Promise<void> {
    return this.quarkus(reply);
  }

  @open.Get('q/health', { id: 'getQuarkusHealth', summary: 'Liveness and readiness in the form of Quarkus', answers: QUARKUS_ANSWERS })
  async quarkus(@Res() reply: FastifyReply): Promise<void> {
    const { status, body } = quarkusHealth([readinessCheck(await this.unreadiness())]);
    reply.code(status).send(body);
  }

  /** Why the server can take no requests; `null` if it can. */
  private async unreadiness(): Promise<string | null> {
    if (this.drain.isUnderWay) return 'the server is ending';
    const { eventLog, readStore, states } = await this.basis();
    const trouble = troubleIn(eventLog, readStore);
    if (trouble !== null) return trouble;
    const awaited = states.filter(([name, state]) => (NEEDED.has(name) ? state !== 'live' : this.readModels.isOpening(name)));
    return awaited.length > 0 ? `read models behind the log: ${awaited.map(([name]) => name).join(', ')}` : null;
  }

  @open.Get('health', {
    id: 'getHealth',
    summary: 'Stores and read models, one by one, and what a person has to look at',
    answers: HEALTH_ANSWERS,
  })
  async summary(@Res() reply: FastifyReply): Promise<void> {
    const [health, { installation, findings }] = await Promise.all([this.look(), this.findings.look()]);
    const { chain, auditIndex, history, results, memory } = installation;
    const beside = {
      findings: findings.map(({ view: _, ...shown }) => shown), // a view may have names of records, and no key is needed here
      roles: this.configuration.roles,
      chain,
      auditIndex: auditIndex ?? { status: 'off' },
      history: history ?? { status: 'off' },
      results,
      ...(memory && { memory: memoryHealth(memory) }),
      ...(this.certificate && { certificate: this.certificate.health }),
      ...(this.clientAuthorities && { clientAuthorities: this.clientAuthorities.health }),
    };
    reply.code(health.status === 'up' ? 200 : 503).send({ ...health, ...beside });
  }

  /** Lost documents are visible in the states of the read models. */
  private async readTrouble(): Promise<string | null> {
    const trouble = await this.readStore.trouble();
    if (trouble === null && !this.readsOnly) await this.readModels.look();
    return trouble;
  }

  /** State of the stores, and of the read models as far as it is known to this process. */
  private async basis(): Promise<Basis> {
    const names = this.readsOnly ? [] : this.readModels.names; // a server of the past follows none
    const [eventLog, readStore] = await Promise.all([probe(() => this.eventStore.trouble()), probe(() => this.readTrouble())]);
    const states = names.map((name) => [name, this.readModels.state(name)] as const);
    const isLive = states.every(([, state]) => state === 'live');
    return { status: eventLog.status === 'up' && readStore.status === 'up' && isLive ? 'up' : 'down', eventLog, readStore, states };
  }

  private async look() {
    const { status, eventLog, readStore, states } = await this.basis();
    const names = states.map(([name]) => name);
    const rebuilt = new Set(readStore.status === 'up' ? await askedSoon(this.readModels.rebuilt()) : []);
    const setAside = names.flatMap((name) => {
      const { size } = this.readModels.setAside(name);
      return size > 0 ? [[name, size] as const] : [];
    });
    const degraded = new Map(setAside);
    const projections = Object.fromEntries(
      states.map(([name, state]) => [name, state && shownState(state, degraded.get(name) ?? 0, rebuilt.has(name))]),
    );
    const mismatches = Object.fromEntries(
      names.flatMap((name) => {
        const mismatch = this.readModels.mismatch(name);
        return mismatch === null ? [] : [[name, mismatch]];
      }),
    );
    const { health: providerCatalogue } = this.providerCatalogue; // an unreadable one is no reason to be down
    const { unerased } = this.eraser;
    const { deadLettersKept } = this.deliveries;
    return {
      status,
      eventLog,
      readStore,
      projections,
      ...(Object.keys(mismatches).length > 0 ? { mismatches } : {}),
      ...(setAside.length > 0 ? { partitionsSetAside: Object.fromEntries(setAside) } : {}),
      ...(unerased > 0 ? { erasuresFailed: unerased } : {}),
      ...(deadLettersKept > 0 ? { deadLettersKept } : {}),
      ...(providerCatalogue ? { providerCatalogue } : {}),
    };
  }
}

const memoryHealth = ({ bytes, limit, daysLeft, evicted, refused }: StoreMemory): object => ({ bytes, limit, daysLeft, evicted, refused });

type Basis = Readonly<{
  status: Part['status'];
  eventLog: Part;
  readStore: Part;
  states: readonly (readonly [name: string, state: ReturnType<ReadModels['state']>])[];
}>;

/** Reason why a node is not ready before all others, because stores usually cause lagging read models; `null` if both work. */
const troubleIn = (eventLog: Part, readStore: Part): string | null => {
  const stores = [
    ...(eventLog.status === 'up' ? [] : [`event log: ${eventLog.detail}`]),
    ...(readStore.status === 'up' ? [] : [`read models: ${readStore.detail}`]),
  ];
  return stores.length > 0 ? stores.join('; ') : null;
};

/** Trouble of a part, requested within two seconds, or the error; without addresses or credentials. */
const probe = async (ask: () => Promise<string | null>): Promise<Part> => {
  try {
    const trouble = await within(PROBE_MS, ask(), () => `no answer within ${PROBE_MS} ms`);
    return trouble === null ? { status: 'up' } : { status: 'down', detail: trouble };
  } catch (error) {
    return { status: 'down', detail: error instanceof Error ? error.name : 'unknown' };
  }
};
