import type { Attack } from '#test/attack/attack.js';
import { ADMIN, type Deployment, deployments } from '#test/support/deployments.js';
import { changeLog, plant } from '#test/support/plant.js';
import { startLogbook } from '#test/support/processes/logbook-process.js';
import { registerTenant, statusClient } from '#test/support/status-client.js';

const TENANTS = 20;
const HURT = 5;

/** Events in the log that no read model can show: half of a document, and a type that nobody knows. */
const poison = (tenantId: string, unknown: boolean) => ({
  stream: `status.reports-${tenantId}`,
  type: unknown ? 'ReportOfAnotherAge' : 'ReportCreated',
  data: { id: `poison-of-${tenantId}`, report: { topology_schema: '{"no":' } },
});

const attackOn = (where: string, open: () => Promise<Deployment>): Attack => ({
  name: `events that no read model can take, among those of ${TENANTS} tenants, on ${where}, over a restart`,
  run: async (cleanup) => {
    const deployment = await open();
    cleanup.defer(() => deployment.dispose());
    let server = await startLogbook(deployment.environment);
    cleanup.defer(() => server.stop());
    const ids: string[] = [];
    for (let index = 0; index < TENANTS; index++) ids.push(await registerTenant(statusClient(server.url), ADMIN, `t${index}`, ['admin']));
    const poisoned = ids.slice(0, HURT).map((id, index) => poison(id, index % 2 === 1));
    server = await changeLog(
      deployment,
      server,
      () => startLogbook(deployment.environment),
      () => plant(deployment, ...poisoned),
    );
    const counts = { hurt: 0, well: 0, wrong: 0 };
    const look = async (): Promise<void> => {
      const client = statusClient(server.url);
      for (const index of ids.keys()) {
        const { status } = await client.get('/reports', { key: `t${index}-admin` });
        const others = await client.get('/weights', { key: `t${index}-admin` });
        if (status === 503 && index < HURT) counts.hurt += 1;
        else if (status === 200 && index >= HURT) counts.well += 1;
        else counts.wrong += 1;
        if (others.status !== 200) counts.wrong += 1;
      }
    };
    const settled = async (): Promise<void> => {
      for (let tries = 0; tries < 200; tries++) {
        const statuses = await Promise.all(
          ids.slice(0, HURT).map(async (_, index) => (await statusClient(server.url).get('/reports', { key: `t${index}-admin` })).status),
        );
        if (statuses.every((status) => status === 503)) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    await settled();
    await look();
    await server.stop();
    server = await startLogbook(deployment.environment);
    await settled();
    await look();
    const detail = `${counts.hurt} × 503 for the tenants of these events, ${counts.well} × 200 for the others, ${counts.wrong} other answers`;
    return { held: counts.wrong === 0 && counts.hurt > 0, attempts: HURT, detail };
  },
});

export const attacks: readonly Attack[] = deployments.map(([where, open]) => attackOn(where, open));
