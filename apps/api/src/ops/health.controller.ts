import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { EventStore } from '#domain/shared/event-store.js';
import { ReadModels } from '#infra/projection-runner/read-models.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { ProviderCatalogue } from '../accounting/provider-catalogue.js';
import { EVENT_STORE, READ_STORE } from '../shared/tokens.js';

type Part = Readonly<{ status: 'up' | 'down'; detail?: string }>;

const PROBE_MS = 2_000;

/** For load balancers and people. `live`: the process answers. `ready`: it can take traffic. */
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(READ_STORE) private readonly readStore: ReadStore,
    private readonly readModels: ReadModels,
    private readonly providerCatalogue: ProviderCatalogue,
  ) {}

  @Get('live')
  @ApiOperation({ summary: '200 as long as the process answers' })
  live(): object {
    return { status: 'up' };
  }

  @Get('ready')
  @ApiOperation({ summary: '200 when both stores answer and every read model is up to date, else 503' })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { status } = await this.look();
    reply.code(status === 'up' ? 200 : 503).send({ status });
  }

  @Get()
  @ApiOperation({ summary: 'Stores and read models, one by one' })
  async summary(@Res() reply: FastifyReply): Promise<void> {
    const health = await this.look();
    reply.code(health.status === 'up' ? 200 : 503).send(health);
  }

  private async look() {
    const names = this.readModels.names;
    const [eventLog, readStore] = await Promise.all([
      probe(() => this.eventStore.head()),
      probe(() => this.readStore.served(names[0] ?? '')),
    ]);
    const projections = Object.fromEntries(names.map((name) => [name, this.readModels.state(name)]));
    const mismatches = Object.fromEntries(
      names.flatMap((name) => {
        const mismatch = this.readModels.mismatch(name);
        return mismatch === null ? [] : [[name, mismatch]];
      }),
    );
    const serving = Object.values(projections).every((state) => state === 'live');
    const status = eventLog.status === 'up' && readStore.status === 'up' && serving ? 'up' : 'down';
    const { health: providerCatalogue } = this.providerCatalogue; // kept as it was when it cannot be read: no reason to be down
    const found = Object.keys(mismatches).length > 0 ? { mismatches } : {};
    return { status, eventLog, readStore, projections, ...found, ...(providerCatalogue ? { providerCatalogue } : {}) };
  }
}

/** An answer within two seconds, or what went wrong; without addresses or credentials. */
const probe = async (ask: () => Promise<unknown>): Promise<Part> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Part>((resolve) => {
    timer = setTimeout(() => resolve({ status: 'down', detail: `no answer within ${PROBE_MS} ms` }), PROBE_MS);
  });
  try {
    return await Promise.race([ask().then((): Part => ({ status: 'up' })), late]);
  } catch (error) {
    return { status: 'down', detail: error instanceof Error ? error.name : 'unknown' };
  } finally {
    clearTimeout(timer);
  }
};
